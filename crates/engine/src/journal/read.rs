//! Reading a journal, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::error::JournalError;
use super::recording::is_of_game;
use super::sums::{Sum, Summed};
use super::{FORMAT, JournalHeader, Line};
use crate::files::{self, FileAction, FileError, FileProblem, MAX_SAVED_VALUES, count_values};
use crate::locale::{Localize, UiText, text};

/// The maximum length of a journal in bytes.
pub(super) const MAX_BYTES: u64 = 1 << 28;

/// The maximum length of a line in bytes.
pub(super) const MAX_LINE: u64 = 1 << 24;

/// The maximum size of a journal's setups of the game together, in bytes: each of them is copied
/// and read as a world, and therefore counted as at least [`MIN_GAME`].
pub(super) const MAX_GAMES: u64 = 1 << 26;
const MIN_GAME: u64 = 1 << 16;

/// A file with more damaged lines than this is hardly a journal.
const MAX_DAMAGED: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct JournalLines {
    /// Every whole line: what it says, or what is wrong with it.
    pub(crate) lines: Vec<Result<Line, UiText>>,
    /// How many lines were before them.
    before: usize,
    /// How many lines can't be read.
    damaged: usize,
    /// Without an incomplete last line.
    pub(super) extent: Extent,
}

/// What lines of a journal take together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// In bytes.
    pub(super) length: u64,
    /// What the setups of the game among them take.
    pub(super) games: u64,
    pub(super) values: usize,
    /// The sum of the last line; `None` if it is damaged, or there is none.
    pub(super) sum: Option<Sum>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Up to the first mistake.
    Whole,
    /// Up to the first mistake, without the questions before the last snapshot.
    ToGoOn,
    /// Damaged lines too.
    Salvage,
}

impl JournalLines {
    /// Takes all lines, or the first mistake.
    pub(super) fn take(&mut self, path: &Path) -> Result<Vec<Line>, JournalError> {
        let lines = std::mem::take(&mut self.lines);
        let first = self.before + 1;
        self.before += lines.len();
        let lines = lines.into_iter().zip(first..);
        let line = |(line, number): (Result<_, UiText>, usize)| {
            line.map_err(|problem| JournalError::Unreadable {
                path: path.to_owned(),
                line: number,
                problem,
            })
        };
        lines.map(line).collect()
    }

    fn add(&mut self, line: Result<Line, UiText>, length: u64) {
        self.extent.length += length;
        let line = line.and_then(|line| self.accepted(line, length));
        self.damaged += usize::from(line.is_err());
        self.lines.push(line);
    }

    /// Drops the questions since the last snapshot.
    fn drop_questions(&mut self) {
        let lines = self.lines.iter_mut().rev();
        let lines = lines.take_while(|line| !matches!(line, Ok(Line::Snapshot(_))));
        for line in lines {
            if let Ok(Line::Outcome(outcome)) = line {
                Arc::make_mut(outcome).asked = String::new();
            }
        }
    }

    /// A line of this length in bytes, if it may follow.
    fn accepted(&mut self, line: Line, length: u64) -> Result<Line, UiText> {
        self.extent.games += games_of(&line, length);
        if matches!(line, Line::Header(_)) != (self.extent.length == length) {
            return Err(text!(journal_misplaced_head));
        }
        if self.extent.games > MAX_GAMES {
            return Err(text!(journal_too_many_worlds, max = MAX_GAMES));
        }
        Ok(line)
    }
}

/// The lines of a journal that is in memory; `name` is for errors.
pub(super) fn decode(bytes: &[u8], name: &Path) -> Result<Vec<Line>, JournalError> {
    let mut found = JournalLines::default();
    read_from(&mut found, bytes, name, Reading::Whole)?;
    found.take(name)
}

pub(super) fn read(
    file: &File,
    path: &Path,
    reading: Reading,
) -> Result<JournalLines, JournalError> {
    let mut found = JournalLines::default();
    read_more(&mut found, file, path, reading)?;
    Ok(found)
}

/// Reads what comes after the lines that were found.
fn read_more(
    found: &mut JournalLines,
    mut file: &File,
    path: &Path,
    reading: Reading,
) -> Result<(), JournalError> {
    let failed = |source| FileError::io(path, FileAction::Read, source);
    let size = file.metadata().map_err(failed)?.len();
    if size > MAX_BYTES {
        return Err(too_large(path, MAX_BYTES).into());
    }
    let start = SeekFrom::Start(found.extent.length);
    file.seek(start).map_err(failed)?;
    read_from(found, BufReader::new(file.take(MAX_BYTES)), path, reading)
}

fn read_from(
    found: &mut JournalLines,
    mut reader: impl BufRead,
    path: &Path,
    reading: Reading,
) -> Result<(), JournalError> {
    let failed = |source| FileError::io(path, FileAction::Read, source);
    let first = found.extent.sum.map(|sum| Checks::Sums(vec![sum]));
    let mut checks = first.unwrap_or(Checks::Head);
    let is_enough = |damaged| damaged > MAX_DAMAGED || damaged > 0 && reading != Reading::Salvage;
    while !is_enough(found.damaged) {
        let mut text = Vec::new();
        let mut limited = reader.by_ref().take(MAX_LINE + 1);
        let length = limited.read_until(b'\n', &mut text).map_err(failed)? as u64;
        if length > MAX_LINE {
            return Err(too_large(path, MAX_LINE).into());
        }
        let is_whole = text.pop_if(|last| *last == b'\n').is_some();
        if !is_whole && !checks.has_lost_its_end(&text) {
            if length > 0 {
                tracing::warn!("{}: the incomplete last line was dropped", path.display());
            }
            break;
        }
        let line = match checks.check(&mut text, path) {
            Ok(()) if is_whole => parsed(&text, &mut found.extent.values),
            Ok(()) => Err(text!(journal_damaged)),
            Err(JournalError::Unreadable { problem, .. }) => Err(problem),
            Err(error) => return Err(error),
        };
        if reading == Reading::ToGoOn && matches!(line, Ok(Line::Snapshot(_))) {
            found.drop_questions();
        }
        found.extent.sum = checks.sum();
        found.add(line, length);
        if !is_whole {
            break;
        }
    }
    Ok(())
}

/// A journal that grows while it is read.
#[derive(Debug)]
pub struct JournalReader {
    path: PathBuf,
    found: JournalLines,
}

impl JournalReader {
    pub fn new(path: PathBuf) -> Self {
        let found = JournalLines::default();
        Self { path, found }
    }

    /// The lines that have come since the last time, without an incomplete last one. What was read
    /// is not read again.
    pub fn next_lines(&mut self) -> Result<Vec<Line>, JournalError> {
        let file = files::open(&self.path)?;
        read_more(&mut self.found, &file, &self.path, Reading::Whole)?;
        self.found.take(&self.path)
    }
}

/// What a line of this length in bytes takes of [`MAX_GAMES`].
pub(super) fn games_of(line: &Line, length: u64) -> u64 {
    if is_of_game(line) {
        length.max(MIN_GAME)
    } else {
        0
    }
}

fn too_large(path: &Path, max: u64) -> FileError {
    FileError {
        path: path.to_owned(),
        problem: FileProblem::TooLarge { max },
    }
}

/// The header of a journal. What follows is not read.
pub(super) fn header_of(file: &File, path: &Path) -> Option<JournalHeader> {
    let mut raw = Vec::new();
    let mut reader = BufReader::new(file.take(MAX_LINE));
    reader.read_until(b'\n', &mut raw).ok()?;
    raw.pop_if(|last| *last == b'\n');
    Checks::Head.check(&mut raw, path).ok()?;
    match parsed(&raw, &mut 0) {
        Ok(Line::Header(head)) => Some(head),
        _ => None,
    }
}

/// Parses a line after others with so many values, to which it adds its own.
fn parsed(raw: &[u8], values: &mut usize) -> Result<Line, UiText> {
    *values += count_values(raw);
    if *values > MAX_SAVED_VALUES {
        return Err(text!(journal_too_many_values, max = MAX_SAVED_VALUES));
    }
    let line = std::str::from_utf8(raw).map_err(|_| text!(journal_damaged))?;
    serde_json::from_str(line).map_err(|error| error.text())
}

/// How the next line is checked.
enum Checks {
    /// It is the first line.
    Head,
    /// What the sum of the lines so far can be; several if the last line was damaged.
    Sums(Vec<Sum>),
}

impl Checks {
    /// Whether the last line lacks nothing but its line end, which must have been lost. A line that
    /// was never completely written looks different.
    fn has_lost_its_end(&self, raw: &[u8]) -> bool {
        let Self::Sums(sums) = self else {
            return false;
        };
        let Some((_, line)) = raw.split_last() else {
            return false;
        };
        let mut line = line.to_vec();
        let summed = Summed::take(&mut line);
        let mut sums = sums.iter().copied();
        sums.any(|mut sum| summed.follows(&mut sum, &line))
    }

    /// The sum of the line before the next one.
    fn sum(&self) -> Option<Sum> {
        match self {
            Self::Head => Some(Sum::default()),
            Self::Sums(sums) => sums.first().copied(),
        }
    }

    /// Checks a line without its end, and removes its sum.
    fn check(&mut self, raw: &mut Vec<u8>, path: &Path) -> Result<(), JournalError> {
        let unreadable = |problem| JournalError::Unreadable {
            path: path.to_owned(),
            line: 1,
            problem,
        };
        let summed = Summed::take(raw);
        match self {
            Self::Head => {
                if let Some(found) = format_of(raw)
                    && found > u64::from(FORMAT)
                    && !summed.is_of_own_format(raw, found)
                {
                    let path = path.to_owned();
                    return Err(JournalError::Newer { path, found });
                }
                let mut sum = Sum::default();
                if summed.follows(&mut sum, raw) {
                    *self = Self::Sums(vec![sum]);
                } else {
                    *self = Self::Sums(summed.guesses(&[sum], raw));
                    return Err(unreadable(text!(journal_damaged)));
                }
            }
            Self::Sums(sums) => {
                let follows = |sum: &mut Sum| summed.follows(sum, raw).then_some(*sum);
                *sums = match sums.iter_mut().find_map(follows) {
                    Some(sum) => vec![sum],
                    None => {
                        *sums = summed.guesses(sums, raw);
                        return Err(unreadable(text!(journal_damaged)));
                    }
                };
            }
        }
        Ok(())
    }
}

/// The format that a first line says; that of a newer version may have other members.
fn format_of(raw: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Versioned {
        head: Version,
    }

    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }

    let line: Versioned = serde_json::from_slice(raw).ok()?;
    Some(line.head.format)
}
