//! Mistakes of systems, found while they run and reported after the step.

use bevy_ecs::prelude::*;
use thiserror::Error;

use super::PhraseError;
use crate::locale::{Localize, UiText, text};

/// A mistake in a system or in data that it relies on. Any fault stops the run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.text())]
pub enum Fault {
    /// An event of a type that is not registered.
    UnregisteredEvent(String),
    /// A step wrote an event for somebody at another place.
    ToldElsewhere {
        /// The place that stepped.
        place: String,
        receiver: String,
        event: String,
    },
    /// The text of an event could not be made.
    NoText { event: String, reason: PhraseError },
    /// A second ask on an entity whose first one is still open.
    SecondAsk {
        entity: String,
        /// The purpose of the open ask.
        first: String,
        /// The purpose of the second ask.
        second: String,
    },
    /// An ask on an entity that is at another place or has no conversation.
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

impl Localize for Fault {
    fn text(&self) -> UiText {
        match self {
            Self::UnregisteredEvent(event) => text!(event_unregistered, event),
            Self::ToldElsewhere {
                place,
                receiver,
                event,
            } => text!(event_told_elsewhere, place, receiver, event),
            Self::NoText { event, reason } => text!(event_no_text, event, reason),
            Self::SecondAsk {
                entity,
                first,
                second,
            } => text!(event_second_ask, entity, first, second),
            Self::BadAsk {
                entity,
                purpose,
                reason,
            } => text!(event_bad_ask, entity, purpose, reason),
            Self::Phrase(error) => error.text(),
            Self::Game(reason) => reason.clone(),
        }
    }
}

/// The faults of the running step.
#[derive(Resource, Debug, Default)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    pub fn note(&mut self, fault: Fault) {
        self.0.push(fault);
    }
}
