//! Finding participants' names in text of any language, and encoding them for names of tools.

use std::collections::BTreeMap;

use playhouse_engine::reading::{Meant, Offers};

/// Words around the name of the one who speaks next.
pub(super) const FILLERS: [&str; 7] = [
    "speaker",
    "speak",
    "speaks",
    "next_speaker",
    "发",
    "言",
    "人",
];

/// Whom of these a text names: as written, or else the one that is meant, however it is written.
pub(super) fn named<'a>(text: &str, names: &[&'a str]) -> Vec<&'a str> {
    let found: Vec<_> = mentions(text, names).into_keys().collect();
    if !found.is_empty() {
        return found;
    }
    let offers = Offers::of_names(names.iter().copied()).with_fillers(&FILLERS);
    let found = match offers.meant(text) {
        Meant::One(index) => vec![index],
        Meant::Several(several) => several,
        Meant::Nothing => offers.mentioned(text),
    };
    found
        .into_iter()
        .filter_map(|index| names.get(index).copied())
        .collect()
}

/// How often each name occurs in a text.
///
/// If several names start at the same place, the longest counts. A name must be a whole word (`Bob`
/// does not occur in `Bobby`), except in scripts without spaces. `Story writer` and `Story\_writer`
/// also match `Story_writer`.
pub fn mentions<'a>(text: &str, names: &[&'a str]) -> BTreeMap<&'a str, usize> {
    let mut spellings: Vec<(String, &'a str)> = names
        .iter()
        .flat_map(|name| spellings(name).into_iter().map(move |text| (text, *name)))
        .collect();
    // The longest first.
    spellings.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then(a.cmp(b)));
    let mut found = BTreeMap::new();
    let mut before = None;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let hit = spellings.iter().find(|(text, _)| {
            rest.strip_prefix(text.as_str()).is_some_and(|after| {
                is_word_boundary(before, text.chars().next())
                    && is_word_boundary(after.chars().next(), text.chars().next_back())
            })
        });
        let length = match hit {
            Some((text, name)) => {
                *found.entry(*name).or_default() += 1;
                text.len()
            }
            None => next.len_utf8(),
        };
        let (read, after) = rest.split_at(length);
        before = read.chars().next_back();
        rest = after;
    }
    found
}

/// The ways in which a model may write a name.
fn spellings(name: &str) -> Vec<String> {
    let mut spellings = vec![name.to_owned()];
    if name.contains('_') {
        spellings.push(name.replace('_', " "));
        spellings.push(name.replace('_', "\\_"));
    }
    spellings
}

/// Whether a name may end between its first or last character and the one outside.
fn is_word_boundary(outside: Option<char>, inside: Option<char>) -> bool {
    let in_word = |character: char| {
        (character.is_alphanumeric() && !is_ideograph(character)) || character == '_'
    };
    !(outside.is_some_and(in_word) && inside.is_some_and(in_word))
}

/// Whether a character belongs to a script that is written without spaces.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Encodes a name for the name of a tool, which providers restrict to ASCII: letters, digits and
/// `-` stay, `_` is doubled, and any other character becomes `_x`, its code point in hexadecimal,
/// and `_`. [`decode_name`] reverses it.
fn encode_name(name: &str) -> String {
    let mut encoded = String::new();
    for character in name.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => encoded.push(character),
            '_' => encoded.push_str("__"),
            other => encoded.push_str(&format!("_x{:x}_", u32::from(other))),
        }
    }
    encoded
}

/// The prefix of the tools that hand over to another participant.
pub(super) const TRANSFER: &str = "transfer_to_";

/// The name of the tool that hands over to `target`.
pub(super) fn transfer_tool(target: &str) -> String {
    format!("{TRANSFER}{}", encode_name(&target.to_lowercase()))
}

/// The name that [`encode_name`] encoded; `None` if the text is no such encoding.
pub(super) fn decode_name(encoded: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = encoded;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("__") {
            name.push('_');
            rest = after;
        } else if let Some(after) = rest.strip_prefix("_x") {
            let (number, after) = after.split_once('_')?;
            name.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
            rest = after;
        } else {
            name.push(next);
            rest = rest.get(next.len_utf8()..)?;
        }
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, names: &[&str]) -> Vec<(String, usize)> {
        let found = mentions(text, names);
        found
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n))
            .collect()
    }

    #[test]
    fn names_end_where_words_end() {
        assert_eq!(found("Story writer", &["Story_writer"]).len(), 1);
        assert_eq!(found("Story\\_writer", &["Story_writer"]).len(), 1);
        assert_eq!(found("Bobby", &["Bob"]), []);
        assert_eq!(found("Bob!", &["Bob"]).len(), 1);
        assert_eq!(found("b", &["B"]), []);
        let counted = found("A and B, A. Alpha B_", &["A", "B"]);
        assert_eq!(counted, [("A".to_owned(), 2), ("B".to_owned(), 1)]);
    }

    #[test]
    fn names_are_found_in_text_without_spaces_and_the_longest_counts() {
        let names = ["布兰", "艾娃", "艾娃娜"];
        assert_eq!(found("下一个是艾娃。", &names), [("艾娃".to_owned(), 1)]);
        assert_eq!(found("艾娃娜", &names), [("艾娃娜".to_owned(), 1)]);
        assert_eq!(found("「艾娃」", &names), [("艾娃".to_owned(), 1)]);
        assert_eq!(found("下一个是Bob。", &["Bob"]), [("Bob".to_owned(), 1)]);
    }

    proptest! {
        #[test]
        fn encoded_names_are_ascii_and_can_be_decoded(name in "\\PC{1,20}") {
            let encoded = encode_name(&name);
            prop_assert!(encoded.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
            prop_assert_eq!(decode_name(&encoded), Some(name));
        }
    }
}
