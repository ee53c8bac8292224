//! Files that may come from anywhere, and the one decision on what they may do.
//!
//! A file that was read is [`Untrusted`]; [`Untrusted::admit`] decides whether it is opened. The
//! user's own files may do everything. A file that came with a folder may do whatever runs nothing,
//! sends nothing to new places, reads no variables and costs nothing; all else is a demand, for
//! which the user must trust exactly this content. This room touches neither files nor the
//! environment: the program keeps what its user trusts.

use crate::locale::UiText;

/// A type of file that may make demands.
pub trait Demanding {
    /// Everything in the file that needs trust, given what is known without it.
    fn demands(&self, known: &Self) -> Vec<UiText>;
}

/// A file that was read, and of which nothing counts yet.
#[derive(Clone, Debug)]
pub struct Untrusted<T> {
    file: T,
    hash: String,
}

/// A file that makes demands and is not trusted.
#[derive(Clone, Debug)]
pub struct NeedsTrust<T> {
    /// The file, as closed as before.
    pub file: Untrusted<T>,
    /// What it would do.
    pub demands: Vec<UiText>,
}

impl<T> Untrusted<T> {
    /// A file that was read from this text.
    pub fn new(file: T, text: &str) -> Self {
        Self {
            file,
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
        }
    }

    /// The BLAKE3 hash of its text, in hex.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl<T: Demanding> Untrusted<T> {
    /// What it would do if it were trusted.
    pub fn demands(&self, known: &T) -> Vec<UiText> {
        self.file.demands(known)
    }

    /// Opens a folder's file, or says what it would do first. `trusted` is the hash of the content
    /// that the user trusts at its path.
    ///
    /// # Errors
    /// It makes demands, and the user does not trust this content.
    pub fn admit(self, trusted: Option<&str>, known: &T) -> Result<T, NeedsTrust<T>> {
        if trusted == Some(self.hash.as_str()) {
            return Ok(self.file);
        }
        let demands = self.file.demands(known);
        if demands.is_empty() {
            return Ok(self.file);
        }
        Err(NeedsTrust {
            file: self,
            demands,
        })
    }

    /// Opens a file for which the user vouches: it is built in, is among their own, or was named by
    /// them for this purpose.
    pub fn admit_own(self) -> T {
        self.file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Wish(&'static str);

    impl Demanding for Wish {
        fn demands(&self, known: &Self) -> Vec<UiText> {
            let is_new = self != known;
            is_new
                .then(|| UiText::verbatim(self.0))
                .into_iter()
                .collect()
        }
    }

    #[test]
    fn only_trust_in_exactly_this_content_opens_a_demanding_file() {
        let file = || Untrusted::new(Wish("all"), "all");
        let (known, other) = (Wish("little"), Untrusted::new(Wish("all"), "all "));
        let trusted = file().hash().to_owned();
        let refused = file().admit(None, &known).unwrap_err();
        assert_eq!(refused.demands, [UiText::verbatim("all")]);
        assert!(file().admit(Some(trusted.as_str()), &known).is_ok());
        assert!(other.admit(Some(trusted.as_str()), &known).is_err());
        assert_eq!(file().admit_own(), Wish("all"));
        assert!(
            file().admit(None, &Wish("all")).is_ok(),
            "what is known already is not a demand"
        );
    }
}
