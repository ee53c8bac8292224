//! Reading a journal, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;

use super::error::JournalError;
use super::sums::{Sum, Summed};
use super::{FORMAT, Line};
use crate::files::{FileAction, FileError, FileProblem};
use crate::locale::{Localize, UiText, text};

/// The maximum length of a journal in bytes.
pub(super) const MAX_BYTES: u64 = 1 << 28;

/// The maximum length of a line in bytes.
pub(super) const MAX_LINE: u64 = 1 << 24;

/// A file with more damaged lines than this is hardly a journal.
const MAX_DAMAGED: usize = 1_000;

/// The first format whose lines have sums.
const FIRST_WITH_SUMS: u32 = 2;

/// What can be read of a journal.
#[derive(Debug, Default)]
pub(crate) struct JournalLines {
    /// Every whole line: what it says, or what is wrong with it.
    pub(crate) lines: Vec<Result<Line, UiText>>,
    /// Their length in bytes, without an incomplete last line.
    pub(super) length: u64,
    /// The sum of the last line; `None` for journals of old formats, which have none.
    pub(super) sum: Option<Sum>,
}

impl JournalLines {
    /// All lines, or the first mistake.
    pub(super) fn all(self, path: &Path) -> Result<Vec<Line>, JournalError> {
        let numbered = self.lines.into_iter().zip(1..);
        let line = |(line, number): (Result<_, UiText>, usize)| {
            line.map_err(|problem| JournalError::Unreadable {
                path: path.to_owned(),
                line: number,
                problem,
            })
        };
        numbered.map(line).collect()
    }
}

/// Reads a whole journal. If `stops`, nothing is read after the first mistake.
pub(super) fn read(file: &File, path: &Path, stops: bool) -> Result<JournalLines, JournalError> {
    let failed = |source| FileError::io(path, FileAction::Read, source);
    let too_large = |max| FileError {
        path: path.to_owned(),
        problem: FileProblem::TooLarge { max },
    };
    if file.metadata().map_err(failed)?.len() > MAX_BYTES {
        return Err(too_large(MAX_BYTES).into());
    }
    let mut reader = BufReader::new(file.take(MAX_BYTES));
    let mut found = JournalLines::default();
    let mut checks = Checks::Head;
    let mut damaged = 0;
    loop {
        let mut raw = Vec::new();
        let mut limited = reader.by_ref().take(MAX_LINE + 1);
        let length = limited.read_until(b'\n', &mut raw).map_err(failed)? as u64;
        if length > MAX_LINE {
            return Err(too_large(MAX_LINE).into());
        }
        let is_whole = raw.pop_if(|last| *last == b'\n').is_some();
        if !is_whole && !checks.has_lost_its_end(&raw) {
            if length > 0 {
                tracing::warn!("{}: the incomplete last line was dropped", path.display());
            }
            break;
        }
        found.length += length;
        let line = match checks.check(raw, path) {
            Ok(line) if is_whole => Ok(line),
            Ok(_) => Err(text!(journal_damaged)),
            Err(JournalError::Unreadable { problem, .. }) => Err(problem),
            Err(error) => return Err(error),
        };
        damaged += usize::from(line.is_err());
        found.lines.push(line);
        if !is_whole || (damaged > 0 && stops) || damaged > MAX_DAMAGED {
            break;
        }
    }
    found.sum = match checks {
        Checks::Head => Some(Sum::default()),
        Checks::Plain => None,
        Checks::Sums(sums) => sums.first().copied(),
    };
    Ok(found)
}

/// How the next line is checked.
enum Checks {
    /// It is the first line.
    Head,
    /// The journal has no sums.
    Plain,
    /// What the sum of the lines so far can be; several if the last line was damaged.
    Sums(Vec<Sum>),
}

impl Checks {
    /// Whether the last line, which has no line end, is whole but for that: whatever is written as
    /// the end of a line is no longer there. A line that was never written to its end looks
    /// different.
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

    /// Checks and reads a line without its end.
    fn check(&mut self, mut raw: Vec<u8>, path: &Path) -> Result<Line, JournalError> {
        let is_head = matches!(self, Self::Head);
        let unreadable = |problem| JournalError::Unreadable {
            path: path.to_owned(),
            line: 1,
            problem,
        };
        let summed = Summed::take(&mut raw);
        match self {
            Self::Plain => {}
            Self::Head => {
                let format = format_of(&raw);
                if let Some(found) = format
                    && found > u64::from(FORMAT)
                    && !summed.is_of_own_format(&raw, found)
                {
                    let path = path.to_owned();
                    return Err(JournalError::Newer { path, found });
                }
                let mut sum = Sum::default();
                // A line that says a sum is of a format that has them, whatever its number says.
                let has_sums = summed.is_said()
                    || format.is_none_or(|found| found >= u64::from(FIRST_WITH_SUMS));
                if !has_sums {
                    *self = Self::Plain;
                } else if summed.follows(&mut sum, &raw) {
                    *self = Self::Sums(vec![sum]);
                } else {
                    *self = Self::Sums(summed.guesses(&[sum], &raw));
                    return Err(unreadable(text!(journal_damaged)));
                }
            }
            Self::Sums(sums) => {
                let follows = |sum: &mut Sum| summed.follows(sum, &raw).then_some(*sum);
                *sums = match sums.iter_mut().find_map(follows) {
                    Some(sum) => vec![sum],
                    None => {
                        *sums = summed.guesses(sums, &raw);
                        return Err(unreadable(text!(journal_damaged)));
                    }
                };
            }
        }
        let line: Line = serde_json::from_slice(&raw).map_err(|error| unreadable(error.text()))?;
        if matches!(line, Line::Header(_)) != is_head {
            return Err(unreadable(text!(journal_misplaced_head)));
        }
        Ok(line)
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
