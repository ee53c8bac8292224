//! What a mind answers when it draws: one card for each skill in its hand.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::event::{PromptSet, PromptTemplate};
use crate::exchange::{Reply, Violation};

/// The maximum number of characters of a card's name.
pub(super) const NAME_CHARS: usize = 40;
/// The maximum number of characters of a card's description.
pub(super) const DESCRIPTION_CHARS: usize = 300;

/// The cards of one round, in the order in which their mind would play them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hand {
    /// One card for each skill in hand, the most wanted first.
    pub(super) cards: Vec<Card>,
}

/// A skill as its mind means to use it now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Card {
    /// The skill, by name.
    pub(super) skill: String,
    /// What the mind calls this move.
    pub(super) name: String,
    /// How it looks, in a sentence.
    pub(super) description: String,
    /// On whom, the most wanted first.
    pub(super) targets: Vec<String>,
}

/// A skill in hand and its legal targets, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayableSkill {
    /// The skill.
    pub(super) skill: Arc<str>,
    /// Its legal targets, best first as the rules measure it.
    pub(super) targets: Vec<Arc<str>>,
}

const ONE_LINE: PromptTemplate<()> = PromptTemplate::new("rules/one_line");
const NOT_IN_HAND: PromptTemplate<NotInHand> = PromptTemplate::new("rules/not_in_hand");
const CARD_MISSING: PromptTemplate<CardMissing> = PromptTemplate::new("rules/card_missing");
const ONE_CARD: PromptTemplate<OneCard> = PromptTemplate::new("rules/one_card");
const NO_TARGET: PromptTemplate<NoTarget> = PromptTemplate::new("rules/no_target");
const ILLEGAL_TARGET: PromptTemplate<IllegalTarget> = PromptTemplate::new("rules/illegal_target");

#[derive(Default, Serialize)]
struct NotInHand<'a> {
    skill: &'a str,
    hand: &'a str,
}

#[derive(Default, Serialize)]
struct CardMissing<'a> {
    skill: &'a str,
}

#[derive(Default, Serialize)]
struct OneCard<'a> {
    skill: &'a str,
    count: usize,
}

#[derive(Default, Serialize)]
struct NoTarget<'a> {
    legal: &'a str,
}

#[derive(Default, Serialize)]
struct IllegalTarget<'a> {
    skill: &'a str,
    name: &'a str,
    legal: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&ONE_LINE).add(&NOT_IN_HAND).add(&CARD_MISSING);
    prompts.add(&ONE_CARD).add(&NO_TARGET).add(&ILLEGAL_TARGET);
}

impl Reply for Hand {
    type Constraints = Vec<PlayableSkill>;
    const NAME: &'static str = "hand";

    fn constrain_schema(schema: &Value, hand: &Vec<PlayableSkill>) -> Option<Value> {
        let mut schema = schema.clone();
        let skills: Vec<_> = hand.iter().map(|playable| &playable.skill).collect();
        let mut targets: Vec<_> = hand.iter().flat_map(|playable| &playable.targets).collect();
        let mut seen = BTreeSet::new();
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

    fn check(&self, hand: &Vec<PlayableSkill>) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (index, card) in self.cards.iter().enumerate() {
            let path = |member: &str| format!("cards[{index}].{member}");
            violations.extend(check_text(path("name"), &card.name, NAME_CHARS));
            let description = &card.description;
            violations.extend(check_text(
                path("description"),
                description,
                DESCRIPTION_CHARS,
            ));
            if card.name.contains(char::is_control) {
                let violation = Violation::new(path("name"), "a name is a single line");
                violations.push(violation.with_template(&ONE_LINE, &()));
            }
            match hand.iter().find(|playable| *playable.skill == *card.skill) {
                Some(playable) => {
                    violations.extend(check_targets(&path("targets"), card, playable));
                }
                None => violations.push(not_in_hand(path("skill"), &card.skill, hand)),
            }
        }
        violations.extend(
            hand.iter()
                .filter_map(|playable| self.check_count(playable)),
        );
        violations
    }
}

impl Hand {
    /// Each skill in hand needs exactly one card.
    fn check_count(&self, playable: &PlayableSkill) -> Option<Violation> {
        let skill = &*playable.skill;
        match self.cards.iter().filter(|card| card.skill == skill).count() {
            1 => None,
            0 => {
                let violation = Violation::new("cards", format!("a card of '{skill}' is missing"));
                Some(violation.with_template(&CARD_MISSING, &CardMissing { skill }))
            }
            count => {
                let rule = format!("exactly one card of '{skill}', not {count}");
                let violation = Violation::new("cards", rule);
                Some(violation.with_template(&ONE_CARD, &OneCard { skill, count }))
            }
        }
    }
}

fn check_text(path: String, text: &str, most: usize) -> Option<Violation> {
    if text.is_empty() {
        Some(Violation::empty(path))
    } else {
        Violation::too_long(path, text, most)
    }
}

fn not_in_hand(path: String, skill: &str, hand: &[PlayableSkill]) -> Violation {
    let names: Vec<_> = hand.iter().map(|playable| &*playable.skill).collect();
    let hand = &names.join(", ");
    let rule = format!("'{skill}' is not in your hand, which holds: {hand}");
    Violation::new(path, rule).with_template(&NOT_IN_HAND, &NotInHand { skill, hand })
}

fn check_targets(path: &str, card: &Card, playable: &PlayableSkill) -> Vec<Violation> {
    let legal = &playable.targets.join(", ");
    if card.targets.is_empty() {
        let violation = Violation::new(path, format!("name at least one of: {legal}"));
        return vec![violation.with_template(&NO_TARGET, &NoTarget { legal })];
    }
    let is_legal = |name: &str| playable.targets.iter().any(|target| **target == *name);
    let targets = card.targets.iter().enumerate();
    let illegal = targets.filter(|(_, name)| !is_legal(name));
    illegal
        .map(|(index, name)| {
            let skill = &card.skill;
            let rule = format!("'{skill}' can't be used on '{name}'; choose from: {legal}");
            let violation = Violation::new(format!("{path}[{index}]"), rule);
            violation.with_template(&ILLEGAL_TARGET, &IllegalTarget { skill, name, legal })
        })
        .collect()
}
