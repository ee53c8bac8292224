//! Why a file can't be read or written.

use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::locale::Localize;

/// Why a file or folder can't be used.
#[derive(Debug, Error, Localize)]
#[text(files_in)]
pub struct FileError {
    pub path: PathBuf,
    pub problem: FileProblem,
}

/// What is wrong with a file or folder.
#[derive(Debug, Error, Localize)]
pub enum FileProblem {
    #[text(files_io)]
    Io {
        action: FileAction,
        source: io::Error,
    },
    /// Something else than a regular file that was to be read.
    #[text(files_not_regular, kind)]
    NotRegular(FileKind),
    /// Something in a folder of ours that does not belong there.
    #[text(files_foreign, kind)]
    Foreign(FileKind),
    /// A file of ours with other names, which writing would change too.
    #[text(files_hard_links)]
    HardLinks,
    /// More bytes than a file of this kind may have.
    #[text(files_too_large)]
    TooLarge { max: u64 },
    #[text(files_not_text)]
    NotText,
}

/// What was done with a file when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Localize)]
pub enum FileAction {
    #[text(files_io_create)]
    Create,
    #[text(files_io_lock)]
    Lock,
    #[text(files_io_open)]
    Open,
    #[text(files_io_read)]
    Read,
    #[text(files_io_remove)]
    Remove,
    #[text(files_io_replace)]
    Replace,
    #[text(files_io_sync_folder)]
    SyncFolder,
    #[text(files_io_write)]
    Write,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Localize)]
pub enum FileKind {
    #[text(files_kind_file)]
    File,
    #[text(files_kind_folder)]
    Folder,
    /// A link, wherever it leads.
    #[text(files_kind_link)]
    Link,
    /// A device, a pipe or a socket.
    #[text(files_kind_special)]
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
