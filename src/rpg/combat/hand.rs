//! What a mind answers when it draws: one card for each skill in its hand.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::exchange::{Reply, Violation};

/// The most characters of a card's name.
pub const NAME_CHARS: usize = 40;
/// The most characters of a card's description.
pub const DESCRIPTION_CHARS: usize = 300;

/// The cards of one round, in the order in which their mind would play them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hand {
    /// One card for each skill in hand, the most wanted first.
    pub cards: Vec<Card>,
}

/// A skill as its mind means to use it now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The skill, by name.
    pub skill: String,
    /// What the mind calls this move.
    pub name: String,
    /// How it looks, in a sentence.
    pub description: String,
    /// On whom, the most wanted first.
    pub targets: Vec<String>,
}

/// A skill in hand and on whom it may be used, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legal {
    /// The skill's name.
    pub skill: Arc<str>,
    /// Its legal targets, best first by the rules' own measure.
    pub targets: Vec<Arc<str>>,
}

impl Reply for Hand {
    type Constraints = Vec<Legal>;
    const NAME: &'static str = "hand";

    fn constrain_schema(schema: &Value, hand: &Vec<Legal>) -> Option<Value> {
        let mut schema = schema.clone();
        let skills: Vec<_> = hand.iter().map(|legal| &legal.skill).collect();
        let mut targets: Vec<_> = hand.iter().flat_map(|legal| &legal.targets).collect();
        let mut seen = std::collections::BTreeSet::new();
        targets.retain(|name| seen.insert(*name));
        let card = "/properties/cards/items/properties";
        let limits = [
            (
                "/properties/cards".to_owned(),
                json!({"minItems": hand.len(), "maxItems": hand.len()}),
            ),
            (format!("{card}/skill"), json!({"enum": skills})),
            (
                format!("{card}/name"),
                json!({"minLength": 1, "maxLength": NAME_CHARS}),
            ),
            (
                format!("{card}/description"),
                json!({"minLength": 1, "maxLength": DESCRIPTION_CHARS}),
            ),
            (format!("{card}/targets"), json!({"minItems": 1})),
            (format!("{card}/targets/items"), json!({"enum": targets})),
        ];
        for (path, limit) in limits {
            if let (Some(Value::Object(part)), Value::Object(limit)) =
                (schema.pointer_mut(&path), limit)
            {
                part.extend(limit);
            }
        }
        Some(schema)
    }

    fn check(&self, hand: &Vec<Legal>) -> Vec<Violation> {
        let mut broken = Vec::new();
        for (at, card) in self.cards.iter().enumerate() {
            let path = |member: &str| format!("cards[{at}].{member}");
            broken.extend(too_long(path("name"), &card.name, NAME_CHARS));
            broken.extend(too_long(
                path("description"),
                &card.description,
                DESCRIPTION_CHARS,
            ));
            if card.name.contains(char::is_control) {
                let rule = Violation::new(path("name"), "a name is a single line");
                broken.push(rule.said("rules/one_line", json!({})));
            }
            match hand.iter().find(|legal| *legal.skill == *card.skill) {
                Some(legal) => broken.extend(illegal_targets(at, card, legal)),
                None => {
                    let rule = format!(
                        "'{}' is not in your hand, which holds: {}",
                        card.skill,
                        skills(hand)
                    );
                    let facts = json!({"skill": card.skill, "hand": skills(hand)});
                    let rule = Violation::new(path("skill"), rule);
                    broken.push(rule.said("rules/not_in_hand", facts));
                }
            }
        }
        for legal in hand {
            let cards = self.cards.iter().filter(|card| *card.skill == *legal.skill);
            match cards.count() {
                1 => {}
                0 => {
                    let rule = format!("a card of '{}' is missing", legal.skill);
                    let facts = json!({"skill": legal.skill});
                    broken.push(Violation::new("cards", rule).said("rules/card_missing", facts));
                }
                many => {
                    let rule = format!("exactly one card of '{}', not {many}", legal.skill);
                    let facts = json!({"skill": legal.skill, "count": many});
                    broken.push(Violation::new("cards", rule).said("rules/one_card", facts));
                }
            }
        }
        broken
    }
}

fn too_long(path: String, text: &str, most: usize) -> Option<Violation> {
    match text.chars().count() {
        0 => Some(Violation::new(path, "must not be empty").said("rules/empty", json!({}))),
        length if length > most => {
            let rule = format!("at most {most} characters; this has {length}");
            let facts = json!({"most": most, "length": length});
            Some(Violation::new(path, rule).said("rules/too_long", facts))
        }
        _ => None,
    }
}

fn illegal_targets(at: usize, card: &Card, legal: &Legal) -> Vec<Violation> {
    let names = legal.targets.join(", ");
    if card.targets.is_empty() {
        let rule = format!("name at least one of: {names}");
        let rule = Violation::new(format!("cards[{at}].targets"), rule);
        return vec![rule.said("rules/no_target", json!({"legal": names}))];
    }
    let targets = card.targets.iter().enumerate();
    let wrong = targets.filter(|(_, name)| !legal.targets.iter().any(|may| **may == ***name));
    wrong
        .map(|(number, name)| {
            let rule = format!(
                "'{}' can't be used on '{name}'; choose from: {names}",
                card.skill
            );
            let facts = json!({"skill": card.skill, "name": name, "legal": names});
            let path = format!("cards[{at}].targets[{number}]");
            Violation::new(path, rule).said("rules/illegal_target", facts)
        })
        .collect()
}

fn skills(hand: &[Legal]) -> String {
    let names: Vec<_> = hand.iter().map(|legal| &*legal.skill).collect();
    names.join(", ")
}
