//! A vote as a mind gives it: a reason that nobody else reads, and whom it votes out.
//!
//! Minds write votes in many ways. The target may be a number, a number in a text (`3`, `Player 3`,
//! `3号`) or a name, as `vote_number`, `vote_target` or `vote`; the reason is `reason` or
//! `vote_reason`. An answer without JSON that says nothing but a target is a vote as well. Whatever
//! names a player is read by [`Candidates::find`]. A target that can't be voted for fails the
//! check. If no answer passes it, the ballot is an abstention, never a vote that nobody cast.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::ids::PlayerId;
use crate::event::{PromptSet, PromptTemplate};
use crate::exchange::{Reply, Violation, read_json};
use crate::world_data::fold_name;

/// The maximum number of characters of a reason.
const MAX_REASON_CHARS: usize = 4_000;

const NO_TARGET: PromptTemplate<NoTarget> = PromptTemplate::new("undercover/rules/no_target");

/// Somebody was named who can't be chosen.
#[derive(Default, Serialize)]
struct NoTarget<'a> {
    found: &'a str,
    legal: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&NO_TARGET);
}

/// What a player believes somebody to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Guess {
    /// It shares the common word.
    Civilian,
    /// It has the neighbour of the common word.
    Undercover,
    /// It has no word.
    Blank,
    /// Too little is known.
    #[default]
    Unsure,
}

impl<'de> Deserialize<'de> for Guess {
    /// Everything but the known words counts as unsure.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = fold_name(value.as_str().unwrap_or_default());
        Ok(match text.as_str() {
            "civilian" | "平民" => Self::Civilian,
            "undercover" | "spy" | "卧底" => Self::Undercover,
            "blank" | "白板" => Self::Blank,
            _ => Self::Unsure,
        })
    }
}

/// Whom a ballot names.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "PlayerId")]
pub(super) enum Target {
    /// Nobody; a ballot that says nothing.
    #[default]
    Nobody,
    /// A player, by number.
    Number(PlayerId),
    /// A player, by name.
    Name(String),
    /// A whole answer without JSON, which may be nothing but a target.
    Bare(String),
}

impl Target {
    /// What is shown of it when it can't be chosen.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Nobody => String::new(),
            Self::Number(id) => id.to_string(),
            Self::Name(name) | Self::Bare(name) => name.chars().take(40).collect(),
        }
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nobody => serializer.serialize_none(),
            Self::Number(id) => id.serialize(serializer),
            Self::Name(name) | Self::Bare(name) => serializer.serialize_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Number(number) => match number.as_u64().or(whole(number.as_f64())) {
                Some(id) => Self::Number(PlayerId(u32::try_from(id).unwrap_or(u32::MAX))),
                // Negative numbers and fractions are nobody's.
                None => Self::Nobody,
            },
            Value::String(text) => match text.trim() {
                "" => Self::Nobody,
                text => Self::Name(text.to_owned()),
            },
            Value::Null => Self::Nobody,
            other => Self::Name(other.to_string()),
        })
    }
}

fn whole(number: Option<f64>) -> Option<u64> {
    let number = number.filter(|number| number.fract() == 0.0 && (0.0..1e9).contains(number));
    number.map(|number| number as u64)
}

/// What may stand around the target of a vote that is nothing else.
const VOTING: [&str; 16] = [
    "i",
    "vote",
    "votes",
    "voting",
    "for",
    "my",
    "is",
    "goes",
    "to",
    "against",
    "out",
    "the",
    "player",
    "number",
    "vote_number",
    "vote_target",
];
const VOTING_CHARS: &str = "我投票给选的是号玩家第位将";

/// Whether the rest of a text, without the player that it names, says nothing of its own.
fn is_only_a_vote(rest: &str) -> bool {
    let is_mark = |c: char| !(c.is_alphanumeric() || c == '_');
    let mut words = rest.split(is_mark).filter(|word| !word.is_empty());
    words.all(|word| VOTING.contains(&word) || word.chars().all(|c| VOTING_CHARS.contains(c)))
}

/// A text without punctuation and marks around it.
fn without_marks(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Where a word is in a text, not as a part of a longer one; words of ideographs have no ends.
fn find_word(text: &str, word: &str) -> Option<Range<usize>> {
    let is_letter = |c: char| c.is_alphanumeric() && c < '\u{2E80}';
    let continues = |inside: Option<char>, outside: Option<char>| {
        inside.is_some_and(is_letter) && outside.is_some_and(is_letter)
    };
    let mut places = text.match_indices(word).filter(|_| !word.is_empty());
    let (start, _) = places.find(|(start, _)| {
        let (before, after) = (text.get(..*start), text.get(start + word.len()..));
        !continues(
            word.chars().next(),
            before.and_then(|text| text.chars().next_back()),
        ) && !continues(
            word.chars().next_back(),
            after.and_then(|text| text.chars().next()),
        )
    })?;
    Some(start..start + word.len())
}

/// The players who may be chosen.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates(pub(super) Vec<(PlayerId, String)>);

impl Candidates {
    /// The candidate that a target means; `None` if it means nobody, or several.
    pub(super) fn find(&self, target: &Target) -> Option<PlayerId> {
        match target {
            Target::Nobody => None,
            Target::Number(number) => self.numbered(number.0),
            Target::Name(text) => self.meant_by(text).map(|(id, _)| id),
            Target::Bare(text) => {
                let (id, rest) = self.meant_by(text)?;
                is_only_a_vote(&rest).then_some(id)
            }
        }
    }

    /// The candidate that a text means, and what else is in the text.
    fn meant_by(&self, text: &str) -> Option<(PlayerId, String)> {
        let folded = fold_name(text);
        let by_name = |name: &str| {
            let mut named = self.0.iter().filter(|(_, known)| fold_name(known) == name);
            named.next().map(|(id, _)| (*id, String::new()))
        };
        if let Some(named) = by_name(&folded).or_else(|| by_name(without_marks(&folded))) {
            return Some(named);
        }
        // Names may contain each other: the longest are looked for first.
        let mut names: Vec<_> = self.0.iter().collect();
        names.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
        let (mut found, mut rest) = (Vec::new(), folded);
        for (id, name) in names {
            while let Some(range) = find_word(&rest, &fold_name(name)) {
                rest.replace_range(range, " ");
                found.push(*id);
            }
        }
        let negative = rest.strip_prefix('-').unwrap_or_default();
        if negative.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        // As in "Player 3", "3号" or "3 (Cleo)".
        let digits = rest.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<_> = digits.filter(|digits| !digits.is_empty()).collect();
        for digits in &numbers {
            found.push(self.numbered(digits.parse().ok()?)?);
        }
        let first = *found.first()?;
        let rest = rest.replace(|c: char| c.is_ascii_digit(), " ");
        found.iter().all(|id| *id == first).then_some((first, rest))
    }

    fn numbered(&self, number: u32) -> Option<PlayerId> {
        let mut ids = self.0.iter().map(|(id, _)| *id);
        ids.find(|id| id.0 == number)
    }

    /// The violation of naming nobody of them.
    pub(super) fn not_found(&self, path: String, found: &str, rule: &str) -> Violation {
        let candidates = self.0.iter();
        let legal: Vec<_> = candidates
            .map(|(id, name)| format!("{id} ({name})"))
            .collect();
        let legal = &legal.join(", ");
        let violation = Violation::new(path, format!("{rule}: {legal}"));
        violation.with_template(&NO_TARGET, &NoTarget { found, legal })
    }
}

/// A vote with its reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Ballot {
    /// What you make of every other player and of yourself; nobody else reads it.
    #[serde(default, alias = "vote_reason")]
    pub(super) reason: String,
    /// What you take yourself for.
    #[serde(default)]
    pub(super) i_am: Guess,
    /// The number of the player you vote out.
    #[serde(default, alias = "vote_target", alias = "vote")]
    pub(super) vote_number: Target,
    /// Whether it is an abstention that code wrote, because no answer passed.
    #[serde(skip)]
    #[schemars(skip)]
    abstains: bool,
}

impl Ballot {
    /// The default answer: no vote.
    pub(super) fn abstention() -> Self {
        Self {
            abstains: true,
            ..Self::default()
        }
    }

    /// Whom it votes out.
    pub(super) fn target(&self, candidates: &Candidates) -> Option<PlayerId> {
        candidates.find(&self.vote_number)
    }
}

impl Reply for Ballot {
    type Constraints = Candidates;
    const NAME: &'static str = "ballot";
    // A vote with anything else in it may mean something else.
    const CORRECTS_JSON: bool = false;

    fn constrain_schema(_schema: &Value, candidates: &Candidates) -> Option<Value> {
        let numbers: Vec<_> = candidates.0.iter().map(|(id, _)| id).collect();
        Some(json!({
            "type": "object",
            "properties": {
                "reason": {"type": "string", "minLength": 1, "maxLength": MAX_REASON_CHARS},
                "i_am": {"type": "string", "enum": ["civilian", "undercover", "blank", "unsure"]},
                "vote_number": {"type": "integer", "enum": numbers},
            },
            "required": ["reason", "i_am", "vote_number"],
            "additionalProperties": false,
        }))
    }

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        // A number is JSON, but no object.
        match raw.trim() {
            text if text.is_empty() || text.contains(['{', '[']) => read_json(raw),
            text => Ok(Self {
                vote_number: Target::Bare(text.to_owned()),
                ..Self::default()
            }),
        }
    }

    fn check(&self, candidates: &Candidates) -> Vec<Violation> {
        let mut violations = Vec::new();
        if !self.abstains && self.target(candidates).is_none() {
            let found = self.vote_number.shown();
            let rule = format!("'{found}' can't be voted for; choose one number");
            violations.push(candidates.not_found("vote_number".into(), &found, &rule));
        }
        violations.extend(Violation::too_long(
            "reason",
            &self.reason,
            MAX_REASON_CHARS,
        ));
        violations
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidates() -> Candidates {
        let players = [(2, "Bob"), (3, "Cleo"), (12, "沈七")];
        Candidates(players.map(|(id, name)| (PlayerId(id), name.into())).into())
    }

    fn vote(text: &str) -> Option<u32> {
        let ballot = Ballot::read(text).ok()?;
        let violations = ballot.check(&candidates());
        let target = ballot.target(&candidates());
        violations.is_empty().then(|| target.unwrap().0)
    }

    #[test]
    fn a_vote_is_read_however_it_is_written() {
        for text in [
            r#"{"reason": "…", "vote_number": 3}"#,
            r#"{"reason": "…", "vote_number": 3.0}"#,
            r#"{"reason": "…", "vote_number": "3"}"#,
            r#"{"vote_reason": "…", "vote_target": " 3 "}"#,
            r#"{"reason": "…", "vote": "Player 3"}"#,
            r#"{"reason": "…", "vote_number": "3号"}"#,
            r#"{"reason": "…", "vote_number": "cleo"}"#,
            r#"{"reason": "…", "vote_number": "I vote for Ｃleo!"}"#,
            "I think so:\n```json\n{\"reason\": \"…\", \"vote_number\": 3, \"i_am\": \"卧底\"}\n```",
            r#"{"vote_number": 3}"#,
            r#"{"reason": "…", "vote_number": "3 (Cleo)"}"#,
            "3",
            " 3. ",
            "Player 3",
            "**Player 3**",
            "3号玩家",
            "我投3号",
            "- 3",
            "Cleo",
            "“cleo”",
            "Cleo (3)",
            "I vote for Cleo.",
            "```\n3\n```",
        ] {
            assert_eq!(vote(text), Some(3), "{text}");
        }
        for text in [
            r#"{"vote_number": "沈七"}"#,
            "沈七",
            "我投给沈七。",
            "12",
            "I vote Player 12",
        ] {
            assert_eq!(vote(text), Some(12), "{text}");
        }
    }

    #[test]
    fn what_names_nobody_is_no_vote() {
        for text in [
            "",
            "{}",
            "1",
            "-3",
            "3.5",
            "7",
            "not 3",
            "不投3号",
            "Bob or Cleo",
            "Cleopatra",
            "Cleo is innocent, if you ask me.",
            "2 (Cleo)",
            "nobody",
            r#"{"vote_number": "2 (Cleo)"}"#,
            r#"{"vote_number": "Cleopatra"}"#,
            r#"{"vote_number": null}"#,
            r#"{"vote_number": 1}"#,
            r#"{"vote_number": -3}"#,
            r#"{"vote_number": 3.5}"#,
            r#"{"vote_number": 99999999999999999999}"#,
            r#"{"vote_number": "2 or 3"}"#,
            r#"{"vote_number": "Bob and Cleo"}"#,
            r#"{"vote_number": [3]}, no, 2"#,
            r#"{"vote_number": {"id": 3, "or": 2}}"#,
            r#"{"vote_number": true}"#,
            r#"{"reason": 5, "vote_number": 3}"#,
            r#"{"vote_number": 3, "vote_target": 2}"#,
            r#"{"vote_number": 3"#,
        ] {
            let read = vote(text);
            // A list of one number names one player.
            assert!(read.is_none() || text.contains('['), "{text}: {read:?}");
        }
    }

    #[test]
    fn only_code_abstains() {
        assert!(Ballot::abstention().check(&candidates()).is_empty());
        let copied = Ballot::read(&Ballot::abstention().to_text()).unwrap();
        assert!(!copied.check(&candidates()).is_empty());
    }

    #[test]
    fn a_guess_is_read_in_both_languages() {
        let read = |text: &str| serde_json::from_str::<Guess>(text).unwrap();
        assert_eq!(read("\"Undercover\""), Guess::Undercover);
        assert_eq!(read("\"平民\""), Guess::Civilian);
        assert_eq!(read("7"), Guess::Unsure);
    }

    proptest! {
        #[test]
        fn whatever_passes_is_legal(text in "\\PC{0,24}") {
            for target in [Target::Name(text.clone()), Target::Bare(text)] {
                let ballot = Ballot { vote_number: target, ..Ballot::default() };
                if ballot.check(&candidates()).is_empty() {
                    prop_assert!(ballot.target(&candidates()).is_some());
                }
            }
        }
    }
}
