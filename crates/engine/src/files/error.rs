//! Why a file can't be read or written.

use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::locale::{Localize, UiText, text};

/// Why a file or folder can't be used.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: FileProblem,
}

/// What is wrong with a file or folder.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum FileProblem {
    /// The file system refused.
    Io {
        action: FileAction,
        /// The error of the system.
        source: io::Error,
    },
    /// Something else than a regular file that was to be read.
    NotRegular(FileKind),
    /// Something in a folder of ours that does not belong there.
    Foreign(FileKind),
    /// A file of ours with other names, which writing would change too.
    HardLinks,
    /// More bytes than a file of this kind may have.
    TooLarge {
        max: u64,
    },
    NotText,
}

/// What was done with a file when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAction {
    Create,
    Lock,
    Open,
    Read,
    Remove,
    Replace,
    SyncFolder,
    Write,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    File,
    Folder,
    /// A link, wherever it leads.
    Link,
    /// A device, a pipe or a socket.
    Special,
}

impl FileError {
    pub(super) fn new(path: &Path, problem: FileProblem) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }

    /// A failure of the file system.
    pub(crate) fn io(path: &Path, action: FileAction, source: io::Error) -> Self {
        Self::new(path, FileProblem::Io { action, source })
    }

    /// What the system said, if it was the system that refused.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match &self.problem {
            FileProblem::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}

impl Localize for FileError {
    fn text(&self) -> UiText {
        text!(files_in, path = &self.path, problem = &self.problem)
    }
}

impl Localize for FileProblem {
    fn text(&self) -> UiText {
        match self {
            Self::Io { action, source } => match action {
                FileAction::Create => text!(files_io_create, source),
                FileAction::Lock => text!(files_io_lock, source),
                FileAction::Open => text!(files_io_open, source),
                FileAction::Read => text!(files_io_read, source),
                FileAction::Remove => text!(files_io_remove, source),
                FileAction::Replace => text!(files_io_replace, source),
                FileAction::SyncFolder => text!(files_io_sync_folder, source),
                FileAction::Write => text!(files_io_write, source),
            },
            Self::NotRegular(kind) => text!(files_not_regular, kind),
            Self::Foreign(kind) => text!(files_foreign, kind),
            Self::HardLinks => text!(files_hard_links),
            Self::TooLarge { max } => text!(files_too_large, max),
            Self::NotText => text!(files_not_text),
        }
    }
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> Self {
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}

impl Localize for FileKind {
    fn text(&self) -> UiText {
        match self {
            Self::File => text!(files_kind_file),
            Self::Folder => text!(files_kind_folder),
            Self::Link => text!(files_kind_link),
            Self::Special => text!(files_kind_special),
        }
    }
}
