//! The conversation of a team, on its stage.
//!
//! [`Chat`] is the state of a conversation, [`Phase`] what it is doing. The system `play` moves it
//! on in each step of its stage: `runs.rs` begins a run, `select.rs` selects the next speaker (for
//! a ledger, `orchestrate.rs` does), `turns.rs` and `speak.rs` ask it to speak, `code.rs` runs
//! code, `listen.rs` takes the answers, `deliver.rs` delivers them, and `finish.rs` ends the run,
//! and `interrupt.rs` leaves it for a new task.
//! One turn of the conversation is one turn of the world, so that it can be saved between any two
//! messages.

mod answers;
mod chat;
mod code;
mod control;
mod deliver;
mod events;
mod finish;
mod fold;
mod forget;
mod interrupt;
mod ledger;
mod listen;
mod orchestrate;
mod pick;
mod play;
mod remember;
mod replies;
mod runs;
mod select;
mod speak;
mod step;
mod teams;
mod tool_rounds;
mod turns;
mod user_input;

pub(super) use chat::Utterance;
pub use chat::{Chat, Phase};
pub use events::EVENTS;
pub(super) use events::{InnerMessage, OwnMessage, ParticipantEvent, PublicMessage, Whisper};
pub(super) use interrupt::{FALLS_BACK, INTERRUPT, take_inputs};
pub(super) use play::plugin;
pub(super) use remember::register_remember;
pub(super) use replies::Approval;
pub(super) use teams::Teams;
pub(super) use tool_rounds::{FunctionCallRound, register_handoffs};
pub use user_input::{CONTROLLER, UserInput};
pub(super) use user_input::{ControlMessage, warn_absent};

use playhouse_engine::event::PromptSet;

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<ledger::AnalysisRule>()
        .declare::<replies::MessageFault>();
}
