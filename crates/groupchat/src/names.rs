//! Finding participants' names in text of any language, and the tools that are named after them.

use std::collections::BTreeMap;

use playhouse_engine::message::Digest;
use playhouse_engine::reading::{Meant, Offers};
use playhouse_tools::is_legal;

/// Words around the name of the one who speaks next.
pub(super) const FILLERS: [&str; 7] = [
    "speaker", "speak", "speaks", "next_speaker", "发", "言", "人",
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

/// The name of the tool that hands over to `target`. Models and people read the same. A name that
/// some provider would refuse, such as a Chinese one, is a digest; the tool says to whom it leads.
pub(super) fn transfer_tool(target: &str) -> String {
    let target = target.to_lowercase().replace(' ', "_");
    let name = format!("transfer_to_{target}");
    if is_legal(&name) {
        return name;
    }
    let mark = Digest::of(target.as_bytes()).to_string();
    format!("transfer_to_{}", &mark[..8])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_target_has_a_tool_that_every_provider_accepts() {
        for (target, tool) in [
            ("Travel_Agent", "transfer_to_travel_agent"),
            ("Local Guide", "transfer_to_local_guide"),
            ("fix_xml_9", "transfer_to_fix_xml_9"),
        ] {
            assert_eq!(transfer_tool(target), tool);
        }
        let mut tools = BTreeSet::new();
        for target in ["订票", "数据分析与可视化工程师", &"a".repeat(64), "Å"] {
            let tool = transfer_tool(target);
            assert!(is_legal(&tool), "{tool}");
            assert!(tools.insert(tool));
        }
    }
}
