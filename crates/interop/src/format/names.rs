//! Names of speakers on the wire, in any language.

use std::borrow::Cow;

use playhouse_engine::message::Digest;

/// Part of every alias and of no name that is sent as it is, so that the two never collide.
const MARK: &str = "--";
/// Hexadecimal digits of an alias's digest: 64 bits.
const DIGITS: usize = 16;

/// A name, or an alias made of at most `max_len` (at least 24) ASCII letters, digits, `_` and `-`.
/// Different names have different aliases, the same in every conversation and every run.
///
/// OpenAI accepts `[A-Za-z0-9_-]{1,64}` as the `name` of a message, Anthropic as the id of a call;
/// OpenAI accepts ids of 40 characters.
pub fn alias(name: &str, max_len: usize) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= max_len && !name.contains(MARK) && name.chars().all(legal)
    {
        return Cow::Borrowed(name);
    }
    let words: Vec<_> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut readable = words.join("_");
    readable.truncate(max_len.saturating_sub(MARK.len() + DIGITS));
    let digest = Digest::of(name.as_bytes()).to_string();
    Cow::Owned(format!("{readable}{MARK}{}", &digest[..DIGITS]))
}

/// A name as it is written before a quoted turn. Characters that could be mistaken for the end of
/// the name are percent-encoded, as in URLs.
pub(super) fn label(name: &str) -> Cow<'_, str> {
    let harmful = |c: char| {
        let is_mark = matches!(c, '%' | '[' | ']' | '<' | '>' | ':');
        is_mark || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
    };
    if !name.contains(harmful) {
        return Cow::Borrowed(name);
    }
    let mut safe = String::new();
    for character in name.chars() {
        if harmful(character) {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                safe.push_str(&format!("%{byte:02X}"));
            }
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_legal(name: &str, max_len: usize) -> bool {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        (1..=max_len).contains(&name.len()) && name.chars().all(legal)
    }

    #[test]
    fn a_legal_name_is_its_own_alias_and_another_stays_readable() {
        assert_eq!(alias("AgentA", 64), "AgentA");
        assert!(alias("Odile Marsh", 64).starts_with("Odile_Marsh--"));
    }

    proptest! {
        #[test]
        fn an_alias_is_legal_and_unique(
            left in "\\PC{0,80}|[a-z_-]{0,70}", right in "\\PC{0,80}|[a-z_-]{0,70}",
            max_len in prop::sample::select(vec![24usize, 40, 64]),
        ) {
            let (a, b) = (alias(&left, max_len), alias(&right, max_len));
            prop_assert!(is_legal(&a, max_len) && is_legal(&b, max_len));
            prop_assert_eq!(left == right, a == b);
            prop_assert_ne!(alias(&a, max_len) == a, a.contains(MARK));
        }

        #[test]
        fn a_label_is_unambiguous(left in "\\PC{0,9}|[a:%\\[\\]<\n]{0,6}", right in "\\PC{0,9}|[a:%\\[\\]<\n]{0,6}") {
            let label_of_left = label(&left);
            prop_assert!(!label_of_left.contains([':', '[', ']', '<', '\n']));
            prop_assert_eq!(left == right, label_of_left == label(&right));
        }
    }
}
