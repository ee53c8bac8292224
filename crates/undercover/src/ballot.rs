//! A vote as a mind gives it: a reason that nobody else reads, and whom it votes out.
//!
//! The target may be a number or a name, in whatever words; an answer without JSON that says
//! nothing else is a vote as well. A target that can't be voted for fails the check. If no answer
//! passes it, the ballot is an abstention, never a vote that nobody cast.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::memory::Words;
use playhouse_engine::reading::OtherNames;
use playhouse_engine::reading::names::REASON;
use playhouse_engine::wording::fold_name;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::ids::PlayerId;

/// The maximum number of characters of a reason.
const MAX_REASON_CHARS: usize = 4_000;

/// Words around a vote.
const FILLERS: [&str; 10] = [
    "vote", "votes", "voting", "vote_number", "vote_target", "player", "投", "票", "玩", "家",
];

/// A player was named who can't be chosen.
#[derive(Serialize, Prompt)]
#[prompt("undercover/rules/no_target")]
pub(super) struct NoTarget<'a> {
    found: &'a str,
    legal: &'a str,
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

/// The players who may be chosen.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates(pub(super) Vec<(PlayerId, String)>);

impl Candidates {
    /// Whether this player may be chosen.
    pub(super) fn has(&self, player: PlayerId) -> bool {
        self.0.iter().any(|(id, _)| *id == player)
    }

    /// The violation of naming none of them.
    pub(super) fn not_found(&self, path: String, found: &str, rule: &str) -> Violation {
        let candidates = self.0.iter();
        let legal: Vec<_> = candidates
            .map(|(id, name)| format!("{id} ({name})"))
            .collect();
        let legal = &legal.join(", ");
        Violation::new(path, format!("{rule}: {legal}")).with_prompt(&NoTarget { found, legal })
    }
}

/// A vote with its reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Ballot {
    /// What you make of every other player and of yourself; nobody else reads it.
    #[serde(default)]
    pub(super) reason: String,
    /// What you take yourself for.
    #[serde(default)]
    pub(super) i_am: Guess,
    /// The number of the player you vote out.
    #[serde(default)]
    #[schemars(with = "PlayerId")]
    pub(super) vote_number: Option<PlayerId>,
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
}

impl Reply for Ballot {
    type Constraints = Candidates;
    const NAME: &'static str = "ballot";
    const OTHER_NAMES: OtherNames = &[
        ("reason", REASON),
        ("reason", &["vote_reason"]),
        ("vote_number", &["vote", "vote_for", "vote_target", "voted"]),
    ];
    const FILLERS: &'static [&'static str] = &FILLERS;
    const BARE_MEMBER: Option<&'static str> = Some("vote_number");
    const WORDS: &'static [Words] = &[Words::Thought("/reason")];
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &["reason", "i_am"];

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

    fn check(&self, candidates: &Candidates) -> Vec<Violation> {
        let mut violations = Vec::new();
        let legal = self.vote_number.filter(|player| candidates.has(*player));
        if !self.abstains && legal.is_none() {
            let found = self
                .vote_number
                .map(|player| player.to_string())
                .unwrap_or_default();
            let rule = format!("'{found}' can't be voted for; choose one number");
            violations.push(candidates.not_found("vote_number".into(), &found, &rule));
        }
        violations.extend(Violation::too_long(
            "reason", &self.reason, MAX_REASON_CHARS,
        ));
        violations
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use bevy_ecs::prelude::*;
    use playhouse_engine::context::AgentContext;
    use playhouse_engine::exchange::{Ask, register_reply};
    use playhouse_engine::memory::{AnswerWords, conversation_texts};
    use playhouse_engine::message::Body;

    fn ask() -> Ask<Ballot> {
        let players = [(2, "Bob"), (3, "Cleo"), (12, "沈七")];
        let candidates = Candidates(players.map(|(id, name)| (PlayerId(id), name.into())).into());
        let question = "You can vote for:\n- 2 Bob\n- 3 Cleo\n- 12 沈七\n";
        Ask::new("vote", question, candidates, Ballot::abstention())
    }

    fn vote(text: &str) -> Option<u32> {
        let ballot = ask().read(text).ok()?;
        Some(ballot.vote_number.unwrap().0)
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
            r#"{"vote_number": 3, "vote_target": 2}"#,
            r#"{"vote_number": 3"#,
        ] {
            let read = vote(text);
            // A list of one number names one player.
            assert!(read.is_none() || text.contains('['), "{text}: {read:?}");
        }
    }

    #[test]
    fn a_reason_is_remembered_as_a_thought_and_not_as_said() {
        let mut world = World::new();
        register_reply::<Ballot>(&mut world);
        let mut context = AgentContext::new("Ann");
        let ballot = r#"{"reason": "Bob means a cow.", "i_am": "civilian", "vote_number": 2}"#;
        context.add_ai_message([Body::text(ballot)]).unwrap();
        let told = conversation_texts(&context, world.resource::<AnswerWords>());
        // What is said stands in quotation marks.
        assert_eq!(told.collect::<Vec<_>>(), ["Bob means a cow."]);
    }

    #[test]
    fn only_code_abstains() {
        let candidates = ask().constraints().clone();
        assert!(Ballot::abstention().check(&candidates).is_empty());
        assert_eq!(vote(&Ballot::abstention().to_text()), None);
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
            let json = json!({"vote_number": text}).to_string();
            for player in [vote(&text), vote(&json)].into_iter().flatten() {
                prop_assert!([2, 3, 12].contains(&player));
            }
        }
    }
}
