//! What happens: typed events, who gets them, and how they reach contexts and clients.
//!
//! A system describes what happened with [`EventWriter`]; the audience is fixed at that moment,
//! from place, life and privacy. At the end of the step [`deliver`] adds one message to the
//! context of each audience member, all sharing one body, and one [`Record`] for the feeds. Nothing
//! else writes into another entity's context. Start reading at [`AgentEvent`], then
//! [`EventWriter`].

mod agent_event;
mod deliver;
mod fault;
mod feed;
pub mod guard;
pub mod kinds;
mod learning;
mod phrasebook;
mod prompts;
mod queue;
mod telling;
mod writer;

pub use agent_event::{AgentEvent, EventType, EventTypes, register_event, register_events};
pub use deliver::deliver;
pub use fault::{Fault, Faults};
pub use feed::{
    AnswerRecord, AnsweredBy, AudienceRule, CallRecord, EventRecord, Feed, Recipient, Record,
    Records, Watching,
};
pub use phrasebook::{PhraseError, Phrasebook};
/// `#[derive(AgentEvent)]`.
pub use playhouse_derive::AgentEvent;
pub use queue::{
    ChapterClose, DeferredCommand, DeferredCommands, EventQueue, MeetingPlace, PendingEvent,
    change_at,
};
pub use telling::{EventStyle, Recipients, Sight, Telling, subject};
pub use writer::{EventWriter, write_events_at_meeting};

pub use crate::world_data::{Prompt, PromptSet};
pub use serde_json::Value as EventData;

use bevy_ecs::prelude::*;

use crate::knowledge::{FactBook, Today};
use crate::message::Language;

/// Adds what this module needs to a world, with every built-in event type registered.
pub fn install(world: &mut World) {
    world.init_resource::<EventQueue>();
    world.init_resource::<DeferredCommands>();
    world.init_resource::<MeetingPlace>();
    world.init_resource::<Records>();
    world.init_resource::<Faults>();
    world.init_resource::<EventTypes>();
    world.init_resource::<Phrasebook>();
    world.init_resource::<Language>();
    world.init_resource::<FactBook>();
    world.init_resource::<Today>();
    world.init_resource::<guard::FactPhrases>();
    world.insert_resource(guard::Guards::none());
}
