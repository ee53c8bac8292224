//! What happens: typed events, who gets them, and how they reach contexts and clients.
//!
//! A system describes what happened with [`EventWriter`]; the audience is fixed at that moment, from place,
//! life and privacy. At the end of the step [`deliver`] writes one human message into each audience
//! member's context, all pointing to one body, and one [`Record`] for the feeds. Nothing else writes
//! into another entity's context. This room may touch `cast/`, `context/`, `message/` and `world_data/`.
//! Start reading at [`AgentEvent`], then `tell.rs`.

mod agent_event;
mod deliver;
mod fault;
mod feed;
pub mod guard;
pub mod kinds;
mod prompts;
mod writer;

pub use agent_event::{AgentEvent, EventTypes, Phrasebook, Phrases, register_event};
pub use deliver::deliver;
pub use fault::{Fault, Faults};
pub use feed::{AnswerRecord, By, CallRecord, EventRecord, Feed, Record, Records, Rule, View};
pub use prompts::{PromptError, PromptSet, PromptTemplate};
#[cfg(any(feature = "rpg", feature = "groupchat", feature = "undercover"))]
pub(crate) use writer::write_events_at_meeting;
pub use writer::{ChapterClose, DeferredCommands, EventQueue, EventWriter, PendingEvent};

use bevy_ecs::prelude::*;

use crate::message::Language;

/// Adds what this room needs to a world, with every built-in event type registered.
pub fn install(world: &mut World) {
    world.init_resource::<EventQueue>();
    world.init_resource::<DeferredCommands>();
    world.init_resource::<Records>();
    world.init_resource::<Faults>();
    world.init_resource::<EventTypes>();
    world.init_resource::<Phrasebook>();
    world.init_resource::<Language>();
    world.insert_resource(guard::Guards::none());
    kinds::register(world);
}
