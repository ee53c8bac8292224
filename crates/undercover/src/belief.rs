//! What a player believes of everybody and of itself; nobody else reads it.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::reading::OtherNames;
use playhouse_engine::reading::names::REASON;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ballot::{Candidates, Guess};
use super::ids::PlayerId;

/// The maximum number of characters of a reason.
const MAX_WHY_CHARS: usize = 600;

/// What is believed of one other player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct BeliefOf {
    /// The other player's number.
    pub(super) player: PlayerId,
    /// What you take it for.
    #[serde(default)]
    pub(super) is: Guess,
    /// Why, in a few words.
    #[serde(default)]
    pub(super) why: String,
}

/// What a player believes of everybody and of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Belief {
    /// What you take each of the others for.
    #[serde(default)]
    pub(super) players: Vec<BeliefOf>,
    /// What you take yourself for.
    #[serde(default)]
    pub(super) i_am: Guess,
    /// Why, in a few words.
    #[serde(default)]
    pub(super) why: String,
}

impl Reply for Belief {
    /// The others who are still in the game.
    type Constraints = Candidates;
    const NAME: &'static str = "belief";
    const OTHER_NAMES: OtherNames = &[
        ("why", REASON),
        ("is", &["role", "guess"]),
        ("player", &["player_id", "id", "number"]),
    ];
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &["i_am", "players.is"];

    fn constrain_schema(_schema: &Value, candidates: &Candidates) -> Option<Value> {
        let numbers: Vec<_> = candidates.0.iter().map(|(id, _)| id).collect();
        let guess =
            json!({"type": "string", "enum": ["civilian", "undercover", "blank", "unsure"]});
        let why = json!({"type": "string", "maxLength": MAX_WHY_CHARS});
        Some(json!({
            "type": "object",
            "properties": {
                "players": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "player": {"type": "integer", "enum": numbers}, "is": guess, "why": why,
                        },
                        "required": ["player", "is"],
                        "additionalProperties": false,
                    },
                    "maxItems": numbers.len(),
                },
                "i_am": guess,
                "why": why,
            },
            "required": ["players", "i_am"],
            "additionalProperties": false,
        }))
    }

    fn check(&self, candidates: &Candidates) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (index, belief) in self.players.iter().enumerate() {
            if !candidates.has(belief.player) {
                let path = format!("players[{index}].player");
                let found = belief.player.to_string();
                violations.push(candidates.not_found(path, &found, "name one of the others"));
            }
        }
        let reasons = self
            .players
            .iter()
            .map(|belief| &belief.why)
            .chain([&self.why]);
        if let Some(longest) = reasons.max_by_key(|why| why.chars().count()) {
            violations.extend(Violation::too_long("why", longest, MAX_WHY_CHARS));
        }
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::exchange::Ask;

    #[test]
    fn beliefs_are_about_those_who_play() {
        let others = Candidates(vec![(PlayerId(2), "Bob".into())]);
        let question = "Still in the game:\n- 2 Bob\n";
        let ask = Ask::new("belief", question, others, Belief::default());
        let read = |text: &str| ask.read(text).err().unwrap_or_default().len();
        assert_eq!(
            read(r#"{"players": [{"player": 2, "is": "undercover"}], "i_am": "civilian"}"#),
            0
        );
        assert_eq!(
            read(r#"{"players": [{"player_id": "Bob", "role": "卧底"}]}"#),
            0
        );
        assert_eq!(
            read(r#"{"players": [{"player": 7}, {"player": "Eve"}]}"#),
            2
        );
        assert!(Belief::default().check(ask.constraints()).is_empty());
    }
}
