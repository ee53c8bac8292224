//! What a mind answers at its turn in a fight: cards, or to hold, flee or yield.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use std::collections::BTreeSet;
use std::sync::Arc;

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::memory::Words;
use playhouse_engine::reading::OtherNames;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::other_names::OTHER_NAMES;

/// The maximum number of characters of a card's name.
pub(crate) const NAME_CHARS: usize = 40;
/// The maximum number of characters of what others see or hear of an action.
pub(crate) const SEEN_CHARS: usize = 300;

/// What a combatant does at its turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Choice")] // Minds read this name.
pub(crate) struct CombatChoice {
    /// Words said aloud before acting; everybody in the fight hears them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
    /// The ids of the facts that these words tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tells: Vec<String>,
    /// What you do; may be left out beside cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<Action>,
    /// The cards to play, in order; only with "play".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) cards: Vec<Card>,
    /// The item to show; only with "show".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<String>,
    /// Without cards: what the others see you do, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<String>,
}

/// The ways to spend a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    /// Play cards.
    Play,
    /// Do nothing this round.
    #[default]
    Hold,
    /// Show an item that you carry.
    Show,
    /// Leave the fight.
    Flee,
    /// Give up.
    Yield,
}

/// A skill as its mind means to use it now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    /// The skill, by name.
    pub(crate) skill: String,
    /// What the mind calls this move; the skill by default.
    #[serde(default)]
    #[schemars(!default)]
    pub(crate) name: String,
    /// How it looks, in a sentence.
    #[serde(default)]
    #[schemars(!default)]
    pub(crate) description: String,
    /// Everybody it may be used on, the most wanted first; it is used on one, and on nobody else.
    #[serde(default)]
    #[schemars(!default)]
    pub(crate) targets: Vec<String>,
}

/// A skill in hand and its legal targets, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayableSkill {
    pub(crate) skill: Arc<str>,
    /// Its legal targets, best first as the rules measure it.
    pub(crate) targets: Vec<Arc<str>>,
    /// Whether the card was worded when it was drawn.
    pub(crate) is_worded: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChoiceConstraints {
    pub(crate) hand: Vec<PlayableSkill>,
    /// The ids of the facts that may be told.
    pub(crate) facts: Vec<Arc<str>>,
    /// The ids of all facts that one knows and can say, listed or not.
    pub(crate) known: Vec<Arc<str>>,
    pub(crate) items: Vec<Arc<str>>,
    pub(crate) may_yield: bool,
    /// The maximum number of characters that may be said.
    pub(crate) say_chars: usize,
}

/// A rule that a choice in a fight can break.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(crate) enum ChoiceRule<'a> {
    #[prompt("rules/one_line")]
    OneLine,
    #[prompt("rules/no_cards")]
    NoCards,
    #[prompt("rules/not_in_hand")]
    NotInHand { skill: &'a str, hand: &'a str },
    #[prompt("rules/one_card")]
    OneCard { skill: &'a str, count: usize },
    #[prompt("rules/no_target")]
    NoTarget { legal: &'a str },
    #[prompt("rules/illegal_target")]
    IllegalTarget {
        skill: &'a str,
        name: &'a str,
        legal: &'a str,
    },
}

impl Reply for CombatChoice {
    type Constraints = ChoiceConstraints;
    const NAME: &'static str = "fight_choice";
    const OTHER_NAMES: OtherNames = OTHER_NAMES;
    const WORDS: &'static [Words] = &[Words::Spoken("/say")];
    const IS_TOLD: bool = true;
    const IN_EXAMPLE: &'static [&'static str] = &["cards"];
    const MAY_BE_LEFT_OUT: &'static [&'static str] =
        &["action", "cards.name", "cards.description", "cards.targets"];
    const OTHER_WORDS: &'static [(&'static str, &'static str)] = &[
        ("attack", "play"),
        ("fight", "play"),
        ("use", "play"),
        ("cast", "play"),
        ("skill", "play"),
        ("cards", "play"),
        ("play cards", "play"),
        ("wait", "hold"),
        ("pass", "hold"),
        ("nothing", "hold"),
        ("do nothing", "hold"),
        ("run", "flee"),
        ("run away", "flee"),
        ("escape", "flee"),
        ("retreat", "flee"),
        ("surrender", "yield"),
        ("give up", "yield"),
        ("出牌", "play"),
        ("攻击", "play"),
        ("等待", "hold"),
        ("逃跑", "flee"),
        ("投降", "yield"),
        ("认输", "yield"),
    ];

    fn constrain_schema(_schema: &Value, constraints: &ChoiceConstraints) -> Option<Value> {
        let text = |most: usize| json!({"type": "string", "minLength": 1, "maxLength": most});
        let hand = &constraints.hand;
        let mut actions = vec!["play", "hold", "flee"];
        if constraints.may_yield {
            actions.push("yield");
        }
        let mut properties = json!({"say": text(constraints.say_chars)});
        if hand.is_empty() {
            actions.remove(0);
        }
        if !constraints.facts.is_empty() {
            let fact = json!({"type": "string", "enum": constraints.facts});
            properties["tells"] = json!({"type": "array", "items": fact});
        }
        if !constraints.items.is_empty() {
            actions.push("show");
            properties["item"] = json!({"type": "string", "enum": constraints.items});
        }
        properties["action"] = json!({"type": "string", "enum": actions});
        if !hand.is_empty() {
            let skills: Vec<_> = hand.iter().map(|playable| &playable.skill).collect();
            let mut targets: Vec<_> = hand.iter().flat_map(|playable| &playable.targets).collect();
            let mut seen = BTreeSet::new();
            targets.retain(|name| seen.insert(*name));
            let targets = json!({
                "type": "array", "items": {"type": "string", "enum": targets}, "minItems": 1,
            });
            let is_worded = hand.iter().all(|playable| playable.is_worded);
            let required = match is_worded {
                true => json!(["skill", "targets"]),
                false => json!(["skill", "name", "description", "targets"]),
            };
            let card = json!({
                "type": "object",
                "properties": {
                    "skill": {"type": "string", "enum": skills},
                    "name": text(NAME_CHARS),
                    "description": text(SEEN_CHARS),
                    "targets": targets,
                },
                "required": required,
                "additionalProperties": false,
            });
            properties["cards"] = json!({"type": "array", "items": card, "maxItems": hand.len()});
        }
        properties["seen"] = text(SEEN_CHARS);
        Some(json!({
            "type": "object",
            "properties": properties,
            "required": ["action"],
            "additionalProperties": false,
        }))
    }

    /// A move without a name is called like its skill, unless it was worded when it was drawn, and
    /// where only one target is possible, it is the one.
    fn settled(mut self, constraints: &ChoiceConstraints) -> Self {
        for card in &mut self.cards {
            let mut hand = constraints.hand.iter();
            let playable = hand.find(|playable| *playable.skill == *card.skill);
            let is_worded = playable.is_some_and(|playable| playable.is_worded);
            if card.name.trim().is_empty() && !is_worded {
                card.name = card.skill.chars().take(NAME_CHARS).collect();
            }
            if let Some([only]) = playable.map(|playable| &*playable.targets)
                && card.targets.is_empty()
            {
                card.targets.push(only.to_string());
            }
        }
        self
    }

    fn check(&self, constraints: &ChoiceConstraints) -> Vec<Violation> {
        let mut violations = Vec::new();
        if let Some(say) = &self.say {
            violations.extend(Violation::too_long("say", say, constraints.say_chars));
        }
        for (index, fact) in self.tells.iter().enumerate() {
            let path = format!("tells[{index}]");
            if !constraints.known.iter().any(|known| **known == **fact) {
                violations.extend(Violation::unless_offered(path, fact, &constraints.facts));
            }
        }
        if self.action() == Action::Show {
            let item = self.item.as_deref().unwrap_or_default();
            violations.extend(Violation::unless_offered("item", item, &constraints.items));
        }
        if self.action() == Action::Yield && !constraints.may_yield {
            let possible = ["play", "hold", "flee"];
            violations.extend(Violation::unless_offered("action", "yield", &possible));
        }
        let plays = self.action() == Action::Play;
        if !plays && !self.cards.is_empty() {
            let violation = Violation::new("cards", "cards are only for \"play\"");
            // A combatant that holds plays none of them.
            violations.push(violation.with_prompt(&ChoiceRule::NoCards).only_once());
        }
        if self.action.is_none() && self.cards.is_empty() {
            violations.push(Violation::empty("action"));
        }
        if let Some(seen) = &self.seen {
            violations.extend(Violation::too_long("seen", seen, SEEN_CHARS));
        }
        let hand = &constraints.hand;
        for (index, card) in self.cards.iter().enumerate().filter(|_| plays) {
            let path = |member: &str| format!("cards[{index}].{member}");
            violations.extend(check_name(path("name"), &card.name));
            let description = &card.description;
            let path_of_text = path("description");
            violations.extend(Violation::too_long(path_of_text, description, SEEN_CHARS));
            match hand.iter().find(|playable| *playable.skill == *card.skill) {
                Some(playable) => {
                    violations.extend(check_targets(&path("targets"), card, playable));
                }
                None => {
                    let hand: Vec<_> = hand.iter().map(|playable| &*playable.skill).collect();
                    violations.push(not_in_hand(path("skill"), &card.skill, &hand));
                }
            }
        }
        let played = hand.iter().filter(|_| plays);
        violations.extend(played.filter_map(|playable| self.check_count(playable)));
        violations
    }
}

impl CombatChoice {
    /// What it does with its turn. Cards alone are to be played.
    pub(crate) fn action(&self) -> Action {
        let is_play = !self.cards.is_empty();
        self.action
            .unwrap_or(if is_play { Action::Play } else { Action::Hold })
    }

    /// Each skill in hand may be played once.
    fn check_count(&self, playable: &PlayableSkill) -> Option<Violation> {
        let skill = &*playable.skill;
        let cards = self.cards.iter().filter(|card| card.skill == skill);
        let count = cards.count();
        (count > 1).then(|| {
            let rule = format!("at most one card of '{skill}', not {count}");
            let violation = Violation::new("cards", rule);
            violation.with_prompt(&ChoiceRule::OneCard { skill, count })
        })
    }
}

/// A card's name is short and a single line; without one it is called by its skill.
pub(super) fn check_name(path: String, name: &str) -> Option<Violation> {
    if !name.contains(char::is_control) {
        return Violation::too_long(path, name, NAME_CHARS);
    }
    let violation = Violation::new(path, "a name is a single line");
    Some(violation.with_prompt(&ChoiceRule::OneLine))
}

pub(super) fn not_in_hand(path: String, skill: &str, names: &[&str]) -> Violation {
    let violation = Violation::unclear(skill, names, || {
        let hand = &names.join(", ");
        let rule = format!("'{skill}' is not in your hand, which holds: {hand}");
        Violation::new("", rule).with_prompt(&ChoiceRule::NotInHand { skill, hand })
    });
    violation.at(path)
}

/// A card needs one legal target; it is never used on others.
fn check_targets(path: &str, card: &Card, playable: &PlayableSkill) -> Option<Violation> {
    let legal = &playable.targets.join(", ");
    let Some(name) = card.targets.first() else {
        let violation = Violation::new(path, format!("name at least one of: {legal}"));
        return Some(violation.with_prompt(&ChoiceRule::NoTarget { legal }));
    };
    let is_legal = |name: &String| playable.targets.iter().any(|target| **target == **name);
    if card.targets.iter().any(is_legal) {
        return None;
    }
    let skill = &card.skill;
    let violation = Violation::unclear(name, &playable.targets, || {
        let rule = format!("'{skill}' can't be used on '{name}'; choose from: {legal}");
        let broken = ChoiceRule::IllegalTarget { skill, name, legal };
        Violation::new("", rule).with_prompt(&broken)
    });
    Some(violation.at(format!("{path}[0]")))
}
