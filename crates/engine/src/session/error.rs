//! Why a story can't be started, resumed or replayed.

use std::error::Error as StdError;
use std::fmt;

use thiserror::Error;

use crate::engine::EngineError;
use crate::locale::{Localize, UiText, text};
use crate::save::SaveError;

/// Why a game can't set up its world: any error with a text for people, by `?`.
#[derive(Debug)]
pub struct SetupError {
    text: UiText,
    cause: Box<dyn StdError + Send + Sync>,
}

impl SetupError {
    /// The game's own error.
    pub fn cause(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.cause
    }
}

impl<E: StdError + Localize + Send + Sync + 'static> From<E> for SetupError {
    fn from(error: E) -> Self {
        Self {
            text: error.text(),
            cause: Box::new(error),
        }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(out)
    }
}

impl Localize for SetupError {
    fn text(&self) -> UiText {
        self.text.clone()
    }
}

/// Why a story can't be started, resumed, replayed or branched.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum SessionError {
    /// The slot or its snapshot.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The engine; in a replay, the first difference.
    #[error(transparent)]
    Engine(#[from] Box<EngineError>),
    /// The game can't set up its world.
    World(SetupError),
    /// The world was saved with data that have changed since, and does not fit those of the game.
    Unfit(SetupError),
    /// A snapshot whose seed is not the journal's.
    OtherSeed {
        /// The seed of the snapshot.
        snapshot: u64,
        /// The seed of the journal.
        journal: u64,
    },
    /// A snapshot whose state is not the one that the journal recorded for its turn.
    OtherState {
        /// The turn of the snapshot.
        turn: u64,
        /// The first place that differs; empty for the world's own state.
        place: String,
    },
    /// An answer that does not pass the check of its ask.
    BadAnswer {
        /// Every rule that it breaks.
        reason: UiText,
    },
    /// An ask that is in no turn that is over.
    NoSuchAsk {
        entity: String,
        /// The number of the ask among all of the entity.
        number: u32,
    },
    /// A turn that was never played.
    NoSuchTurn {
        /// The turn that was asked for.
        turn: u64,
        /// The last turn of the journal.
        last: u64,
    },
    /// The journal does not hold all that its turns need.
    NotReplayed {
        /// The last turn that it records.
        turn: u64,
        /// The last turn to which it can be played again.
        last: u64,
    },
}

impl Localize for SessionError {
    fn text(&self) -> UiText {
        match self {
            Self::Save(error) => error.text(),
            Self::Engine(error) => error.text(),
            Self::World(error) => text!(session_world, reason = error),
            Self::Unfit(error) => error.text(),
            Self::OtherSeed { snapshot, journal } => {
                text!(session_other_seed, snapshot, journal)
            }
            Self::OtherState { turn, place } if place.is_empty() => {
                text!(session_other_world_state, turn)
            }
            Self::OtherState { turn, place } => text!(session_other_place_state, turn, place),
            Self::BadAnswer { reason } => text!(session_bad_answer, reason),
            Self::NoSuchAsk { entity, number } => text!(session_no_such_ask, entity, number),
            Self::NoSuchTurn { turn, last } => text!(session_no_such_turn, turn, last),
            Self::NotReplayed { turn, last } => text!(session_not_replayed, turn, last),
        }
    }
}

impl From<EngineError> for SessionError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}
