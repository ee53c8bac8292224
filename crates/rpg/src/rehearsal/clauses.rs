//! Clauses that are worded again in the same run.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::statistics::Share;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A clause counts from this many words.
const WORDS: usize = 4;
/// This many Chinese characters are about [`WORDS`] words.
const CHARACTERS: usize = 6;

/// The kinds of texts that minds word.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// What is said, whispered and announced.
    Speech,
    Thought,
    Card,
    Narration,
    /// Summaries of days and fights.
    Memory,
}

/// The clauses of one run, by kind of text.
#[derive(Default)]
pub(super) struct Clauses(BTreeMap<Wording, Worded>);

#[derive(Default)]
struct Worded {
    known: BTreeSet<String>,
    repeated: Share,
}

impl Clauses {
    pub(super) fn note(&mut self, wording: Wording, text: &str) {
        let worded = self.0.entry(wording).or_default();
        for clause in clauses(text) {
            let is_new = worded.known.insert(clause);
            worded.repeated.count(!is_new);
        }
    }

    /// The share of clauses that had been worded before.
    pub(super) fn repeated(self) -> BTreeMap<Wording, Share> {
        let shares = self.0.into_iter();
        shares
            .map(|(wording, worded)| (wording, worded.repeated))
            .collect()
    }
}

/// The clauses of a text that are long enough to count, in lower case.
fn clauses(text: &str) -> impl Iterator<Item = String> {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '’' | '-');
    let parts = text.split(move |c: char| !joins(c)).map(str::trim);
    parts.filter(|part| is_long(part)).map(str::to_lowercase)
}

fn is_long(clause: &str) -> bool {
    let ideographs = clause.chars().filter(|c| *c >= '\u{2e80}').count();
    let words = clause.split_whitespace().filter(|word| word.is_ascii());
    ideographs * WORDS + words.count() * CHARACTERS >= WORDS * CHARACTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_end_at_punctuation_and_short_ones_do_not_count() {
        let found = |text| clauses(text).collect::<Vec<_>>();
        assert_eq!(
            found("No. I don’t know the way — “The sea has it now”, she said."),
            ["i don’t know the way", "the sea has it now"]
        );
        assert_eq!(found("走吧，灯船上没有人了。谁去？"), ["灯船上没有人了"]);
        assert_eq!(found("佟九指 has 3 lamps"), ["佟九指 has 3 lamps"]);
    }

    #[test]
    fn only_what_was_worded_before_is_repeated() {
        let mut clauses = Clauses::default();
        clauses.note(Wording::Speech, "The sea has it now. Leave me be, Jory.");
        clauses.note(Wording::Memory, "The sea has it now.");
        clauses.note(Wording::Speech, "the sea has it now! I never saw the lamp.");
        let repeated = clauses.repeated();
        assert_eq!(repeated[&Wording::Speech], Share { hits: 1, of: 3 });
        assert_eq!(repeated[&Wording::Memory], Share { hits: 0, of: 1 });
    }
}
