//! Makes foreign text harmless for a terminal, and masks secrets.

use std::borrow::Cow;
use std::fmt::Write;

use crate::secrets::redact;

/// The text without secrets and without anything that controls a terminal: control characters and
/// marks that change the direction of writing become `�`, tabs become spaces. Line breaks stay.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    match redact(text) {
        Cow::Borrowed(text) => harmless(text),
        Cow::Owned(masked) => Cow::Owned(harmless(&masked).into_owned()),
    }
}

fn harmless(text: &str) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|c| c == '\t' || c == '\r' || is_control(c))
    {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    let harmless = |c| match c {
        '\t' => ' ',
        '\r' => '\n',
        c if is_control(c) => '\u{fffd}',
        c => c,
    };
    Cow::Owned(text.chars().map(harmless).collect())
}

/// JSON without secrets in which characters that control a terminal are escaped. Such characters
/// occur only in strings.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    match redact(json) {
        Cow::Borrowed(json) => escape(json),
        Cow::Owned(masked) => Cow::Owned(escape(&masked).into_owned()),
    }
}

fn escape(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_control) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_control(character) {
            // Writing to a string can't fail; all of these are in the basic plane.
            let _ = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// A log in colour without anything else that controls a terminal. What is logged has no escapes:
/// `tracing` writes them as text, and its own are the colours.
pub(crate) fn clean_styled(log: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| c != '\x1b' && is_control(c);
    if !log.chars().any(is_harmful) {
        return Cow::Borrowed(log);
    }
    Cow::Owned(log.replace(is_harmful, "\u{fffd}"))
}

fn is_control(character: char) -> bool {
    is_direction(character) || character.is_control() && !matches!(character, '\n' | '\t' | '\r')
}

/// Whether the character changes the direction of writing, or ends a line that we did not end.
fn is_direction(character: char) -> bool {
    matches!(
        character,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_colours_alone() {
        assert_eq!(
            clean_styled("\x1b[2mWARN\x1b[0m a\u{9b}2J\u{61c}b\n"),
            "\x1b[2mWARN\x1b[0m a\u{fffd}2J\u{fffd}b\n"
        );
    }

    #[test]
    fn nothing_controls_the_terminal() {
        assert_eq!(
            clean("a\x1b[31mb\u{9b}2J\u{202e}c\r\nd\te"),
            "a\u{fffd}[31mb\u{fffd}2J\u{fffd}c\nd e"
        );
        assert!(matches!(clean("米拉说：\n好"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_meaning() {
        let json = serde_json::to_string("a\u{9b}\u{7f}b").unwrap();
        let escaped = escape_json(&json);
        assert_eq!(escaped, r#""a\u009b\u007fb""#);
        assert_eq!(
            serde_json::from_str::<String>(&escaped).unwrap(),
            "a\u{9b}\u{7f}b"
        );
    }
}
