//! The secrets of this process, and texts without them.
//!
//! A [`Secret`] is known from the moment it exists, so that [`redact`] masks it wherever it turns
//! up: in what a server echoes, in errors, logs, journals and on the terminal. A process without
//! secrets, such as one in which only the improviser plays, pays nothing for that.
//!
//! A server that echoes one may have escaped it for JSON, a URL or HTML, so each is also known as
//! it is spelt there.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem::Finder;
use serde_json::Value;

/// What takes the place of a secret.
const MASK: &str = "***";
/// Shorter secrets, in bytes, are words such as `none` that local servers are given as a key.
/// Masking those would spoil every text.
const SHORTEST: usize = 8;
/// As above, for secrets that are numbers.
const SHORTEST_NUMBER: usize = 16;

/// All secrets in all their spellings, the longest first.
static KNOWN: RwLock<Vec<Finder<'static>>> = RwLock::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);

/// A key, a token or a password. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// A secret that every [`redact`] of this process knows from now on.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        remember(&text);
        Self(text)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Secret({MASK})")
    }
}

/// Masks this from now on, wherever it turns up.
pub fn remember(secret: &str) {
    let is_number = secret.bytes().all(|byte| byte.is_ascii_digit());
    let shortest = if is_number { SHORTEST_NUMBER } else { SHORTEST };
    if secret.len() < shortest {
        return;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    for spelling in spellings(secret) {
        let is_known = |known: &Finder| known.needle() == spelling.as_bytes();
        if !known.iter().any(is_known) {
            known.push(Finder::new(&spelling).into_owned());
        }
    }
    known.sort_by_key(|known| std::cmp::Reverse(known.needle().len()));
    drop(known);
    ANY.store(true, Ordering::Release);
}

/// Whether this process has any secret, so that texts need a look at all.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// A secret as it is, and as it is spelt in JSON, URLs and HTML.
fn spellings(secret: &str) -> [String; 6] {
    let quoted = Value::from(secret).to_string();
    let json = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    let in_url = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    let url: String = secret.bytes().map(in_url).collect();
    let in_html = |char| match char {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#39;".into(),
        char => String::from(char),
    };
    let html = secret.chars().map(in_html).collect();
    [
        secret.to_owned(),
        json.replace('/', "\\/"),
        json.to_owned(),
        url.replace("%20", "+"),
        url,
        html,
    ]
}

/// The text with every secret masked.
pub fn redact(text: &str) -> Cow<'_, str> {
    if !any() {
        return Cow::Borrowed(text);
    }
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let mut left = Cow::Borrowed(text);
    for secret in known.iter() {
        if let Some(masked) = mask(&left, secret) {
            left = Cow::Owned(masked);
        }
    }
    left
}

fn mask(text: &str, secret: &Finder<'_>) -> Option<String> {
    let mut found = secret.find_iter(text.as_bytes()).peekable();
    found.peek()?;
    let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
    for start in found {
        // Both are UTF-8, so a match begins and ends between characters.
        masked.push_str(text.get(end..start).unwrap_or_default());
        masked.push_str(MASK);
        end = start + secret.needle().len();
    }
    masked.push_str(text.get(end..).unwrap_or_default());
    Some(masked)
}

/// As [`redact`], for a text that is owned.
pub fn redacted(text: String) -> String {
    match redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(masked) => masked,
    }
}

pub fn has_secret(text: &str) -> bool {
    matches!(redact(text), Cow::Owned(_))
}

/// Masks every secret in the strings of a value. Returns whether there was one.
pub fn redact_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match redact(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(masked) => {
                *text = masked;
                true
            }
        },
        Value::Array(items) => {
            let found = items.iter_mut().map(redact_value);
            found.fold(false, |any, found| any | found)
        }
        Value::Object(members) => {
            if members.keys().any(|key| has_secret(key)) {
                let renamed = std::mem::take(members).into_iter();
                *members = renamed.map(|(key, value)| (redacted(key), value)).collect();
            }
            let found = members.values_mut().map(redact_value);
            found.fold(false, |any, found| any | found)
        }
        _ => false,
    }
}

/// Masks every secret in the strings of a JSON text that begins here in `bytes` and ends with them.
pub(crate) fn redact_json(bytes: &mut Vec<u8>, start: usize) {
    if !any() {
        return;
    }
    let json = bytes.get(start..).unwrap_or_default();
    // JSON is text.
    let has_secret = std::str::from_utf8(json).is_ok_and(has_secret);
    if has_secret && let Ok(mut value) = serde_json::from_slice::<Value>(json) {
        redact_value(&mut value);
        bytes.truncate(start);
        bytes.extend_from_slice(value.to_string().as_bytes());
    }
}

/// How many bytes at the end of a text may be the beginning of a secret that is not yet complete.
pub fn begun(text: &str) -> usize {
    if !any() {
        return 0;
    }
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let begun = known.iter().map(|secret| {
        let most = text.len().min(secret.needle().len() - 1);
        let ends = (1..=most).rev();
        let is_begun = |count: &usize| {
            let end = text.as_bytes().get(text.len() - count..);
            text.is_char_boundary(text.len() - count) && end == secret.needle().get(..*count)
        };
        ends.into_iter().find(is_begun).unwrap_or(0)
    });
    begun.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_secret_is_masked_in_every_spelling() {
        let secret = Secret::new("k3y-\"of/the\" house");
        let spellings = [
            secret.expose().to_owned(),
            json!(secret.expose()).to_string(),
            "k3y-%22of%2Fthe%22%20house".into(),
            "k3y-%22of%2Fthe%22+house".into(),
            r#"k3y-\"of\/the\" house"#.into(),
            "k3y-&quot;of/the&quot; house".into(),
        ];
        for spelling in spellings {
            let masked = redacted(format!("<{spelling}|{spelling}>"));
            assert!(!masked.contains("k3y"), "{masked}");
            assert_eq!(masked.matches(MASK).count(), 2, "{masked}");
        }
        assert!(!format!("{secret:?}").contains("k3y"));
        assert!(matches!(redact("nothing of the kind"), Cow::Borrowed(_)));
    }

    #[test]
    fn words_that_stand_for_no_key_are_left_alone() {
        for word in ["none", "EMPTY", "12345678"] {
            Secret::new(word);
            assert_eq!(redact(word), word);
        }
    }

    #[test]
    fn json_stays_json() {
        Secret::new("json-s3cret-1");
        let mut bytes = b"[1]\n".to_vec();
        let start = bytes.len();
        let line = json!({"json-s3cret-1": ["a json-s3cret-1 b", 1, {"x": "json-s3cret-1"}]});
        bytes.extend_from_slice(line.to_string().as_bytes());
        redact_json(&mut bytes, start);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            r#"[1]
{"***":["a *** b",1,{"x":"***"}]}"#
        );
    }

    #[test]
    fn the_beginning_of_a_secret_is_noticed() {
        Secret::new("begin-s3cret-密钥");
        assert_eq!(begun("she said: begin-s3"), "begin-s3".len());
        assert_eq!(begun("she said: begin-s3cret-密"), "begin-s3cret-密".len());
        // No key of another test begins with a line end.
        assert_eq!(begun("she said: begun\n"), 0);
        assert_eq!(begun(""), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn no_text_is_too_strange(before in "\\PC{0,9}", after in "\\PC{0,9}", value in "\\PC{8,20}") {
            let secret = Secret::new(&*format!("prop-{value}"));
            let text = format!("{before}{}{after}", secret.expose());
            prop_assert!(!redact(&text).contains(secret.expose()));
            let mut json = json!([text]).to_string().into_bytes();
            redact_json(&mut json, 0);
            let json: Value = serde_json::from_slice(&json).unwrap();
            prop_assert!(!json[0].as_str().unwrap().contains(secret.expose()));
        }
    }
}
