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

/// Encodes a name for the name of a tool, which providers restrict to ASCII: letters, digits, `-`
/// and `_` stay, and any other character becomes `_x`, its code point in hexadecimal, and `_`. So
/// does a `_` that would be taken for the beginning of that. [`decode_name`] reverses it.
fn encode_name(name: &str) -> String {
    let mut encoded = String::new();
    for character in name.chars().rev() {
        let is_plain = match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => true,
            '_' => escaped(&format!("_{encoded}")).is_none(),
            _ => false,
        };
        encoded = if is_plain {
            format!("{character}{encoded}")
        } else {
            format!("_x{:x}_{encoded}", u32::from(character))
        };
    }
    encoded
}

/// The character that is encoded at the beginning of a text, and what follows it.
fn escaped(text: &str) -> Option<(char, &str)> {
    let (number, after) = text.strip_prefix("_x")?.split_once('_')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(number, 16).ok().filter(|_| is_number)?;
    Some((char::from_u32(number)?, after))
}

/// The prefix of the tools that hand over to another participant.
pub(super) const TRANSFER: &str = "transfer_to_";

/// The name of the tool that hands over to `target`.
pub(super) fn transfer_tool(target: &str) -> String {
    format!("{TRANSFER}{}", encode_name(&target.to_lowercase()))
}

/// The name that [`encode_name`] encoded.
pub(super) fn decode_name(encoded: &str) -> String {
    let mut name = String::new();
    let mut rest = encoded;
    while let Some(next) = rest.chars().next() {
        let (next, after) = escaped(rest).unwrap_or((next, &rest[next.len_utf8()..]));
        name.push(next);
        rest = after;
    }
    name
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

    #[test]
    fn names_of_tools_are_those_that_people_read_as_far_as_providers_allow() {
        for (target, tool) in [
            ("Travel_Agent", "transfer_to_travel_agent"),
            ("fix_xml_9", "transfer_to_fix_xml_9"),
            ("a_x41_b", "transfer_to_a_x5f_x41_b"),
            ("订票", "transfer_to__x8ba2__x7968_"),
        ] {
            assert_eq!(transfer_tool(target), tool);
            let encoded = tool.strip_prefix(TRANSFER).unwrap_or_default();
            assert_eq!(decode_name(encoded), target.to_lowercase());
        }
    }

    proptest! {
        #[test]
        fn encoded_names_are_ascii_and_can_be_decoded(name in "(\\PC|_x?[0-9a-f]?){1,20}") {
            let encoded = encode_name(&name);
            prop_assert!(encoded.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
            prop_assert_eq!(decode_name(&encoded), name);
        }
    }
}
