//! Why a story can't be started, resumed or replayed.

use std::error::Error as StdError;

use thiserror::Error;

use crate::engine::EngineError;
use crate::locale::{Localize, UiText};
use crate::save::SaveError;

/// Why a game can't set up its world: any error with a text for people, by `?`.
#[derive(Debug, Localize)]
#[text(|text, _| text.clone())]
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

/// Why a story can't be started, resumed, replayed or branched.
#[derive(Debug, Error, Localize)]
pub enum SessionError {
    /// The slot or its snapshot.
    Save(#[from] SaveError),
    /// The engine; in a replay, the first difference.
    Engine(#[from] Box<EngineError>),
    /// The game can't set up its world.
    #[text(session_world, reason)]
    World(SetupError),
    /// The world was saved with data that have changed since, and does not fit those of the game.
    Unfit(SetupError),
    /// A snapshot whose seed is not the journal's.
    #[text(session_other_seed)]
    OtherSeed { snapshot: u64, journal: u64 },
    /// A snapshot whose state is not the one that the journal recorded for its turn.
    #[text(session_other_world_state, turn, .. if place.is_empty())]
    #[text(session_other_place_state)]
    OtherState {
        turn: u64,
        /// The first place that differs; empty for the world's own state.
        place: String,
    },
    /// An answer that does not pass the check of its ask.
    #[text(session_bad_answer)]
    BadAnswer {
        /// Every rule that it breaks.
        reason: UiText,
    },
    /// An ask that is in no turn that is over.
    #[text(session_no_such_ask)]
    NoSuchAsk {
        entity: String,
        /// The number of the ask among all of the entity.
        number: u32,
    },
    /// A turn that was never played.
    #[text(session_no_such_turn)]
    NoSuchTurn {
        /// The turn that was asked for.
        turn: u64,
        /// The last turn of the journal.
        last: u64,
    },
    /// The journal does not hold all that its turns need.
    #[text(session_not_replayed)]
    NotReplayed {
        /// The last turn that it records.
        turn: u64,
        /// The last turn to which it can be played again.
        last: u64,
    },
}

impl From<EngineError> for SessionError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}
