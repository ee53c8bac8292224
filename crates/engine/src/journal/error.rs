//! Why a journal can't be read or written.

use std::path::PathBuf;

use thiserror::Error;

use super::FORMAT;
use crate::files::FileError;
use crate::locale::{Localize, UiText};

/// Why a journal can't be read or written.
#[derive(Debug, Error, Localize)]
pub enum JournalError {
    /// The file can't be opened, read or written.
    File(#[from] FileError),
    /// A line that is damaged or no line of a journal, and not the torn last one.
    #[text(journal_unreadable)]
    Unreadable {
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        problem: UiText,
    },
    /// A journal of a newer version.
    #[text(journal_newer, newest = FORMAT)]
    Newer { path: PathBuf, found: u64 },
    /// A line that would make the journal too long to be read back.
    #[text(journal_full)]
    Full { path: PathBuf },
    /// Lines that the place which has them first does not take.
    #[text(|reason| reason.clone())]
    Refused(UiText),
}
