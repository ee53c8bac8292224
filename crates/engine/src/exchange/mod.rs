//! Typed questions to entities and their typed answers.
//!
//! A system that needs a decision inserts [`Ask<R>`] on an entity. When the entity's mind has
//! answered and the answer has passed its check, [`Answer<R>`] is on the entity, and a system takes
//! it with [`Answers<R>`]. Context and components change together in `commit`, or not at all.
//! Nothing here does I/O: the engine carries [`ErasedAsk`]s to minds. Start reading at [`Reply`],
//! then [`Ask`].

mod answer;
mod ask;
mod commit;
mod form_reader;
mod guarded;
mod ledger;
pub mod prompts;
mod prose;
mod question;
mod refusal;
mod reply;
mod rounds;
mod violation;
mod voice;

pub use answer::{Answer, Answers, UntakenAnswers};
pub use ask::{Ask, AskParts, BoxedAnswer, ErasedAsk, OpenAsks, ToolRoundLimit};
pub(crate) use commit::{commit, request_hash};
pub use ledger::{
    Budget, Ledger, Spent, UNFINISHED, ledgers, lost_requests, recorded_ledgers, spent_by_purpose,
};
pub use prompts::declare_prompts;
pub use prose::is_in_language;
pub use prose::{Prose, ProseRules, Untrue};
pub use question::Question;
pub use refusal::{ends_with_refusal, is_refusal};
pub(crate) use refusal::{refuses_to_write, tells_refusal};
pub use reply::{AnswerState, Asked, Reply, register_reply};
pub(crate) use rounds::RoundMaker;
pub use rounds::{TOOL_CALL, TOOL_RESULT, TRACE_KEY};
pub use violation::Violation;
pub use voice::Voice;

use bevy_ecs::prelude::*;

use crate::context::AgentContext;
use crate::memory::AnswerWords;

/// Adds what this module needs to a world.
pub fn install(world: &mut World) {
    world.init_resource::<OpenAsks>();
    world.init_resource::<UntakenAnswers>();
    world.init_resource::<AnswerWords>();
    world.register_required_components::<AgentContext, Ledger>();
}
