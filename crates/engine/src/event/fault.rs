//! Mistakes of systems, found while they run and reported after the step.

use bevy_ecs::prelude::*;
use thiserror::Error;

use super::PhraseError;
use crate::locale::{Localize, UiText};

/// A mistake in a system or in data that it relies on. Any fault stops the run.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum Fault {
    /// An event of a type that is not registered.
    #[text(event_unregistered, event)]
    UnregisteredEvent(String),
    /// A step wrote an event for an entity at another place.
    #[text(event_told_elsewhere)]
    ToldElsewhere {
        /// The place that stepped.
        place: String,
        receiver: String,
        event: String,
    },
    /// The text of an event could not be made.
    #[text(event_no_text)]
    NoText { event: String, reason: PhraseError },
    /// A second ask on an entity whose first one is still open.
    #[text(event_second_ask)]
    SecondAsk {
        entity: String,
        /// The purpose of the open ask.
        first: String,
        /// The purpose of the second ask.
        second: String,
    },
    /// An ask on an entity that is at another place or has no conversation.
    #[text(event_bad_ask)]
    BadAsk {
        entity: String,
        purpose: String,
        reason: UiText,
    },
    /// A phrase that the game needs can't be made.
    Phrase(#[from] PhraseError),
    /// Any other mistake, such as a game's own.
    Game(UiText),
}

/// The faults of the running step.
#[derive(Resource, Debug, Default)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    pub fn note(&mut self, fault: Fault) {
        self.0.push(fault);
    }
}
