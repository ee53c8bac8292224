//! Group chat: teams that talk on a stage.
//!
//! A team is a stage and its participants are the occupants; every message is an event that the engine
//! delivers, so a participant's own turns are ai messages and all others' human ones with the speaker's
//! name. Who speaks next is a component on the stage. Whatever is asked of a mind, the choice of a
//! speaker included, is an ask like all others. [`team`] says what a team is, [`stage`] plays it, and
//! [`Team`] runs one from a program. Start reading at [`stage`].

mod as_tool;
mod fenced;
mod flow;
mod functions;
mod game;
mod guards;
mod inbox;
mod inside;
pub mod message;
mod names;
mod perspective;
mod phrases;
mod run;
pub mod stage;
mod stream_merger;
pub mod team;
pub mod termination;
mod trace;
mod user_proxy;

pub use as_tool::{TaskArguments, TeamTool};
pub use fenced::code_blocks;
pub use functions::{Candidates, EdgeCondition, Functions, Picker, Summary, Talk};
pub use game::ChatGame;
pub use inside::Heard;
pub use names::{from_wire, mentions, to_wire};
pub use perspective::{Seen, perspective, seen, words};
pub use run::{ChatError, Response, StreamItem, Task, TaskResult, Team, seat_desk};
pub use stream_merger::{Dropped, StreamEvent, StreamMerger, TeamStreamEvent};
pub use trace::{Call, calls};
pub use user_proxy::UserProxy;

use crate::engine::Setup;

/// Adds the systems, events and saved parts of group chats.
pub fn plugin(setup: &mut Setup) {
    stage::plugin(setup);
}
