//! Fights: minds choose and describe, code rules, the stage narrates.
//!
//! A fight leads its stage through phases, and each has a file: [`initialization`], then for each
//! round [`draw`] and for each turn of a combatant [`turn`] (which asks with [`ask`], carries out
//! what [`table`] lists and applies [`rules`]), [`narrate`] (the stage's account of the whole
//! fight), at last [`outcome`]. What stays of it in contexts is the work of `archive/combat.rs`.
//! All of them see the fight through [`arena::Arena`]. Words may move a foe ([`resolve`]), and
//! [`wounds`] remain after the fight. Start reading at `turn.rs`.

mod arena;
mod ask;
pub(super) mod choice;
pub(super) mod draw;
mod initialization;
mod narrate;
mod outcome;
pub(super) mod resolve;
mod rules;
mod state;
pub(super) mod table;
#[cfg(test)]
pub(super) mod tests;
mod turn;
pub(super) mod wounds;

pub use state::{Combat, FightAction, FinishedFight, Hand, HeldCard};

pub(super) use choice::CombatChoice;
pub(super) use initialization::REFLECTION_TAG;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{PromptSet, deliver};
use playhouse_engine::exchange::register_reply;

use super::components::CurrentFight;
use super::phase::{CampaignSet, Phase, in_phase};

pub(super) fn plugin(setup: &mut Setup) {
    setup
        .world
        .register_required_components::<CurrentFight, Combat>();
    register_reply::<choice::CombatChoice>(&mut setup.world);
    setup
        .saves()
        .component::<Combat>("combat")
        .component::<Hand>("hand")
        .component::<FinishedFight>("finished_fight");
    // Systems that take answers come before those that ask, so that a step asks in one phase only.
    let systems = (
        narrate::take_account.run_if(in_phase(Phase::Narrated)),
        initialization::take_reflections.run_if(in_phase(Phase::Reflected)),
        initialization::initialize_combat.run_if(in_phase(Phase::FightBegin)),
        turn::take_turn.run_if(in_phase(Phase::Act)),
        // Who is next can tell what was just told.
        deliver.run_if(in_phase(Phase::Act)),
        turn::next_turn.run_if(in_phase(Phase::Act)),
        draw::take_drawn_cards.run_if(in_phase(Phase::Drawn)),
        draw::draw_cards.run_if(in_phase(Phase::Draw)),
        // Who is asked for its turn has read what it drew.
        deliver.run_if(in_phase(Phase::Play)),
        turn::ask_turn.run_if(in_phase(Phase::Play)),
        narrate::ask_account.run_if(in_phase(Phase::Narrate)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Combat));
}

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<initialization::StakesData>()
        .declare::<draw::DrawData>()
        .declare::<ask::ActData>()
        .declare::<ask::HoldData>()
        .declare::<choice::ChoiceRule>()
        .declare::<narrate::AccountData>();
}
