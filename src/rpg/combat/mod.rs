//! Fights: minds choose and describe, code rules, the stage tells.
//!
//! A fight leads its stage through phases, and each has a file: [`begin`] (first thoughts), then
//! round by round [`draw`] (cards), [`play`] (the rules of [`rules`]) and [`narrate`] (the stage's
//! words), at last [`outcome`]. All of them see the fight through [`arena::Arena`]; `archive` sums it
//! up afterwards. This room knows nothing of days at home. Start reading at `rules.rs`.

pub mod arena;
pub mod begin;
pub mod draw;
pub mod hand;
pub mod narrate;
pub mod outcome;
pub mod play;
pub mod rules;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::components::FightHere;
use super::events::CombatOutcome;
use super::phase::{Part, Phase, at};
use super::world_file::WorldFile;
use crate::engine::Setup;
use crate::exchange::ProseRules;

/// The phrases of fights, with the variables each may use.
pub const PROMPTS: &[(&str, &[&str])] = &[
    (
        "asks/combat_initiation",
        &["place", "scene", "foes", "companions", "hp", "max_hp"],
    ),
    (
        "asks/combat_draw",
        &[
            "round", "hp", "max_hp", "energy", "effects", "hand", "foes", "allies", "me",
        ],
    ),
    ("asks/combat_draw_short", &["round", "hp", "max_hp", "hand"]),
    ("asks/combat_narrate", &["round", "deeds", "standing"]),
    ("asks/combat_narrate_short", &["round"]),
    ("fallback/combat_thought", &["foes"]),
    ("fallback/combat_card", &["me", "skill"]),
    ("fallback/combat_round", &["round", "deeds"]),
    ("events/combat_start", &["stage", "heroes", "foes"]),
    ("events/combat_round", &["stage", "round", "standing"]),
    (
        "events/card_played",
        &["actor", "card", "skill", "kind", "description", "targets"],
    ),
    ("events/status_change", &["actor", "effect", "change"]),
    ("events/narration", &["stage", "message"]),
    (
        "events/combat_outcome",
        &["stage", "result", "fallen", "felled", "gains"],
    ),
];

/// The camp of the party.
const PARTY: &str = "hero";

/// The fight on a stage. It stays when the fight is over, so that the next one gets another number.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Combat {
    /// How many fights there were on this stage, this one included.
    pub number: u32,
    /// Which round, from 1; 0 before the first.
    pub round: u32,
    /// The party's combatants, by name.
    pub heroes: Vec<Arc<str>>,
    /// Their foes, by name.
    pub foes: Vec<Arc<str>>,
    /// What was done in this round, in order.
    pub deeds: Vec<Deed>,
}

impl Combat {
    /// What pairs the beginning and the outcome of this fight.
    pub fn id(&self, stage: &str) -> String {
        format!("{stage}/{}", self.number)
    }

    /// Whether somebody takes part in it.
    pub fn has(&self, name: &Arc<str>) -> bool {
        self.heroes.contains(name) || self.foes.contains(name)
    }
}

/// A card that was played and what the rules made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deed {
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

/// On a stage: a fight that is over and not summed up yet.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aftermath {
    /// How it ended, as everybody was told.
    pub outcome: CombatOutcome,
    /// The party's combatants, by name.
    pub heroes: Vec<Arc<str>>,
    /// Their foes, by name.
    pub foes: Vec<Arc<str>>,
}

/// Adds the systems and the saved state of fights.
pub fn plugin(setup: &mut Setup) {
    setup
        .world
        .register_required_components::<FightHere, Combat>();
    setup
        .saves()
        .component::<Combat>("combat")
        .component::<Aftermath>("aftermath");
    // Whatever takes comes before whatever asks, so that a step asks in one phase only.
    let systems = (
        narrate::take_narration.run_if(at(Phase::RoundDone)),
        outcome::end_fight.run_if(at(Phase::RoundDone)),
        outcome::next_round.run_if(at(Phase::RoundDone)),
        begin::take_first_thoughts.run_if(at(Phase::FightBegun)),
        play::play_hands.run_if(at(Phase::Play)),
        narrate::ask_narration.run_if(at(Phase::Narrate)),
        begin::begin_fight.run_if(at(Phase::FightBegin)),
        draw::draw_hands.run_if(at(Phase::Draw)),
    );
    setup.step.add_systems(systems.chain().in_set(Part::Combat));
}

/// What prose in a fight must hold to.
fn prose_rules(world: &WorldFile, max_chars: usize) -> ProseRules {
    ProseRules {
        max_chars,
        language: Some(world.language),
        ..ProseRules::default()
    }
}

/// The most tokens of an answer.
fn reply_tokens(world: &WorldFile) -> u32 {
    world.limits.reply_tokens.max(1) as u32
}
