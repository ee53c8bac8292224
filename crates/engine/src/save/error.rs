//! Why a save can't be written or read.

use std::path::PathBuf;

use thiserror::Error;

use super::limits::FORMAT;
use crate::files::{FileError, FileProblem};
use crate::journal::JournalError;
use crate::locale::{Localize, UiText, text};

/// Why a save can't be written or read. A save that can't be read is left unchanged.
#[derive(Debug, Error, Localize)]
pub enum SaveError {
    /// The world is not at rest.
    #[text(save_not_at_rest, reason)]
    NotAtRest(UiText),
    /// An entity of the story lacks a component that every such entity has.
    #[text(save_incomplete)]
    Incomplete { id: u32, missing: &'static str },
    /// A value that can't be written, such as one nested too deeply to be read back.
    #[text(save_unwritable)]
    Unwritable {
        /// Where in the save, such as `chapters[0].closed`, or which component.
        location: UiText,
        /// Why not, and what to do.
        problem: UiText,
    },
    /// The contexts remember more than a save may hold.
    #[text(save_too_much, problem)]
    TooMuch(UiText),
    /// The world to load into already has a cast of this many entities.
    #[text(save_cast_present, count)]
    CastPresent(usize),
    /// The text is incomplete.
    #[text(save_truncated, problem)]
    Truncated(UiText),
    /// A save of a newer version.
    #[text(save_newer, newest = FORMAT)]
    Newer { found: u64 },
    /// A save of an old version.
    #[text(save_too_old)]
    TooOld { found: u64 },
    /// A save that was made from other data.
    #[text(save_other_data, ..)]
    OtherData {
        /// The fingerprint of the save's data.
        saved: String,
        /// The fingerprint of the current data.
        expected: String,
    },
    /// A message of an event type that is not registered.
    #[text(save_event_unknown)]
    UnknownEvent {
        location: String,
        event: String,
        known: String,
    },
    /// Anything else that is invalid.
    #[text(save_wrong)]
    Wrong {
        /// Where in the save, such as `entities[3].name`.
        location: String,
        /// What is wrong and how to fix it.
        problem: UiText,
    },
    /// A save on disk that can't be read.
    #[text(save_in_file)]
    InFile {
        path: PathBuf,
        source: Box<SaveError>,
    },
    /// A file that can't be read or written.
    #[text(save_file, error if matches!(error.problem, FileProblem::Io { .. }))]
    #[text(|error| error.text())]
    File(#[from] FileError),
    /// A journal that can't be read or written.
    Journal(#[from] JournalError),
    /// A journal that is missing or has no first line: nothing was ever played.
    #[text(save_no_head)]
    NoHead { path: PathBuf },
    /// A snapshot that the journal does not record: one of them is damaged.
    #[text(save_other_snapshot)]
    OtherSnapshot { path: PathBuf },
    /// A journal that ends before its snapshot.
    #[text(save_journal_behind)]
    JournalBehind {
        turn: u64,
        /// The last turn of the journal.
        last: u64,
    },
    #[text(save_nothing_to_save)]
    NothingToSave { path: PathBuf },
    /// A folder that is not a save.
    #[text(save_not_a_slot)]
    NotASlot { path: PathBuf },
    /// A name that can't be a slot's.
    #[text(save_bad_slot_name, name = name.escape_debug().to_string())]
    BadSlotName { name: String, reason: UiText },
    /// There is a slot of that name already.
    #[text(save_slot_exists, name)]
    SlotExists(String),
    /// There is no slot of that name.
    #[text(save_no_such_slot)]
    NoSuchSlot { name: String, root: PathBuf },
    /// Another process writes to the slot.
    #[text(save_slot_busy, name)]
    SlotBusy(String),
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
