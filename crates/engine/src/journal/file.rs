//! The journal in memory or on disk.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::JournalError;
use super::read::{self, Extent, JournalLines, MAX_BYTES, MAX_GAMES, MAX_LINE, Reading};
use super::sums::{Sum, write_masked};
use super::{JournalHeader, Line, Replica};
use crate::files::{self, FileAction, FileError, MAX_SAVED_VALUES, count_values};

/// The append-only record of a run.
#[derive(Debug)]
pub struct Journal {
    file: Option<JournalFile>,
    /// The lines of a journal in memory.
    lines: Vec<Line>,
    /// Lines that the next append writes first.
    queued: Vec<Line>,
}

#[derive(Debug)]
struct JournalFile {
    file: File,
    path: PathBuf,
    extent: Extent,
    replica: Option<Box<dyn Replica>>,
}

impl Journal {
    /// A journal in memory, for tests and engines that need no save.
    pub fn in_memory(head: JournalHeader) -> Self {
        Self {
            file: None,
            lines: vec![Line::Header(head)],
            queued: Vec::new(),
        }
    }

    /// The bytes of a new journal with these lines, the first of which is its header.
    pub fn encode(lines: &[Line]) -> Vec<u8> {
        let mut sum = Sum::default();
        let mut bytes = Vec::new();
        for line in lines {
            sum.write(line, &mut bytes);
        }
        bytes
    }

    /// The header of a journal, of which nothing else is read.
    pub(crate) fn header_of(file: &File, path: &Path) -> Option<JournalHeader> {
        read::header_of(file, path)
    }

    /// Continues a journal whose file is open for reading and appending, and returns its lines,
    /// read [to go on](Reading::ToGoOn). An incomplete last line is cut off.
    ///
    /// # Errors
    /// The file can't be read, or a line is invalid. The file is left unchanged then.
    pub(crate) fn open(mut file: File, path: &Path) -> Result<(Self, Vec<Line>), JournalError> {
        let mut found = read::read(&file, path, Reading::ToGoOn)?;
        let lines = found.take(path)?;
        let length = found.extent.length;
        let mut cut = || {
            // One that is whole is as old as what it tells.
            if file.metadata()?.len() != length {
                file.set_len(length)?;
                file.sync_data()?;
            }
            file.seek(SeekFrom::End(0))
        };
        cut().map_err(|source| FileError::io(path, FileAction::Write, source))?;
        let file = JournalFile {
            file,
            path: path.to_owned(),
            extent: found.extent,
            replica: None,
        };
        let journal = Self {
            file: Some(file),
            lines: Vec::new(),
            queued: Vec::new(),
        };
        Ok((journal, lines))
    }

    /// Reads a whole journal without opening it for writing. An incomplete last line is left out.
    pub fn read(path: &Path) -> Result<Vec<Line>, JournalError> {
        Self::read_as(Reading::Whole, &files::open(path)?, path)
    }

    /// As [`Self::read`], of a journal in memory, which errors call by this name.
    pub fn decode(bytes: &[u8], name: &str) -> Result<Vec<Line>, JournalError> {
        read::decode(bytes, Path::new(name))
    }

    /// As [`Self::read`], from an open file, up to the first mistake.
    pub(crate) fn read_as(
        reading: Reading,
        file: &File,
        path: &Path,
    ) -> Result<Vec<Line>, JournalError> {
        read::read(file, path, reading)?.take(path)
    }

    /// Whatever can be read of a damaged journal.
    pub(crate) fn salvage(file: &File, path: &Path) -> Result<JournalLines, JournalError> {
        read::read(file, path, Reading::Salvage)
    }

    /// Adds a line that the next [`Self::append`] writes before its own.
    pub fn queue(&mut self, line: Line) {
        self.queued.push(line);
    }

    /// Appends queued lines and these, and syncs once. When this returns, they survive a crash.
    ///
    /// # Errors
    /// The disk is full, read-only or gone. The last line may then be incomplete.
    pub fn append(&mut self, lines: impl Into<Vec<Line>>) -> Result<(), JournalError> {
        let mut lines = lines.into();
        let Some(file) = &mut self.file else {
            self.lines.append(&mut self.queued);
            self.lines.append(&mut lines);
            return Ok(());
        };
        let mut queued = std::mem::take(&mut self.queued);
        queued.append(&mut lines);
        if queued.is_empty() {
            return Ok(());
        }
        file.append(&queued)
    }

    /// Lets a replica have everything before the file has it. It has this many bytes of a journal
    /// on disk already, and is given the rest now.
    pub fn replicate(
        &mut self,
        known: u64,
        mut replica: Box<dyn Replica>,
    ) -> Result<(), JournalError> {
        let Some(JournalFile { file, path, .. }) = &mut self.file else {
            return Ok(());
        };
        let mut rest = Vec::new();
        file.seek(SeekFrom::Start(known))
            .and_then(|_| file.read_to_end(&mut rest))
            .map_err(|source| FileError::io(&*path, FileAction::Read, source))?;
        if !rest.is_empty() {
            replica.append(&rest).map_err(JournalError::Refused)?;
        }
        if let Some(file) = &mut self.file {
            file.replica = Some(replica);
        }
        Ok(())
    }

    /// Lets the replica, if there is one, have a snapshot that these lines record.
    pub(crate) fn save(&mut self, snapshot: impl FnOnce() -> Option<Vec<u8>>) {
        if let Some(JournalFile {
            replica: Some(replica),
            ..
        }) = &mut self.file
            && let Some(snapshot) = snapshot()
        {
            replica.save(&snapshot);
        }
    }

    /// The lines of a journal in memory; empty for one on disk.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

impl JournalFile {
    fn append(&mut self, lines: &[Line]) -> Result<(), JournalError> {
        let mut bytes = Vec::new();
        let mut after = self.extent;
        let full = || JournalError::Full {
            path: self.path.clone(),
        };
        for line in lines {
            let start = bytes.len();
            if let Some(sum) = &mut after.sum {
                sum.write(line, &mut bytes);
            } else {
                write_masked(line, &mut bytes);
                bytes.push(b'\n');
            }
            let own = (bytes.len() - start) as u64;
            after.length += own;
            after.games += read::games_of(line, own);
            if own > MAX_LINE || after.length > MAX_BYTES || after.games > MAX_GAMES {
                return Err(full());
            }
        }
        after.values += count_values(&bytes);
        if after.values > MAX_SAVED_VALUES {
            return Err(full());
        }
        if let Some(replica) = &mut self.replica {
            replica.append(&bytes).map_err(JournalError::Refused)?;
        }
        let file = &mut self.file;
        let written = file.write_all(&bytes).and_then(|()| file.sync_data());
        written.map_err(|source| FileError::io(&self.path, FileAction::Write, source))?;
        self.extent = after;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{JournalReader, Stopped};

    fn opened(folder: &Path, bytes: &[u8]) -> (File, PathBuf) {
        let path = folder.join("journal.jsonl");
        let mut options = File::options();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        (file, path)
    }

    #[test]
    fn a_journal_of_too_many_values_is_refused_unparsed() {
        let mut sum = Sum::default();
        let mut bytes = Vec::new();
        sum.write(&Line::Header(JournalHeader::new("w", "d", 1)), &mut bytes);
        let start = bytes.len();
        let values = "0,".repeat(MAX_SAVED_VALUES);
        bytes.extend_from_slice(format!("{{\"input\":[{values}0]}}").as_bytes());
        sum.close(start, &mut bytes);
        let folder = tempfile::tempdir().unwrap();
        let (file, path) = opened(folder.path(), &bytes);
        let error = Journal::read_as(Reading::Whole, &file, &path).unwrap_err();
        assert!(matches!(error, JournalError::Unreadable { line: 2, .. }));
        assert!(
            error.to_string().contains("more than 4194304 values"),
            "{error}"
        );
    }

    #[test]
    fn a_journal_that_grows_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let header = Line::Header(JournalHeader::new("w", "d", 1));
        let (file, path) = opened(folder.path(), &Journal::encode(&[header]));
        let (mut journal, _) = Journal::open(file, &path).unwrap();
        let mut reader = JournalReader::new(path.clone());
        assert_eq!(reader.next_lines().unwrap().len(), 1);
        for turn in 1..=3 {
            // What was read before could not be read again.
            let length = std::fs::metadata(&path).unwrap().len();
            let mut old = File::options().write(true).open(&path).unwrap();
            old.write_all(&vec![b'?'; length as usize]).unwrap();
            let reason = String::new();
            let line = Line::Stopped(Stopped { turn, reason });
            journal.append(vec![line.clone()]).unwrap();
            assert_eq!(reader.next_lines().unwrap(), [line]);
            assert!(reader.next_lines().unwrap().is_empty());
        }
    }

    #[test]
    fn nothing_is_appended_that_would_not_be_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let header = Line::Header(JournalHeader::new("w", "d", 1));
        let (file, path) = opened(folder.path(), &Journal::encode(&[header]));
        let (mut journal, _) = Journal::open(file, &path).unwrap();
        let line = Line::Stopped(Stopped {
            turn: 1,
            reason: String::new(),
        });
        let values = &mut journal.file.as_mut().unwrap().extent.values;
        *values = MAX_SAVED_VALUES;
        let full = journal.append(vec![line]);
        assert!(matches!(full, Err(JournalError::Full { .. })));
        assert_eq!(Journal::read(&path).unwrap().len(), 1);
    }
}
