//! Why a save can't be written or read.

use std::path::PathBuf;

use thiserror::Error;

use super::limits::FORMAT;
use crate::files::{FileError, FileProblem};
use crate::journal::JournalError;
use crate::locale::{Localize, UiText, text};

/// Why a save can't be written or read. A save that can't be read is left unchanged.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum SaveError {
    /// The world is not at rest.
    NotAtRest(UiText),
    /// An entity of the story lacks a component that every such entity has.
    Incomplete {
        id: u32,
        /// The name of the component.
        missing: &'static str,
    },
    /// A value that can't be written, such as one nested too deeply to be read back.
    Unwritable {
        /// Where in the save, such as `chapters[0].closed`, or which component.
        location: UiText,
        /// Why not, and what to do.
        problem: UiText,
    },
    /// The contexts remember more than a save may hold.
    TooMuch(UiText),
    /// The world to load into already has a cast of this many entities.
    CastPresent(usize),
    /// The text is incomplete.
    Truncated(UiText),
    /// A save of a newer version.
    Newer { found: u64 },
    /// A save of an old version without a migration.
    TooOld { found: u64 },
    Migration {
        /// The format before the migration.
        from: u32,
        source: MigrationError,
    },
    /// A save that was made from other data.
    OtherData {
        /// The fingerprint of the save's data.
        saved: String,
        /// The fingerprint of the current data.
        expected: String,
    },
    /// A message of an event type that is not registered.
    UnknownEvent {
        /// Where in the save.
        location: String,
        /// The name of the type.
        event: String,
        /// The first entity that remembers such an event; empty if there is none.
        entity: String,
        known: String,
    },
    /// Anything else that is invalid.
    Wrong {
        /// Where in the save, such as `entities[3].name`.
        location: String,
        /// What is wrong and how to fix it.
        problem: UiText,
    },
    /// A save on disk that can't be read.
    InFile {
        path: PathBuf,
        /// What is wrong with it.
        source: Box<SaveError>,
    },
    /// A file that can't be read or written.
    File(#[from] FileError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A journal that is missing or has no first line: nothing was ever played.
    NoHead { path: PathBuf },
    /// A snapshot that the journal does not record: one of them is damaged.
    OtherSnapshot { path: PathBuf },
    /// A journal that ends before its snapshot.
    JournalBehind {
        /// The turn of the snapshot.
        turn: u64,
        /// The last turn of the journal.
        last: u64,
    },
    /// A save of which nothing can be saved.
    NothingToSave { path: PathBuf },
    /// A folder that is not a save.
    NotASlot { path: PathBuf },
    /// A name that can't be a slot's.
    BadSlotName {
        name: String,
        /// What is wrong with it.
        reason: UiText,
    },
    /// There is a slot of that name already.
    SlotExists(String),
    /// There is no slot of that name.
    NoSuchSlot {
        name: String,
        /// The folder of all saves.
        root: PathBuf,
    },
    /// Another process writes to the slot.
    SlotBusy(String),
}

/// Why a save can't be migrated.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum MigrationError {
    /// It lacks a member that every save of its version has.
    Missing(&'static str),
    /// A value of it can't be read.
    Json(#[from] serde_json::Error),
}

impl Localize for MigrationError {
    fn text(&self) -> UiText {
        match self {
            Self::Missing(member) => text!(save_migration_missing, member),
            Self::Json(error) => error.text(),
        }
    }
}

impl Localize for SaveError {
    fn text(&self) -> UiText {
        match self {
            Self::NotAtRest(reason) => text!(save_not_at_rest, reason),
            Self::Incomplete { id, missing } => text!(save_incomplete, id, missing),
            Self::Unwritable { location, problem } => {
                text!(save_unwritable, at = location, problem)
            }
            Self::TooMuch(problem) => text!(save_too_much, problem),
            Self::CastPresent(count) => text!(save_cast_present, count),
            Self::Truncated(problem) => text!(save_truncated, problem = problem.clone()),
            Self::Newer { found } => text!(save_newer, found, newest = FORMAT),
            Self::TooOld { found } => text!(save_too_old, found),
            Self::Migration { from, source } => {
                text!(save_migration, from, to = from + 1, problem = source)
            }
            Self::OtherData { .. } => text!(save_other_data),
            Self::UnknownEvent {
                location,
                event,
                entity,
                known,
            } => text!(save_event_unknown, at = location, event, entity, known),
            Self::Wrong { location, problem } => text!(save_wrong, at = location, problem),
            Self::InFile { path, source } => text!(save_in_file, path, source),
            Self::File(error) => match error.problem {
                FileProblem::Io { .. } => text!(save_file, error),
                _ => error.text(),
            },
            Self::Journal(error) => error.text(),
            Self::NoHead { path } => text!(save_no_head, path),
            Self::OtherSnapshot { path } => text!(save_other_snapshot, path),
            Self::JournalBehind { turn, last } => text!(save_journal_behind, turn, last),
            Self::NothingToSave { path } => text!(save_nothing_to_save, path),
            Self::NotASlot { path } => text!(save_not_a_slot, path),
            Self::BadSlotName { name, reason } => {
                let name = name.escape_debug().to_string();
                text!(save_bad_slot_name, name, reason)
            }
            Self::SlotExists(name) => text!(save_slot_exists, name),
            Self::NoSuchSlot { name, root } => text!(save_no_such_slot, name, root),
            Self::SlotBusy(name) => text!(save_slot_busy, name),
        }
    }
}

impl SaveError {
    /// What is wrong with this file.
    pub(super) fn in_file(self, path: PathBuf) -> Self {
        let source = Box::new(self);
        Self::InFile { path, source }
    }

    /// Something invalid at a place of the save, which may quote the file: control characters are
    /// replaced.
    pub(super) fn wrong(location: impl Into<String>, problem: UiText) -> Self {
        Self::Wrong {
            location: location.into().replace(char::is_control, "\u{fffd}"),
            problem,
        }
    }

    /// Something that serde finds invalid at a place of the save.
    pub(super) fn unreadable(location: impl Into<String>, error: &serde_json::Error) -> Self {
        Self::wrong(location, error.text())
    }

    /// Something that serde finds invalid within a member of the save.
    pub(super) fn unreadable_member(
        location: String,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let location = match error.path().to_string().as_str() {
            "." => location,
            within if within.starts_with('[') => location + within,
            within => format!("{location}.{within}"),
        };
        Self::unreadable(location, error.inner())
    }

    /// An index into a list that is shorter.
    pub(super) fn out_of_range(location: String, index: u32, length: usize, list: &str) -> Self {
        Self::wrong(location, text!(save_out_of_range, index, length, list))
    }

    /// A number from which a story can't continue counting.
    pub(super) fn too_large(location: impl Into<String>, number: u64) -> Self {
        Self::wrong(location, text!(save_too_large, number))
    }
}
