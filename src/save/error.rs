//! Why a save can't be written or read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::limits::{FORMAT, MAX_ENTRIES};

/// Why a save can't be written or read. A save that can't be read is left as it is.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The world is in the middle of something.
    #[error(
        "the world does not rest ({0}); take snapshots after a turn only, when every place has come to rest"
    )]
    NotAtRest(String),
    /// An entity of the cast lacks what every entity of the story has.
    #[error(
        "the entity of number {id} has no {missing}; enter the cast with cast::spawn, which gives it one"
    )]
    Incomplete {
        /// Its stable number.
        id: u32,
        /// The name of the component.
        missing: &'static str,
    },
    /// A value that can't be written, such as one nested too deeply to be read back.
    #[error("{at} can't be saved: {problem}")]
    Unwritable {
        /// Where in the save, such as `entities[3].components.notes`.
        at: String,
        /// Why not, and what to do.
        problem: String,
    },
    /// More than could be read back.
    #[error(
        "the cast remembers {0} messages, each counted for all who remember it; a save holds at most {MAX_ENTRIES}; let fewer entities hear each message"
    )]
    TooManyEntries(u64),
    /// The world to restore into has a cast already.
    #[error("a save is read into a world without a cast; this one has {0} entities")]
    CastPresent(usize),
    /// The text ends in the middle.
    #[error("the save is truncated: {0}; restore it from a copy, or replay its journal")]
    Truncated(String),
    /// A save of a newer version.
    #[error(
        "the save has format {found}, this program reads up to {FORMAT}; use a newer playhouse"
    )]
    Newer {
        /// Its format.
        found: u64,
    },
    /// A save so old that nothing brings it up to date.
    #[error(
        "the save has format {found}, and no migration from it is known; load it with the playhouse that wrote it"
    )]
    TooOld {
        /// Its format.
        found: u64,
    },
    /// A migration could not understand the save.
    #[error("the save of format {from} can't be brought to format {}: {problem}", from + 1)]
    Migration {
        /// The format before the migration.
        from: u32,
        /// What was wrong.
        problem: String,
    },
    /// A save that was made from other data.
    #[error(
        "the save was made from world data {saved}, this is {expected}; restore the data it was made from, or force the load and accept what differs"
    )]
    OtherData {
        /// The fingerprint of the save's data.
        saved: String,
        /// The fingerprint of the data at hand.
        expected: String,
    },
    /// A message of an event type that is not registered.
    #[error(
        "{at}: unknown event type '{event}' in the context of '{entity}'; known are {known}; load the save with the game that registers it"
    )]
    UnknownEvent {
        /// Where in the save.
        at: String,
        /// The type's name.
        event: String,
        /// The first entity that remembers such an event; empty where nobody does.
        entity: String,
        /// The names that are registered.
        known: String,
    },
    /// Something else that does not fit.
    #[error("{at}: {problem}")]
    Wrong {
        /// Where in the save, such as `entities[3].name`.
        at: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A save on disk that can't be read.
    #[error("{path}: {source}; the file is left as it is", path = .path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<SaveError>,
    },
    /// The file system refused.
    #[error("{path}: can't {action}: {source}; what was saved before is whole", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A name that can't be a slot's.
    #[error("'{name}' can't name a save: {reason}", name = name.escape_debug())]
    BadSlotName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A slot of that name exists.
    #[error("there is a save '{0}' already; resume it, or choose another name")]
    SlotExists(String),
    /// No slot of that name.
    #[error("there is no save '{name}' in {root}", root = .root.display())]
    NoSuchSlot {
        /// The name.
        name: String,
        /// The folder of all saves.
        root: PathBuf,
    },
    /// Another process writes to the slot.
    #[error("the save '{0}' is in use by another process; stop that one first")]
    SlotBusy(String),
}

impl SaveError {
    /// Something that does not fit at a place of the save.
    pub(super) fn wrong(at: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Wrong {
            at: without_controls(&at.into()),
            problem: without_controls(&problem.into()),
        }
    }

    /// An index into a list that is shorter.
    pub(super) fn out_of_range(at: String, index: u32, length: usize, list: &str) -> Self {
        let problem = format!("{index} is out of range; there are {length} {list}");
        Self::wrong(at, problem)
    }

    /// A number that leaves no room to count on.
    pub(super) fn too_large(at: impl Into<String>, number: u64) -> Self {
        Self::wrong(at, format!("{number} is too large to count on from"))
    }

    /// A value that JSON can't hold, or that could not be read back.
    pub(super) fn unwritable(at: impl Into<String>, error: &serde_json::Error) -> Self {
        Self::Unwritable {
            at: at.into(),
            problem: error.to_string(),
        }
    }
}

/// An error that names its file and what was tried.
pub(crate) fn io_error(path: &Path, action: &'static str, source: io::Error) -> SaveError {
    SaveError::Io {
        path: path.to_owned(),
        action,
        source,
    }
}

/// The same text, safe for a terminal: what a file holds may be anything.
fn without_controls(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}
