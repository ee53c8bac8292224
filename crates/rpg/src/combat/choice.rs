//! What a mind answers at its turn in a fight: cards, or to hold, flee or yield.
//!
//! What it can be stands in `table.rs`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::memory::Words;
use playhouse_engine::reading::{OtherNames, letters};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use super::table::Action;
use super::table::{TurnSpec, schema};
use crate::other_names::OTHER_NAMES;

/// The maximum number of characters of a card's name.
pub(crate) const NAME_CHARS: usize = 40;
/// The maximum number of characters of what others see or hear of an action.
pub(crate) const SEEN_CHARS: usize = 300;

/// What a combatant does at its turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// A skill as its mind means to use it now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    /// The skill, by name.
    pub(crate) skill: String,
    /// What the mind calls this move; the skill by default.
    #[serde(default)]
    pub(crate) name: String,
    /// How it looks, in a sentence.
    #[serde(default)]
    pub(crate) description: String,
    /// Everybody it may be used on, the most wanted first; it is used on one, and on nobody else.
    #[serde(default)]
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        Some(schema(Some(constraints)))
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
        let row = TurnSpec::of(self.action());
        let mut violations = row.check(self, constraints);
        if !row.plays() && !self.cards.is_empty() {
            let violation = Violation::new("cards", "cards are only for \"play\"");
            // A combatant that holds plays none of them.
            violations.push(violation.with_prompt(&ChoiceRule::NoCards).only_once());
        }
        if self.action.is_none() && self.cards.is_empty() {
            violations.push(Violation::empty("action"));
        }
        violations
    }
}

impl JsonSchema for CombatChoice {
    fn schema_name() -> Cow<'static, str> {
        "Choice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::try_from(schema(None)).unwrap_or_default()
    }
}

impl ChoiceConstraints {
    /// Whether each card in hand was worded when it was drawn.
    pub(super) fn is_worded(&self) -> bool {
        self.hand.iter().all(|playable| playable.is_worded)
    }

    pub(super) fn skills(&self) -> Vec<&str> {
        self.hand.iter().map(|playable| &*playable.skill).collect()
    }

    /// All on whom some card can be used, each once.
    pub(super) fn targets(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let targets = self
            .hand
            .iter()
            .flat_map(|playable| &playable.targets)
            .map(|target| &**target);
        targets.filter(|target| seen.insert(*target)).collect()
    }
}

impl CombatChoice {
    /// What it does with its turn. Cards alone are to be played.
    pub(crate) fn action(&self) -> Action {
        let is_play = !self.cards.is_empty();
        self.action
            .unwrap_or(if is_play { Action::Play } else { Action::Hold })
    }

    /// What others see of it; dots show nothing.
    pub(super) fn look(&self) -> &str {
        let seen = self.seen.as_deref().filter(|seen| letters(seen) > 0);
        seen.unwrap_or_default().trim()
    }

    /// What is wrong with the facts that it tells.
    pub(super) fn check_facts(&self, legal: &ChoiceConstraints) -> Vec<Violation> {
        let facts = self.tells.iter().enumerate();
        let unknown = facts.filter(|(_, fact)| !legal.known.iter().any(|known| **known == ***fact));
        let found = unknown.filter_map(|(index, fact)| {
            Violation::unless_offered(format!("tells[{index}]"), fact, &legal.facts)
        });
        found.collect()
    }

    /// What is wrong with the cards that it plays.
    pub(super) fn check_cards(&self, legal: &ChoiceConstraints) -> Vec<Violation> {
        let cards = self.cards.iter().enumerate();
        let each = cards.flat_map(|(index, card)| card.check(index, legal));
        let counts = legal
            .hand
            .iter()
            .filter_map(|playable| self.check_count(playable));
        each.chain(counts).collect()
    }

    /// Each skill in hand may be played once.
    fn check_count(&self, playable: &PlayableSkill) -> Option<Violation> {
        let skill = &*playable.skill;
        let cards = self.cards.iter().filter(|card| card.skill == skill);
        let count = cards.count();
        (count > 1).then(|| {
            let rule = format!("at most one card of '{skill}', not {count}");
            Violation::new("cards", rule).with_prompt(&ChoiceRule::OneCard { skill, count })
        })
    }
}

impl Card {
    fn check(&self, index: usize, legal: &ChoiceConstraints) -> Vec<Violation> {
        let path = |member: &str| format!("cards[{index}].{member}");
        let mut hand = legal.hand.iter();
        let fault = match hand.find(|playable| *playable.skill == *self.skill) {
            Some(playable) => check_targets(&path("targets"), self, playable),
            None => Some(not_in_hand(path("skill"), &self.skill, &legal.skills())),
        };
        let name = check_name(path("name"), &self.name);
        let look = Violation::too_long(path("description"), &self.description, SEEN_CHARS);
        name.into_iter().chain(look).chain(fault).collect()
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
