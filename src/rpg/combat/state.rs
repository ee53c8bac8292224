//! What a stage remembers of its fight.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rpg::events::CombatOutcome;

/// The fight on a stage. It stays after the fight, so that the next one gets another number.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Combat {
    /// The number of fights on this stage, this one included.
    pub number: u32,
    /// Which round, from 1; 0 before the first.
    pub round: u32,
    /// The party's combatants, by name.
    pub heroes: Vec<Arc<str>>,
    /// Their foes, by name.
    pub foes: Vec<Arc<str>>,
    /// What was done in this round, in order.
    #[serde(rename = "deeds")]
    pub actions: Vec<RoundAction>,
}

impl Combat {
    /// What pairs the beginning and the outcome of this fight.
    pub(super) fn id(&self, stage: &str) -> String {
        format!("{stage}/{}", self.number)
    }

    /// Whether somebody takes part in it.
    pub(super) fn includes(&self, name: &Arc<str>) -> bool {
        self.heroes.contains(name) || self.foes.contains(name)
    }
}

/// A card that was played in a round, and its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundAction {
    /// Who played it.
    pub by: Arc<str>,
    /// The skill.
    pub skill: Arc<str>,
    /// The card's name, by its player's mind.
    pub card: String,
    /// `attack`, `heal`, `guard`, `weaken` or `strengthen`.
    pub kind: String,
    /// On whom.
    pub target: Arc<str>,
    /// Whether it hit.
    pub hit: bool,
    /// Hit points taken or given, or the strength of the effect.
    pub amount: i32,
    /// Whether the target fell.
    pub fell: bool,
}

/// On a stage: a fight that is over and not summarized yet.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishedFight {
    /// How it ended, as everybody was told.
    pub outcome: CombatOutcome,
    /// The party's combatants, by name.
    pub heroes: Vec<Arc<str>>,
    /// Their foes, by name.
    pub foes: Vec<Arc<str>>,
}
