//! Days at home: stages describe themselves, actors talk and act in turns, heroes vote where to
//! go, world agents make announcements.
//!
//! Start reading at `plans.rs`, which asks actors what they do; `crate::actions` carries it out.

pub(super) mod announcements;
pub(super) mod here;
pub(super) mod plans;
pub(super) mod scene;
pub(super) mod uses;
mod view;
pub(super) mod vote;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{PromptSet, deliver};
use playhouse_engine::exchange::register_reply;

use crate::actions::Plan;
use crate::attempt::referee;
use crate::phase::{CampaignSet, Phase, in_phase};

pub(super) fn plugin(setup: &mut Setup) {
    register_reply::<Plan>(&mut setup.world);
    register_reply::<vote::Vote>(&mut setup.world);
    setup.saves().component::<vote::Voted>("voted");
    let systems = (
        scene::take_scene.run_if(in_phase(Phase::SceneDone)),
        scene::ask_scene.run_if(in_phase(Phase::Scene)),
        plans::take_plans.run_if(in_phase(Phase::PlanDone)),
        referee::take_ruling.run_if(in_phase(Phase::Attempted)),
        // Who is next hears what was just said, and the stage sees what is tried.
        deliver.run_if(in_phase(Phase::Plan)),
        deliver.run_if(in_phase(Phase::Attempt)),
        referee::ask_ruling.run_if(in_phase(Phase::Attempt)),
        plans::ask_plans.run_if(in_phase(Phase::Plan)),
        vote::take_votes.run_if(in_phase(Phase::Voted)),
        vote::ask_votes.run_if(in_phase(Phase::Vote)),
        announcements::take_announcement.run_if(in_phase(Phase::AnnounceDone)),
        announcements::ask_announcement.run_if(in_phase(Phase::Announce)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Home));
}

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<announcements::AnnouncementData>()
        .declare::<plans::PlanData>()
        .declare::<plans::WhenData>()
        .declare::<vote::VoteData>()
        .declare::<scene::SceneData>();
}
