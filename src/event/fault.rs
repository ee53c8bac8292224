//! Mistakes of systems, found while they run and reported after the step.

use bevy_ecs::prelude::*;
use thiserror::Error;

use super::PhraseError;

/// A mistake in a system or in data that it relies on. Any fault stops the run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// An event of a type that is not registered.
    #[error("the event type '{0}' is not registered; call register_event for it while setting up")]
    UnregisteredEvent(String),
    /// A step wrote an event for somebody at another place.
    #[error(
        "a step at '{place}' told '{receiver}', who stands elsewhere, of '{event}'; use EventWriter::defer to cross stages"
    )]
    ToldElsewhere {
        /// The place that stepped.
        place: String,
        /// The receiver.
        receiver: String,
        /// The event's type.
        event: String,
    },
    /// The text of an event could not be made.
    #[error("the text of event '{event}' can't be made: {reason}")]
    NoText {
        /// The event's type.
        event: String,
        /// Why not.
        reason: PhraseError,
    },
    /// A second ask on an entity whose first one is still open.
    #[error("'{entity}' was asked '{second}' while '{first}' is still open; one ask at a time")]
    SecondAsk {
        /// The entity.
        entity: String,
        /// The purpose of the open ask.
        first: String,
        /// The purpose of the second ask.
        second: String,
    },
    /// An ask on an entity that is at another place or has no conversation.
    #[error("'{entity}' was asked '{purpose}', but {reason}")]
    BadAsk {
        /// The entity.
        entity: String,
        /// The ask's purpose.
        purpose: String,
        /// What is wrong.
        reason: String,
    },
    /// A game's own mistake.
    #[error("{0}")]
    Game(String),
}

/// The faults of the running step.
#[derive(Resource, Debug, Default)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// Notes a mistake.
    pub fn note(&mut self, fault: Fault) {
        self.0.push(fault);
    }
}
