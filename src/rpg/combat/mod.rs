//! Fights: minds choose and describe, code rules, the stage narrates.
//!
//! A fight leads its stage through phases, and each has a file: [`begin`], then [`turn`] for each
//! turn of a combatant (which asks with [`ask`] and applies [`rules`]), [`narrate`] (the stage's
//! account of the whole fight), at last [`outcome`]. All of them see the fight through
//! [`arena::Arena`]. Words may move a foe ([`resolve`]), and [`wounds`] remain after the fight.
//! Start reading at `turn.rs`.

mod arena;
mod ask;
mod begin;
pub(super) mod choice;
mod narrate;
mod outcome;
pub(super) mod resolve;
mod rules;
mod state;
#[cfg(test)]
pub(super) mod tests;
mod turn;
pub(super) mod wounds;

pub use state::{Combat, FightAction, FinishedFight};

use bevy_ecs::prelude::*;

use super::components::CurrentFight;
use super::phase::{CampaignSet, Phase, in_phase};
use crate::engine::Setup;
use crate::event::{PromptSet, deliver};

/// Adds the systems and the saved state of fights.
pub(super) fn plugin(setup: &mut Setup) {
    setup
        .world
        .register_required_components::<CurrentFight, Combat>();
    setup
        .saves()
        .component::<Combat>("combat")
        .component::<FinishedFight>("aftermath");
    // Systems that take answers come before those that ask, so that a step asks in one phase only.
    let systems = (
        narrate::take_account.run_if(in_phase(Phase::Narrated)),
        begin::begin_fight.run_if(in_phase(Phase::FightBegin)),
        turn::take_turn.run_if(in_phase(Phase::Act)),
        // Who is next can tell what was just told.
        deliver.run_if(in_phase(Phase::Act)),
        turn::next_turn.run_if(in_phase(Phase::Act)),
        narrate::ask_account.run_if(in_phase(Phase::Narrate)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Combat));
}

/// Adds the templates of this module.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    ask::add_templates(prompts);
    choice::add_templates(prompts);
    narrate::ACCOUNT.add_templates(prompts);
}
