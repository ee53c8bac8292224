//! Scenes: they open on stages, people talk, an actor decides, and the story changes.
//!
//! At a meeting [`open`] chooses the scene of each stage; the talk is that of any day. At the next
//! meeting [`choose`] offers the options whose conditions hold; the answer's effects are applied at
//! the meeting after that, by [`effects`]. Before either, [`judge`] asks about what only a mind can
//! judge. [`endings`] checks whether the story is over and lets everybody say what became of them.
//! Start reading at `open.rs`.

#[cfg(test)]
mod camp_tests;
pub(super) mod choose;
pub(super) mod choose_again;
pub(super) mod effects;
pub(super) mod endings;
pub(super) mod judge;
#[cfg(test)]
mod judge_tests;
pub(crate) mod leads;
pub(super) mod open;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::PromptSet;
use playhouse_engine::exchange::register_reply;

use super::phase::{CampaignSet, Phase, in_phase};

pub(super) fn plugin(setup: &mut Setup) {
    register_reply::<choose::SceneDecision>(&mut setup.world);
    setup.world.init_resource::<effects::OnArrival>();
    setup
        .saves()
        .component::<open::OpenScene>("open_scene")
        .component::<open::CalledScene>("called_scene")
        .component::<judge::PendingClaims>("pending_claims")
        .component::<choose::PendingChoice>("pending_choice")
        .component::<choose::Decided>("decided")
        .resource::<effects::OnArrival>("on_arrival");
    let systems = (
        judge::take_verdict.run_if(in_phase(Phase::Judged)),
        judge::ask_verdict.run_if(in_phase(Phase::Judge)),
        choose::take_choice.run_if(in_phase(Phase::Chosen)),
        choose::ask_choice.run_if(in_phase(Phase::Choose)),
        endings::take_epilogues.run_if(in_phase(Phase::EpilogueDone)),
        endings::ask_epilogues.run_if(in_phase(Phase::Epilogue)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Scenes));
}

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<choose::ChoiceData>()
        .declare::<choose::Pass>()
        .declare::<judge::JudgeData>()
        .declare::<endings::EpilogueData>();
}
