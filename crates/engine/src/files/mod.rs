//! Files on disk: bounded reading of regular files, and folders of our own.
//!
//! [`read`] and [`read_text`] read whatever a user names: a regular file, up to a limit, so that a
//! device or a pipe neither hangs nor fills the memory. A [`Folder`] holds files that the program
//! writes: nothing in it is ever reached through a link. Start reading at
//! [`Folder`].

mod access;
mod error;
mod folder;
mod json_values;
#[cfg(not(unix))]
mod portable;
mod read;
#[cfg(unix)]
mod unix;

pub(crate) use access::OpenMode;
pub use error::{FileAction, FileError, FileKind, FileProblem};
pub use folder::{Durability, Folder};
pub use json_values::count_values;
pub(crate) use json_values::{MAX_SAVED_VALUES, has_more_values};
#[cfg(not(unix))]
use portable as system;
pub use read::read_text;
pub use read::{bounded, open, read};
#[cfg(unix)]
use unix as system;
