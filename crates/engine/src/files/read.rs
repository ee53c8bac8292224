//! Reading regular files, up to a limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::{FileAction, FileError, FileKind, FileProblem};
use super::system;

/// The bytes of a regular file of at most `max` bytes. Links are followed.
pub fn read(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    bounded(&open(path)?, path, max)
}

/// As [`read`], of text.
pub fn read_text(path: &Path, max: u64) -> Result<String, FileError> {
    String::from_utf8(read(path, max)?).map_err(|_| FileError::new(path, FileProblem::NotText))
}

/// Opens a regular file for reading. Links are followed.
pub fn open(path: &Path) -> Result<File, FileError> {
    let failed = |source| FileError::io(path, FileAction::Open, source);
    let file = system::open_any(path).map_err(failed)?;
    let kind = file.metadata().map_err(failed)?.file_type().into();
    match kind {
        FileKind::File => Ok(file),
        kind => Err(FileError::new(path, FileProblem::NotRegular(kind))),
    }
}

/// What is left to read of a regular file, at most `max` bytes.
pub fn bounded(file: &File, path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::io(path, FileAction::Read, source);
    let too_large = || FileError::new(path, FileProblem::TooLarge { max });
    let length = file.metadata().map_err(failed)?.len();
    if length > max {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(length as usize + 1);
    // A file may grow while it is read.
    file.take(max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > max {
        return Err(too_large());
    }
    Ok(bytes)
}
