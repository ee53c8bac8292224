//! What is over becomes a memory: a mind summarizes it, and the summary replaces it in the prompt.
//!
//! [`fight`] closes a fight for everybody who will remember it, [`day`] closes the past of those
//! whose conversations have grown too long. Both ask for the summary as one more turn on the old
//! prompt, and cut only what [`range`] finds whole: a doubtful range is left as it is. The
//! originals, the request and its answer stay readable in a chapter. Start reading at `fight.rs`.

mod day;
mod fight;
mod range;
mod summary;
#[cfg(test)]
mod tests;

use bevy_ecs::prelude::*;

use super::combat::FinishedFight;
use super::phase::{CampaignSet, Phase, in_phase};
use crate::cast::CurrentStage;
use crate::engine::Setup;
use crate::event::PromptSet;

/// Adds the systems of this room.
pub(super) fn plugin(setup: &mut Setup) {
    setup
        .saves()
        .component::<day::PendingSummary>("day_closing");
    let systems = (
        fight::take_fight_summaries
            .run_if(in_phase(Phase::Summarized))
            .run_if(after_fight),
        day::take_day_summaries
            .run_if(in_phase(Phase::Summarized))
            .run_if(not(after_fight)),
        fight::ask_fight_summaries
            .run_if(in_phase(Phase::Summarize))
            .run_if(after_fight),
        day::ask_day_summaries
            .run_if(in_phase(Phase::Summarize))
            .run_if(not(after_fight)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Archive));
}

/// Adds the templates of this room.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    fight::add_templates(prompts);
    day::add_templates(prompts);
}

/// A run condition: a fight on the current stage is over and not summarized yet.
fn after_fight(stage: Res<CurrentStage>, fights: Query<(), With<FinishedFight>>) -> bool {
    matches!(*stage, CurrentStage::Place(place) if fights.contains(place))
}
