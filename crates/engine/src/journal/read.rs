//! Reading a journal, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Take};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use serde::Deserialize;

use super::error::JournalError;
use super::recording::is_of_game;
use super::sums::{Sum, Summed};
use super::{FORMAT, JournalHeader, Line};
use crate::files::{FileAction, FileError, FileProblem, MAX_EXCESS, excess_weight};
use crate::locale::{Localize, UiText, text};
use crate::parallel;

/// The maximum length of a journal in bytes.
pub(super) const MAX_BYTES: u64 = 1 << 28;

/// The maximum length of a line in bytes.
pub(super) const MAX_LINE: u64 = 1 << 24;

/// How much is parsed at once, in bytes, and a line more.
const BATCH: u64 = 1 << 20;

/// What is parsed on several threads weighs less than this beyond what its length allows.
const LIGHT: u64 = BATCH / 100;

/// What a line weighs in addition to its values.
const LINE_WEIGHT: u64 = 8;

/// The maximum size of a journal's setups of the game together, in bytes: each of them is copied
/// and read as a world, and therefore counted as at least [`MIN_GAME`].
pub(super) const MAX_GAMES: u64 = 1 << 26;
const MIN_GAME: u64 = 1 << 16;

/// How the line of an outcome begins.
const OUTCOME: &[u8] = b"{\"outcome\":";

/// A file with more damaged lines than this is hardly a journal.
const MAX_DAMAGED: usize = 1_000;

/// What can be read of a journal.
#[derive(Debug, Default)]
pub(crate) struct JournalLines {
    /// Every whole line: what it says, or what is wrong with it.
    pub(crate) lines: Vec<Result<Line, UiText>>,
    /// How many lines were checked and left out.
    left_out: usize,
    /// How many lines can't be read.
    damaged: usize,
    /// The length of the file in bytes, without an incomplete last line.
    pub(super) length: u64,
    /// What its lines weigh beyond what their lengths allow.
    pub(super) weight: u64,
    /// What the setups of the game among them take.
    pub(super) games: u64,
    /// The sum of the last line; `None` if it is damaged.
    pub(super) sum: Option<Sum>,
}

/// How a journal is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Up to the first mistake.
    Whole,
    /// The same without outcomes.
    Outline,
    Salvage,
}

impl JournalLines {
    /// All lines, or the first mistake.
    pub(super) fn all(self, path: &Path) -> Result<Vec<Line>, JournalError> {
        let numbers = 1 + self.left_out..;
        let lines = self.lines.into_iter().zip(numbers);
        let line = |(line, number): (Result<_, UiText>, usize)| {
            line.map_err(|problem| JournalError::Unreadable {
                path: path.to_owned(),
                line: number,
                problem,
            })
        };
        lines.map(line).collect()
    }
}

pub(super) fn read(
    file: &File,
    path: &Path,
    reading: Reading,
) -> Result<JournalLines, JournalError> {
    let failed = |source| FileError::io(path, FileAction::Read, source);
    let size = file.metadata().map_err(failed)?.len();
    if size > MAX_BYTES {
        return Err(too_large(path, MAX_BYTES).into());
    }
    let mut found = JournalLines::default();
    let mut lines = RawLines {
        reader: BufReader::new(file.take(MAX_BYTES)),
        checks: Checks::Head,
        path,
        leaves_out: reading == Reading::Outline,
    };
    let mut batch = lines.next_batch(0, 0);
    while !batch.is_empty() {
        let (parsed, next) = if is_long(&batch) {
            let weight = found.weight + weight_of_all(&batch);
            // Meanwhile the next lines are read.
            thread::scope(|scope| {
                let next = scope.spawn(|| lines.next_batch(BATCH, weight));
                let parsed = parallel::map(&batch, parsed_line);
                let next = next.join().unwrap_or_else(|panic| resume_unwind(panic));
                (parsed, Some(next))
            })
        } else {
            (batch.iter().map(parsed_line).collect(), None)
        };
        for (raw, parsed) in batch.into_iter().zip(parsed) {
            let is_last = !raw.as_ref().is_ok_and(|raw| raw.is_whole);
            found.add(raw?, parsed, path)?;
            let is_enough = found.damaged > 0 && reading != Reading::Salvage;
            if is_last || is_enough || found.damaged > MAX_DAMAGED {
                return Ok(found);
            }
        }
        batch = next.unwrap_or_else(|| lines.next_batch(BATCH, found.weight));
    }
    Ok(found)
}

/// What a line of this length in bytes takes of [`MAX_GAMES`].
pub(super) fn games_of(line: &Line, length: u64) -> u64 {
    if is_of_game(line) {
        length.max(MIN_GAME)
    } else {
        0
    }
}

/// What a line weighs beyond what its length allows.
pub(super) fn weight_of(line: &[u8]) -> u64 {
    excess_weight(line, LINE_WEIGHT)
}

fn too_large(path: &Path, max: u64) -> FileError {
    FileError {
        path: path.to_owned(),
        problem: FileProblem::TooLarge { max },
    }
}

fn too_many_values(path: &Path) -> FileError {
    FileError {
        path: path.to_owned(),
        problem: FileProblem::TooManyValues,
    }
}

/// The header of a journal. What follows is not read.
pub(super) fn header_of(file: &File, path: &Path) -> Option<JournalHeader> {
    let mut raw = Vec::new();
    let mut reader = BufReader::new(file.take(MAX_LINE));
    reader.read_until(b'\n', &mut raw).ok()?;
    raw.pop_if(|last| *last == b'\n');
    Checks::Head.check(&mut raw, path).ok()?;
    match parsed(&raw) {
        Ok(Line::Header(head)) => Some(head),
        _ => None,
    }
}

impl JournalLines {
    /// Adds a line that says this.
    fn add(
        &mut self,
        raw: RawLine,
        parsed: Option<Result<Line, UiText>>,
        path: &Path,
    ) -> Result<(), JournalError> {
        self.length += raw.length;
        self.weight += raw.weight;
        self.sum = raw.sum;
        let Some(line) = parsed else {
            self.left_out += 1;
            return Ok(());
        };
        let is_header = matches!(line, Ok(Line::Header(_)));
        let line = match line {
            Ok(_) if is_header != self.lines.is_empty() => Err(text!(journal_misplaced_head)),
            line => line,
        };
        self.games += line.as_ref().map_or(0, |line| games_of(line, raw.length));
        if self.games > MAX_GAMES {
            return Err(too_many_values(path).into());
        }
        self.damaged += usize::from(line.is_err());
        self.lines.push(line);
        Ok(())
    }
}

/// The lines of a file.
struct RawLines<'f> {
    reader: BufReader<Take<&'f File>>,
    checks: Checks,
    path: &'f Path,
    /// Whether outcomes are left out.
    leaves_out: bool,
}

impl RawLines<'_> {
    /// The next lines, checked, up to this length in bytes, but at least one; none at the end of
    /// the file. Those before have this weight. The last one may be what stops reading.
    fn next_batch(
        &mut self,
        max_length: u64,
        mut weight: u64,
    ) -> Vec<Result<RawLine, JournalError>> {
        let mut batch = Vec::new();
        let mut length = 0;
        let max_weight = weight + LIGHT;
        while batch.is_empty() || (length < max_length && weight < max_weight) {
            let raw = match self.next() {
                Ok(Some(raw)) => raw,
                Ok(None) => break,
                Err(error) => {
                    batch.push(Err(error));
                    break;
                }
            };
            length += raw.length;
            weight += raw.weight;
            if weight > MAX_EXCESS {
                batch.push(Err(too_many_values(self.path).into()));
                break;
            }
            batch.push(Ok(raw));
        }
        batch
    }

    /// The next line; `None` if there is none, or only the beginning of one.
    fn next(&mut self) -> Result<Option<RawLine>, JournalError> {
        let path = self.path;
        let failed = |source| FileError::io(path, FileAction::Read, source);
        let mut text = Vec::new();
        let mut limited = self.reader.by_ref().take(MAX_LINE + 1);
        let length = limited.read_until(b'\n', &mut text).map_err(failed)? as u64;
        if length > MAX_LINE {
            return Err(too_large(path, MAX_LINE).into());
        }
        let is_whole = text.pop_if(|last| *last == b'\n').is_some();
        if !is_whole && !self.checks.has_lost_its_end(&text) {
            if length > 0 {
                tracing::warn!("{}: the incomplete last line was dropped", path.display());
            }
            return Ok(None);
        }
        let weight = weight_of(&text);
        let problem = match self.checks.check(&mut text, path) {
            Ok(()) => (!is_whole).then(|| text!(journal_damaged)),
            Err(JournalError::Unreadable { problem, .. }) => Some(problem),
            Err(error) => return Err(error),
        };
        let is_left_out = self.leaves_out && problem.is_none() && text.starts_with(OUTCOME);
        Ok(Some(RawLine {
            text,
            length,
            is_whole,
            weight,
            problem,
            sum: self.checks.sum(),
            is_left_out,
        }))
    }
}

/// A line as it stands in the file, without its end and its sum.
struct RawLine {
    text: Vec<u8>,
    /// Its length with both, in bytes.
    length: u64,
    /// Whether it has its end.
    is_whole: bool,
    weight: u64,
    /// Why it is damaged, if it is.
    problem: Option<UiText>,
    /// The sum of the lines up to it.
    sum: Option<Sum>,
    is_left_out: bool,
}

impl RawLine {
    /// What it says, unless it is left out.
    fn parsed(&self) -> Option<Result<Line, UiText>> {
        if self.is_left_out {
            return None;
        }
        Some(match &self.problem {
            Some(problem) => Err(problem.clone()),
            None => parsed(&self.text),
        })
    }
}

/// What a line says, unless it is left out or stops reading.
fn parsed_line(raw: &Result<RawLine, JournalError>) -> Option<Result<Line, UiText>> {
    raw.as_ref().ok()?.parsed()
}

fn weight_of_all(batch: &[Result<RawLine, JournalError>]) -> u64 {
    batch.iter().flatten().map(|raw| raw.weight).sum()
}

/// Whether these lines are worth another thread, take no more memory than others, and go on.
fn is_long(batch: &[Result<RawLine, JournalError>]) -> bool {
    let is_whole = |raw: &Result<RawLine, _>| {
        let raw = raw.as_ref();
        raw.is_ok_and(|raw| raw.is_whole && raw.problem.is_none())
    };
    let length: u64 = batch.iter().flatten().map(|raw| raw.length).sum();
    length >= BATCH && weight_of_all(batch) < LIGHT && batch.iter().all(is_whole)
}

fn parsed(raw: &[u8]) -> Result<Line, UiText> {
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
