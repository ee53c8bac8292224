//! The secrets of this process, and texts without them.
//!
//! A [`Secret`] is known from the moment it exists, so that [`redact`] masks it wherever it turns
//! up: in what a server echoes, in errors, logs, journals and on the terminal. A process without
//! secrets, such as one in which only the improviser plays, pays nothing for that.
//!
//! Whoever echoes a secret may spell it so that it looks like none until somebody parses it, or
//! leaves out what can't be seen. So a text is also searched as its last reader may have it: see
//! [`Reading`].

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem::Finder;
use serde_json::Value;

use crate::wording::is_invisible;

/// What takes the place of a secret.
const MASK: &str = "***";
/// Shorter secrets, in bytes, are words such as `none` that local servers are given as a key.
/// Masking those would spoil every text.
const SHORTEST: usize = 8;
/// As above, for secrets that are numbers.
const SHORTEST_NUMBER: usize = 16;

/// All secrets as they are, the longest first.
static KNOWN: RwLock<Vec<Finder<'static>>> = RwLock::new(Vec::new());
/// All secrets as they are in a [`Reading`].
static READ: RwLock<Vec<Finder<'static>>> = RwLock::new(Vec::new());
/// Whether there are any.
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

    /// The secret itself.
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
    if known
        .iter()
        .all(|known| known.needle() != secret.as_bytes())
    {
        known.push(Finder::new(secret).into_owned());
    }
    known.sort_by_key(|known| std::cmp::Reverse(known.needle().len()));
    drop(known);
    // A backslash at its end would be read together with what follows the secret.
    let read = Reading::of(secret.trim_end_matches('\\')).bytes;
    let mut known = READ.write().unwrap_or_else(PoisonError::into_inner);
    if read.len() >= shortest && known.iter().all(|known| known.needle() != read) {
        known.push(Finder::new(&read).into_owned());
    }
    drop(known);
    ANY.store(true, Ordering::Release);
}

/// Whether this process has any secret, so that texts need a look at all.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// How much of a text is read at once, and what a secret may take of it with all that hides it: a
/// reading takes twelve times as much memory as its text.
const WINDOW: usize = 4 << 20;
const OVERLAP: usize = 1 << 20;

/// How often a text is decoded: whoever parses one may parse what is in it, too.
const MOST_PASSES: usize = 4;

/// A text as whoever parses it may have it in the end, and where each byte comes from: escapes of
/// JSON, URLs and HTML are decoded, however deep, and what nobody sees is left out.
struct Reading {
    bytes: Vec<u8>,
    /// The bytes of the text that each stands for.
    spans: Vec<(u32, u32)>,
}

impl Reading {
    fn of(text: &str) -> Self {
        let ends = 1..=text.len() as u32;
        let mut reading = Self {
            bytes: text.as_bytes().to_vec(),
            spans: ends.map(|end| (end - 1, end)).collect(),
        };
        for _ in 0..MOST_PASSES {
            let length = reading.bytes.len();
            reading = reading.decoded().visible();
            if reading.bytes.len() == length {
                break;
            }
        }
        reading
    }

    /// What bytes of it stand for.
    fn span(&self, start: usize, length: usize) -> Option<std::ops::Range<usize>> {
        let (from, _) = self.spans.get(start)?;
        let (_, to) = self.spans.get(start + length.checked_sub(1)?)?;
        Some(*from as usize..*to as usize)
    }

    fn decoded(&self) -> Self {
        let mut out = Self::with_room(self.bytes.len());
        let mut offset = 0;
        while let Some(rest) = self.bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            let (char, length) = escape(rest);
            let from = self.spans.get(offset).map_or(0, |span| span.0);
            let to = self
                .spans
                .get(offset + length - 1)
                .map_or(from, |span| span.1);
            match char {
                Escape::Char(char) => {
                    let mut bytes = [0; 4];
                    let bytes = char.encode_utf8(&mut bytes).bytes();
                    bytes.for_each(|byte| out.push(byte, (from, to)));
                }
                Escape::Byte(byte) => out.push(byte, (from, to)),
            }
            offset += length;
        }
        out
    }

    /// Without what nobody sees.
    fn visible(&self) -> Self {
        let mut out = Self::with_room(self.bytes.len());
        let mut offset = 0;
        for chunk in self.bytes.utf8_chunks() {
            for char in chunk.valid().chars() {
                let length = char.len_utf8();
                if !is_hidden(char) {
                    out.extend(self, offset, length);
                }
                offset += length;
            }
            out.extend(self, offset, chunk.invalid().len());
            offset += chunk.invalid().len();
        }
        out
    }

    fn with_room(length: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(length),
            spans: Vec::with_capacity(length),
        }
    }

    fn push(&mut self, byte: u8, span: (u32, u32)) {
        self.bytes.push(byte);
        self.spans.push(span);
    }

    fn extend(&mut self, from: &Self, offset: usize, length: usize) {
        let range = offset..offset + length;
        self.bytes
            .extend(from.bytes.get(range.clone()).unwrap_or_default());
        self.spans.extend(from.spans.get(range).unwrap_or_default());
    }
}

/// What the beginning of a text stands for.
enum Escape {
    Char(char),
    Byte(u8),
}

/// What the beginning of a text that is not empty stands for, and how many bytes that are.
fn escape(text: &[u8]) -> (Escape, usize) {
    let first = text.first().copied().unwrap_or_default();
    let plain = (Escape::Byte(first), 1);
    match first {
        b'\\' => {
            let slashes = text.iter().take_while(|byte| **byte == b'\\').count();
            let rest = text.get(slashes..).unwrap_or_default();
            let code = match rest {
                [b'u', digits @ ..] => {
                    number(digits, 16, 4).map(|(code, length)| (code, length + 1))
                }
                [b'x', digits @ ..] => {
                    number(digits, 16, 2).map(|(code, length)| (code, length + 1))
                }
                _ => None,
            };
            match (code, rest) {
                (Some((code, length)), _) => {
                    // Half of a pair stands for nothing that is in a key.
                    let char = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    (Escape::Char(char), slashes + length)
                }
                // What is escaped without a need stands for itself.
                (None, [next, ..]) => (Escape::Byte(*next), slashes + 1),
                (None, []) => (Escape::Byte(b'\\'), slashes),
            }
        }
        b'%' => match number(text.get(1..).unwrap_or_default(), 16, 2) {
            Some((byte, length)) => (Escape::Byte(byte as u8), 1 + length),
            None => plain,
        },
        b'&' => entity(text).map_or(plain, |(char, length)| (Escape::Char(char), length)),
        _ => plain,
    }
}

/// The character of an entity of HTML, and its length.
fn entity(text: &[u8]) -> Option<(char, usize)> {
    let end = text.iter().take(12).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(text.get(1..end)?).ok()?;
    let char = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        name => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((char, end + 1))
}

/// The number of exactly `count` digits, and how many they are.
fn number(text: &[u8], radix: u32, count: usize) -> Option<(u32, usize)> {
    let digits = text.get(..count)?.iter();
    let mut number = digits.map(|digit| char::from(*digit).to_digit(radix));
    let number = number.try_fold(0, |sum, digit| Some(sum * radix + digit?))?;
    Some((number, count))
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
    drop(known);
    if may_hide(&left)
        && let Some(masked) = mask_read(&left)
    {
        left = Cow::Owned(masked);
    }
    left
}

/// Whether a text has anything that a [`Reading`] changes.
fn may_hide(text: &str) -> bool {
    let matters =
        |byte: u8| matches!(byte, b'\\' | b'%' | b'&' | 0x7F..) || (byte < b' ' && !is_space(byte));
    // Compilers vectorize the loop because it doesn't stop at the first hit.
    let found = text
        .bytes()
        .fold(false, |found, byte| found | matters(byte));
    found
        && text
            .chars()
            .any(|char| matches!(char, '\\' | '%' | '&') || is_hidden(char))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'\t')
}

/// Whether nobody sees a character, or it is left out before a text is shown.
fn is_hidden(char: char) -> bool {
    is_invisible(char) || (char.is_control() && !matches!(char, '\n' | '\r' | '\t'))
}

/// Masks the secrets that a text has only as it is read.
fn mask_read(text: &str) -> Option<String> {
    let known = READ.read().unwrap_or_else(PoisonError::into_inner);
    let mut found = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let end = text.ceil_char_boundary(from + WINDOW);
        let window = text.get(from..end).unwrap_or_default();
        let reading = Reading::of(window);
        for secret in known.iter() {
            let starts = secret.find_iter(&reading.bytes);
            let spans = starts.filter_map(|start| {
                let span = reading.span(start, secret.needle().len())?;
                Some(from + span.start..from + span.end)
            });
            found.extend(spans);
        }
        if end == text.len() {
            break;
        }
        from = text.floor_char_boundary(end - OVERLAP);
    }
    drop(known);
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|span| (span.start, span.end));
    let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
    for span in found {
        // What overlaps is masked once.
        if span.start >= end {
            let start = text.floor_char_boundary(span.start).max(end);
            masked.push_str(text.get(end..start).unwrap_or_default());
            masked.push_str(MASK);
        }
        end = end.max(text.ceil_char_boundary(span.end));
    }
    masked.push_str(text.get(end..).unwrap_or_default());
    Some(masked)
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

/// Whether there is a secret in a text.
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
    let begun = begun.max().unwrap_or(0);
    drop(known);
    begun.max(begun_to_read(text))
}

/// As [`begun`], of secrets that are hidden.
fn begun_to_read(text: &str) -> usize {
    let end = text.floor_char_boundary(text.len().saturating_sub(ESCAPE));
    let tail = text.get(end..).unwrap_or_default();
    // An escape that may not be complete.
    let cut = tail.find(['\\', '%', '&']).map(|offset| end + offset);
    let whole = text.get(..cut.unwrap_or(text.len())).unwrap_or_default();
    let start = whole.floor_char_boundary(whole.len().saturating_sub(HELD));
    let part = whole.get(start..).unwrap_or_default();
    let cut = cut.unwrap_or(text.len());
    if !may_hide(part) && cut == text.len() {
        return 0;
    }
    let reading = Reading::of(part);
    let known = READ.read().unwrap_or_else(PoisonError::into_inner);
    let starts = known.iter().filter_map(|secret| {
        let most = reading.bytes.len().min(secret.needle().len() - 1);
        let count = (1..=most).rev().find(|count| {
            let end = reading.bytes.get(reading.bytes.len() - count..);
            end == secret.needle().get(..*count)
        })?;
        let span = reading.span(reading.bytes.len() - count, count)?;
        Some(text.floor_char_boundary(start + span.start))
    });
    text.len() - starts.min().unwrap_or(cut)
}

/// The longest escape, and how much of a text that arrives is read for the beginning of a secret,
/// in bytes.
const ESCAPE: usize = 12;
const HELD: usize = 4096;

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
    fn a_secret_is_masked_however_it_is_escaped_and_whatever_nobody_sees_in_it() {
        let secret = "sk-hid/den+K3Y";
        Secret::new(secret);
        let each = |spell: &dyn Fn(char) -> String| secret.chars().map(spell).collect::<String>();
        let code = u32::from;
        for spelling in [
            each(&|c| format!("\\u{:04x}", code(c))),
            each(&|c| format!("\\\\\\\\u{:04X}", code(c))),
            each(&|c| format!("\\x{:02x}", code(c))),
            each(&|c| format!("%{:02x}", code(c))),
            each(&|c| format!("%25{:02X}", code(c))),
            each(&|c| format!("&#{};", code(c))),
            each(&|c| format!("&#x{:x};", code(c))),
            each(&|c| format!("{c}\u{202E}")),
            each(&|c| format!("{c}\u{200B}\u{7}")),
            each(&|c| format!("{c}\\u200b")),
            each(&|c| format!("{c}%E2%80%8B")),
            secret.replace('/', "\\/"),
            secret.replace('/', "%2f"),
            secret.replace('+', "%2B"),
            secret.replace("hid", "\\u0068\\u0069d"),
        ] {
            let json = format!(r#"{{"mind":"I saw {spelling}, well","é":1}}"#);
            let masked = redacted(json);
            // What hides behind the last letter may stay.
            let start = r#"{"mind":"I saw ***"#;
            assert!(masked.starts_with(start), "{spelling}: {masked}");
            assert!(masked.ends_with(r#", well","é":1}"#), "{masked}");
            assert!(masked.len() < 60, "{masked}");
        }
        for harmless in [
            r#"{"say":"a \"b\" 100% & \u00e9 \ud83d\ude00 %zz &nope; \\"}"#,
            "\\",
            "%",
            "&#x110000;",
        ] {
            assert!(matches!(redact(harmless), Cow::Borrowed(_)), "{harmless}");
        }
        let mut line = json!({"text": each(&|c| format!("{c}\u{202E}"))})
            .to_string()
            .into_bytes();
        redact_json(&mut line, 0);
        let line = String::from_utf8(line).unwrap();
        assert!(line.starts_with(r#"{"text":"***"#), "{line}");
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
        assert_eq!(
            begun("she said: be\u{202E}gin-s3"),
            "be\u{202E}gin-s3".len()
        );
        assert_eq!(begun(r"she said: \u0062eg\u00"), r"\u0062eg\u00".len());
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
