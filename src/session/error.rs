//! Why a story can't be started, resumed or replayed.

use std::path::PathBuf;

use thiserror::Error;

use crate::engine::EngineError;
use crate::journal::JournalError;
use crate::save::SaveError;

/// Why a story can't be started, resumed, replayed or branched.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The slot or its snapshot.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The engine; in a replay, the first difference.
    #[error(transparent)]
    Engine(#[from] Box<EngineError>),
    /// The game can't set its world up.
    #[error("the world can't be set up: {0}")]
    World(String),
    /// A journal without its first line: the program ended while the slot was being made.
    #[error(
        "{path}: the journal has no head, so nothing was ever played here; remove the slot and start anew",
        path = .path.display()
    )]
    NoHead {
        /// The journal's file.
        path: PathBuf,
    },
    /// A snapshot whose seed is not the journal's.
    #[error(
        "the snapshot has seed {snapshot}, its journal {journal}; they are of two runs: put the files back together that belong together"
    )]
    OtherSeed {
        /// The seed of the snapshot.
        snapshot: u64,
        /// The seed of the journal.
        journal: u64,
    },
    /// A snapshot whose state is not the one that the journal recorded for its turn.
    #[error(
        "at turn {turn} the state of '{place}' in the snapshot is not the one in the journal; the files are of two runs, or the game has changed since: put back what belongs together, or force the load"
    )]
    OtherState {
        /// The turn of the snapshot.
        turn: u64,
        /// The first place that differs; empty for the world's own state.
        place: String,
    },
    /// A journal that ends before its snapshot.
    #[error(
        "the snapshot is of turn {turn}, but the journal knows no such turn (its last is {last}); put the journal back that belongs to it"
    )]
    JournalBehind {
        /// The turn of the snapshot.
        turn: u64,
        /// The last turn of the journal.
        last: u64,
    },
    /// A turn that was never played.
    #[error("there is no turn {turn} in this journal; its last is {last}")]
    NoSuchTurn {
        /// The turn that was asked for.
        turn: u64,
        /// The last turn of the journal.
        last: u64,
    },
}

impl From<EngineError> for SessionError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}
