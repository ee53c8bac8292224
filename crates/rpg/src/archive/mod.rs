//! A finished part of a conversation becomes a memory of two parts: a record, written by code from
//! what its owner witnessed, and the owner's own words, for which it is asked with the record in
//! view. Both replace the messages in the prompt.
//!
//! [`combat`] closes a fight for everybody who will remember it. [`day`] closes what is oldest in
//! conversations that have grown too long, and asks as one more turn on the old prompt: messages
//! become a chapter, chapters a volume, volumes a life. Both cut only what [`range`] finds whole: a
//! doubtful range is left as it is. The originals, the request and its answer stay readable in a
//! chapter. Start reading at `day.rs`.

mod combat;
mod day;
mod range;
mod record;
mod summary;
#[cfg(test)]
mod tests;

pub use day::next_archive;
pub(super) use day::{archive_overdue, budget};

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{PromptSet, deliver};

use super::phase::{CampaignSet, Phase, in_phase};

pub(super) fn plugin(setup: &mut Setup) {
    setup
        .saves()
        .component::<summary::PendingSummary>("pending_summary");
    let systems = (
        day::take_summaries.run_if(in_phase(Phase::Summarized)),
        day::ask_summaries.run_if(in_phase(Phase::Summarize)),
        // The outcome, which ends the range of a fight, is in all contexts first.
        deliver.run_if(in_phase(Phase::ArchiveCombat)),
        combat::archive_combat.run_if(in_phase(Phase::ArchiveCombat)),
    );
    setup
        .step
        .add_systems(systems.chain().in_set(CampaignSet::Archive));
}

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<combat::FightQuestion>()
        .declare::<combat::FightWords>()
        .declare::<combat::FightTitle>()
        .declare::<day::DayQuestion>()
        .declare::<day::DayTitle>()
        .declare::<record::RecordData>()
        .declare::<record::LineData>()
        .declare::<record::OftenData>();
}
