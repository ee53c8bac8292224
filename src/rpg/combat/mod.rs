//! Fights: minds choose and describe, code rules, the stage narrates.
//!
//! A fight leads its stage through phases, and each has a file: [`begin`] (first thoughts), then in
//! each round [`draw`] (cards), [`play`] (which applies [`rules`]) and [`narrate`] (the stage's
//! words), at last [`outcome`]. All of them see the fight through [`arena::Arena`]. This room knows
//! nothing of days at home. Start reading at `rules.rs`.

mod arena;
mod begin;
mod draw;
mod hand;
mod narrate;
mod outcome;
mod play;
mod rules;
mod state;
#[cfg(test)]
pub(super) mod tests;

pub use state::{Combat, FinishedFight, RoundAction};

use bevy_ecs::prelude::*;

use super::components::CurrentFight;
use super::phase::{CampaignSet, Phase, in_phase};
use crate::engine::Setup;
use crate::event::PromptSet;

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
        narrate::take_narration.run_if(in_phase(Phase::RoundDone)),
        outcome::end_fight.run_if(in_phase(Phase::RoundDone)),
        outcome::next_round.run_if(in_phase(Phase::RoundDone)),
        begin::take_first_thoughts.run_if(in_phase(Phase::FightBegun)),
        play::play_hands.run_if(in_phase(Phase::Play)),
        narrate::ask_narration.run_if(in_phase(Phase::Narrate)),
        begin::begin_fight.run_if(in_phase(Phase::FightBegin)),
        draw::draw_hands.run_if(in_phase(Phase::Draw)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Combat));
}

/// Adds the templates of this room.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    begin::FIRST_THOUGHT.add_templates(prompts);
    draw::add_templates(prompts);
    hand::add_templates(prompts);
    narrate::NARRATION.add_templates(prompts);
}
