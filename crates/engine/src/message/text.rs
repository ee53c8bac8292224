//! Text, and what is computed from it once: its digest, its token estimate and its JSON-escaped
//! form.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::Value;

use super::tokens;
use crate::locale::{UiText, text};

/// A text in one line, with single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in one line of at most `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    line.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// The first 16 bytes of a text's BLAKE3 hash. Equal digests mean equal text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        blake3::hash(bytes).into()
    }

    /// Half of it, where a rare mistake does no harm.
    pub(crate) fn half(self) -> u64 {
        u128::from_le_bytes(self.0) as u64
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&hash.as_bytes()[..16]);
        Self(short)
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl std::str::FromStr for Digest {
    type Err = UiText;

    fn from_str(text: &str) -> Result<Self, UiText> {
        let parse = || {
            let number = u128::from_str_radix(text, 16).ok()?;
            (text.len() == 32).then_some(Self(number.to_be_bytes()))
        };
        parse().ok_or_else(|| text!(message_bad_digest, text))
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Immutable text. Its escaped form, digest and token estimate are computed at first use and
/// cached.
#[derive(Clone, Debug)]
pub struct Text {
    raw: Box<str>,
    figures: OnceLock<Figures>,
    /// `None` if escaping changes nothing, so that most text is stored once. Only text that is sent
    /// to a server is ever escaped.
    escaped: OnceLock<Option<Box<str>>>,
}

#[derive(Clone, Copy, Debug)]
struct Figures {
    digest: Digest,
    tokens: u32,
}

impl Text {
    pub fn as_str(&self) -> &str {
        &self.raw
    }

    /// The text as a JSON string, without the quotes around it.
    pub fn escaped(&self) -> &str {
        let escaped = self.escaped.get_or_init(|| match escaped(&self.raw) {
            Cow::Borrowed(_) => None,
            Cow::Owned(escaped) => Some(escaped.into()),
        });
        escaped.as_deref().unwrap_or(&self.raw)
    }

    /// A digest of the text, for hashes of requests.
    pub fn digest(&self) -> Digest {
        self.figures().digest
    }

    /// The estimated number of tokens (see [`tokens::estimate`]).
    pub fn tokens(&self) -> u32 {
        self.figures().tokens
    }

    fn figures(&self) -> &Figures {
        self.figures.get_or_init(|| Figures {
            digest: Digest::of(self.raw.as_bytes()),
            tokens: tokens::estimate(&self.raw),
        })
    }
}

impl<T: Into<Box<str>>> From<T> for Text {
    fn from(raw: T) -> Self {
        Self {
            raw: raw.into(),
            figures: OnceLock::new(),
            escaped: OnceLock::new(),
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

/// A text as it stands within a JSON string. [`Text::escaped`] caches it.
pub fn escaped(raw: &str) -> Cow<'_, str> {
    let special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if !raw.bytes().any(special) {
        return Cow::Borrowed(raw);
    }
    let quoted = Value::from(raw).to_string();
    Cow::Owned(quoted[1..quoted.len() - 1].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_is_what_serde_json_writes() {
        for raw in ["plain", "中文，平常的话", "a \"b\" \\ \n\t\u{1}", ""] {
            let text = Text::from(raw);
            let quoted = format!("\"{}\"", text.escaped());
            assert_eq!(quoted, serde_json::to_string(raw).unwrap());
        }
    }
}
