//! Why a journal can't be read or written.

use std::path::PathBuf;

use thiserror::Error;

use super::FORMAT;
use crate::files::FileError;
use crate::locale::{Localize, UiText, text};

/// Why a journal can't be read or written.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum JournalError {
    /// The file can't be opened, read or written.
    File(#[from] FileError),
    /// A line that is damaged or no line of a journal, and not the torn last one.
    Unreadable {
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        problem: UiText,
    },
    /// A journal of a newer version.
    Newer { path: PathBuf, found: u64 },
    /// A line that would make the journal too long to be read back.
    Full { path: PathBuf },
}

impl Localize for JournalError {
    fn text(&self) -> UiText {
        match self {
            Self::File(error) => error.text(),
            Self::Unreadable {
                path,
                line,
                problem,
            } => text!(journal_unreadable, path, line, problem),
            Self::Newer { path, found } => text!(journal_newer, path, found, newest = FORMAT),
            Self::Full { path } => text!(journal_full, path),
        }
    }
}
