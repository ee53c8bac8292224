//! What a stage remembers of its fight.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::components::Departure;
use crate::events::CombatOutcome;
use crate::world_file::Skill;

/// The fight on a stage. It stays after the fight, so that the next one gets another number.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Combat {
    /// The number of fights on this stage, this one included.
    pub number: u32,
    /// Which round, from 1; 0 before the first.
    pub round: u32,
    pub heroes: Vec<Arc<str>>,
    pub foes: Vec<Arc<str>>,
    /// Those who have yet to act in this round, in order.
    pub waiting: Vec<Arc<str>>,
    /// The last round after which it was weighed what moves foes.
    pub weighed: u32,
    /// Whether a fact was told since it was weighed what moves foes.
    pub told: bool,
    /// Those who are out of the fight, in the order in which they left it.
    pub departures: Vec<(Arc<str>, Departure)>,
    /// What was done in this fight, in order.
    pub actions: Vec<FightAction>,
}

impl Combat {
    /// What pairs the beginning and the outcome of this fight.
    pub(super) fn id(&self, stage: &str) -> String {
        format!("{stage}/{}", self.number)
    }

    pub(super) fn includes(&self, name: &Arc<str>) -> bool {
        self.heroes.contains(name) || self.foes.contains(name)
    }

    /// How somebody left it; `None` while it stands.
    pub(crate) fn departure(&self, name: &Arc<str>) -> Option<Departure> {
        let departure = self.departures.iter().find(|(other, _)| other == name);
        departure.map(|(_, how)| *how)
    }
}

/// On a combatant: the cards that it can play in this round, and the words of those it had before.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hand {
    /// The round in which it was drawn, from 1; 0 for none.
    pub round: u32,
    /// Its cards, in the order in which they were drawn.
    pub cards: Vec<HeldCard>,
    /// All cards that its holder's mind has worded, which outlive the fight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worded: Vec<HeldCard>,
}

/// A skill that was drawn, with the words that its holder's mind found for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldCard {
    /// The skill, by name.
    pub skill: Arc<str>,
    /// What its holder calls it; empty before it is worded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How it looks; empty before it is worded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl Hand {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.cards.iter().map(|card| match card.name.as_str() {
            "" => &*card.skill,
            name => name,
        })
    }

    /// What is left of it after the fight: the words.
    pub(super) fn put_down(&self) -> Self {
        Self {
            worded: self.worded.clone(),
            ..Self::default()
        }
    }

    /// The next hand, of these skills: a skill that was worded keeps its words.
    pub(super) fn next(&self, round: u32, skills: &[&Skill]) -> Self {
        let cards = skills.iter().map(|skill| {
            let known = self.worded.iter().find(|card| *card.skill == *skill.name);
            known.cloned().unwrap_or_else(|| HeldCard {
                skill: skill.name.as_str().into(),
                ..HeldCard::default()
            })
        });
        Self {
            round,
            cards: cards.collect(),
            worded: self.worded.clone(),
        }
    }
}

impl HeldCard {
    /// Whether its holder's mind has found words for it.
    pub(super) fn is_worded(&self) -> bool {
        !self.name.is_empty() || !self.description.is_empty()
    }
}

/// Something that was done or said in a fight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FightAction {
    pub round: u32,
    pub by: Arc<str>,
    /// `attack`, `heal`, `guard`, `weaken` or `strengthen` for a card; else `say`, `hold`, `show`,
    /// `flee`, `yield`, or `waver` for a foe who was moved.
    pub kind: String,
    pub skill: Arc<str>,
    /// The card's name, by its player's mind.
    pub card: String,
    pub target: Arc<str>,
    pub hit: bool,
    /// Hit points taken or given, or the strength of the effect.
    pub amount: i32,
    pub fell: bool,
    /// What was said, or seen without a card.
    pub words: String,
}

/// On a stage: a fight that is over and not summarized yet.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishedFight {
    /// How it ended, as everybody was told.
    pub outcome: CombatOutcome,
    pub account: String,
    pub heroes: Vec<Arc<str>>,
    pub foes: Vec<Arc<str>>,
}
