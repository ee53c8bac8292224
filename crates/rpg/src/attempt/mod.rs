//! Attempts: what an actor tries that no action foresees. The stage judges it as the referee, dice
//! decide, and code applies what was won and what it cost.
//!
//! `pending.rs` has what is tried, `stakes.rs` what code offers here and now, `ruling.rs` what the
//! referee answers, limited to that, `prose.rs` what its texts may not say, and `referee.rs` asks
//! and carries it out. What an attempt makes true becomes a fact at the meeting. Start reading at
//! `referee.rs`.

pub(super) mod pending;
mod prose;
pub(super) mod referee;
pub(super) mod ruling;
mod stakes;

#[cfg(test)]
mod tests;

use playhouse_engine::engine::Setup;
use playhouse_engine::event::PromptSet;

pub(super) fn plugin(setup: &mut Setup) {
    setup
        .saves()
        .component::<pending::PendingAttempts>("pending_attempts");
}

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<referee::AttemptData>()
        .declare::<prose::OutcomeRule>();
}
