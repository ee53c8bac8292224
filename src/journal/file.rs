//! The journal in memory or on disk.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{FORMAT, JournalHeader, Line};
use crate::locale::{Localize, UiText, text};
use crate::secrets::redact_json;

/// Why a journal can't be read or written.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum JournalError {
    /// The file can't be opened, read or written.
    Io {
        /// The journal's file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line that is no line of a journal, and not the torn last one.
    Unreadable {
        /// The journal's file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        problem: UiText,
    },
    /// A journal of a newer version.
    Newer {
        /// The journal's file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl Localize for JournalError {
    fn text(&self) -> UiText {
        match self {
            Self::Io { path, source } => text!(journal_io, path, source),
            Self::Unreadable {
                path,
                line,
                problem,
            } => text!(journal_unreadable, path, line, problem),
            Self::Newer { path, found } => text!(journal_newer, path, found, newest = FORMAT),
        }
    }
}

/// The append-only record of a run.
#[derive(Debug)]
pub struct Journal {
    file: Option<(File, PathBuf)>,
    /// The lines of a journal in memory.
    lines: Vec<Line>,
}

impl Journal {
    /// A journal in memory, for tests and engines that need no save.
    pub fn in_memory(head: JournalHeader) -> Self {
        Self {
            file: None,
            lines: vec![Line::Header(head)],
        }
    }

    /// A new journal on disk. The file must not exist.
    ///
    /// # Errors
    /// The file can't be made or written.
    pub fn create(path: &Path, head: JournalHeader) -> Result<Self, JournalError> {
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        let file = file.map_err(|source| io_error(path, source))?;
        let mut journal = Self {
            file: Some((file, path.to_owned())),
            lines: Vec::new(),
        };
        journal.append(&[Line::Header(head)])?;
        Ok(journal)
    }

    /// Opens a journal for appending, and returns its lines. An incomplete last line is cut off.
    ///
    /// # Errors
    /// The file can't be read, or a line is invalid. The file is left unchanged then.
    pub fn open(path: &Path) -> Result<(Self, Vec<Line>), JournalError> {
        let (lines, length) = read_lines(path)?;
        let file = OpenOptions::new().read(true).append(true).open(path);
        let mut file = file.map_err(|source| io_error(path, source))?;
        let mut cut = || {
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            file.sync_data()
        };
        cut().map_err(|source| io_error(path, source))?;
        let journal = Self {
            file: Some((file, path.to_owned())),
            lines: Vec::new(),
        };
        Ok((journal, lines))
    }

    /// Reads a journal without opening it for writing. An incomplete last line is left out.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn read(path: &Path) -> Result<Vec<Line>, JournalError> {
        Ok(read_lines(path)?.0)
    }

    /// Appends lines and syncs once. When this returns, they survive a crash.
    ///
    /// # Errors
    /// The disk is full, read-only or gone. The last line may then be incomplete.
    pub fn append(&mut self, lines: impl Into<Vec<Line>>) -> Result<(), JournalError> {
        let lines = lines.into();
        match &mut self.file {
            None => self.lines.extend(lines),
            Some((file, path)) => {
                let mut bytes = Vec::new();
                for line in &lines {
                    let start = bytes.len();
                    // Nothing in a line can fail to serialize.
                    let _ = serde_json::to_writer(&mut bytes, line);
                    redact_json(&mut bytes, start);
                    bytes.push(b'\n');
                }
                let written = file.write_all(&bytes).and_then(|()| file.sync_data());
                written.map_err(|source| io_error(path, source))?;
            }
        }
        Ok(())
    }

    /// The lines of a journal in memory; empty for one on disk.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

fn io_error(path: &Path, source: std::io::Error) -> JournalError {
    JournalError::Io {
        path: path.to_owned(),
        source,
    }
}

/// All complete lines, and their length in bytes.
fn read_lines(path: &Path) -> Result<(Vec<Line>, u64), JournalError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|mut file| file.read_to_end(&mut text));
    read.map_err(|source| io_error(path, source))?;
    let mut lines = Vec::new();
    let mut length = 0;
    for (index, raw) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !raw.ends_with(b"\n") {
            tracing::warn!("{}: the incomplete last line was dropped", path.display());
            break;
        }
        let unreadable = |problem: UiText| JournalError::Unreadable {
            path: path.to_owned(),
            line: index + 1,
            problem,
        };
        if index == 0 {
            check_format(path, raw)?;
        }
        let line: Line = serde_json::from_slice(raw).map_err(|error| unreadable(error.text()))?;
        if matches!(line, Line::Header(_)) != (index == 0) {
            return Err(unreadable(text!(journal_misplaced_head)));
        }
        lines.push(line);
        length += raw.len() as u64;
    }
    Ok((lines, length))
}

/// A newer journal may have another header, so its version is read first.
fn check_format(path: &Path, raw: &[u8]) -> Result<(), JournalError> {
    let value: serde_json::Value = serde_json::from_slice(raw).unwrap_or_default();
    let found = value
        .pointer("/head/format")
        .and_then(serde_json::Value::as_u64);
    match found {
        Some(found) if found > u64::from(FORMAT) => Err(JournalError::Newer {
            path: path.to_owned(),
            found: found as u32,
        }),
        _ => Ok(()),
    }
}
