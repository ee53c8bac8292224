//! What a player believes of everybody and of itself; nobody else reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ballot::{Candidates, Guess, Target};
use crate::exchange::{Reply, Violation};

/// The longest ground that is kept, in characters.
const LONGEST_WHY: usize = 600;

/// What is believed of one other player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BeliefOf {
    /// The other player's number.
    #[serde(alias = "player_id", alias = "id")]
    pub player: Target,
    /// What you take it for.
    #[serde(default, alias = "role")]
    pub is: Guess,
    /// Why, in a few words.
    #[serde(default)]
    pub why: String,
}

/// What a player believes of everybody and of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Belief {
    /// What you take each of the others for.
    #[serde(default)]
    pub players: Vec<BeliefOf>,
    /// What you take yourself for.
    #[serde(default)]
    pub i_am: Guess,
    /// Why, in a few words.
    #[serde(default)]
    pub why: String,
}

impl Reply for Belief {
    /// The others who are still in the game.
    type Constraints = Candidates;
    const NAME: &'static str = "belief";

    fn constrain_schema(_schema: &Value, facts: &Candidates) -> Option<Value> {
        let numbers: Vec<_> = facts.0.iter().map(|(id, _)| id).collect();
        let guess =
            json!({"type": "string", "enum": ["civilian", "undercover", "blank", "unsure"]});
        let why = json!({"type": "string", "maxLength": LONGEST_WHY});
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

    fn check(&self, facts: &Candidates) -> Vec<Violation> {
        let mut broken = Vec::new();
        for (at, belief) in self.players.iter().enumerate() {
            if facts.find(&belief.player).is_none() {
                let rule = format!("name one of the others: {}", facts.shown());
                let path = format!("players[{at}].player");
                let facts = json!({"found": belief.player, "legal": facts.shown()});
                broken.push(Violation::new(path, rule).said("undercover/rules/no_target", facts));
            }
        }
        let whys = self.players.iter().map(|belief| &belief.why);
        let longest = whys.chain([&self.why]).map(|why| why.chars().count()).max();
        if let Some(length) = longest.filter(|length| *length > LONGEST_WHY) {
            let rule = format!("at most {LONGEST_WHY} characters; this has {length}");
            let facts = json!({"most": LONGEST_WHY, "length": length});
            broken.push(Violation::new("why", rule).said("rules/too_long", facts));
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::PlayerId;
    use super::*;

    #[test]
    fn beliefs_are_about_those_who_play() {
        let others = Candidates(vec![(PlayerId(2), "Bob".into())]);
        let read = |text: &str| Belief::read(text).unwrap().check(&others).len();
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
        assert!(Belief::default().check(&others).is_empty());
    }
}
