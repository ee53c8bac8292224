//! Finding participants' names in what a mind wrote, in any language.

use std::collections::BTreeMap;

/// How often each of these names stands in a text. Of several names that begin at one place the longest
/// counts. Letters of alphabets must end where the name ends (`Bob` is not in `Bobby`); scripts without
/// spaces have no such border. `Story writer` and `Story\_writer` are `Story_writer` too.
pub fn mentions<'a>(text: &str, names: &[&'a str]) -> BTreeMap<&'a str, usize> {
    let mut forms: Vec<(String, &'a str)> = names
        .iter()
        .flat_map(|name| forms(name).into_iter().map(move |form| (form, *name)))
        .collect();
    forms.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then(one.cmp(other)));
    let mut found = BTreeMap::new();
    let mut before = None;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let hit = forms.iter().find(|(form, _)| {
            rest.strip_prefix(form.as_str()).is_some_and(|after| {
                let borders = [
                    (before, form.chars().next()),
                    (after.chars().next(), form.chars().next_back()),
                ];
                borders
                    .iter()
                    .all(|(outside, inside)| is_border(*outside, *inside))
            })
        });
        let length = match hit {
            Some((form, name)) => {
                *found.entry(*name).or_default() += 1;
                form.len()
            }
            None => next.len_utf8(),
        };
        let (read, after) = rest.split_at(length);
        before = read.chars().next_back();
        rest = after;
    }
    found
}

/// The ways in which a mind may write a name.
fn forms(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    if name.contains('_') {
        forms.push(name.replace('_', " "));
        forms.push(name.replace('_', "\\_"));
    }
    forms
}

/// Whether a name may end between its last letter and the character outside.
fn is_border(outside: Option<char>, inside: Option<char>) -> bool {
    let in_word = |character: char| {
        (character.is_alphanumeric() && !is_ideograph(character)) || character == '_'
    };
    !(outside.is_some_and(in_word) && inside.is_some_and(in_word))
}

/// Whether a character belongs to a script that is written without spaces.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A name as every provider takes it in the name of a tool: ASCII letters and digits stay, any other
/// character becomes `_x` and its number in hexadecimal, ended by `_`; `_` is doubled. Unique, and
/// [`from_wire`] reads it back.
pub fn to_wire(name: &str) -> String {
    let mut wire = String::new();
    for character in name.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => wire.push(character),
            '_' => wire.push_str("__"),
            other => wire.push_str(&format!("_x{:x}_", u32::from(other))),
        }
    }
    wire
}

/// How the names of tools begin that give the word to somebody.
pub(super) const TRANSFER: &str = "transfer_to_";

/// The name that [`to_wire`] wrote; nothing where it wrote none such.
pub fn from_wire(wire: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = wire;
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
        fn wire_names_are_ascii_and_read_back(name in "\\PC{1,20}") {
            let wire = to_wire(&name);
            prop_assert!(wire.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
            prop_assert_eq!(from_wire(&wire), Some(name));
        }
    }
}
