//! Reading a journal, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Take};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use serde::Deserialize;

use super::base::{Base, MAX_DEPTH, Others};
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
    /// Where each of them ends.
    pub(super) ends: Vec<End>,
    /// How many lines were checked and left out.
    left_out: usize,
    /// How many lines can't be read.
    damaged: usize,
    /// How many journals share their beginnings with it, one in the other.
    pub(super) depth: usize,
    /// The length of the file in bytes, without an incomplete last line.
    pub(super) length: u64,
    /// What its lines and those that it shares weigh beyond what their lengths allow.
    pub(super) weight: u64,
    /// What the setups of the game among them take.
    pub(super) games: u64,
    /// The sum of the last line; `None` if it is damaged.
    pub(super) sum: Option<Sum>,
}

/// Where a line ends.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// The slot in whose journal it is; `None` for that which was read.
    pub(super) slot: Option<Arc<str>>,
    /// The length of that journal up to here in bytes.
    pub(super) length: u64,
    /// The sum of the line; `None` if it is damaged.
    pub(super) sum: Option<Sum>,
}

impl JournalLines {
    /// All lines, or the first mistake.
    pub(super) fn all(self, path: &Path) -> Result<Vec<Line>, JournalError> {
        let mut number = 0;
        let left_out = self.left_out;
        let lines = self.lines.into_iter().zip(&self.ends);
        let line = |(line, end): (Result<_, UiText>, &End)| {
            // All that is shared is one line of the file.
            number += if end.slot.is_none() || number == 1 {
                1
            } else {
                0
            };
            line.map_err(|problem| JournalError::Unreadable {
                path: path.to_owned(),
                line: number + left_out,
                problem,
            })
        };
        lines.map(line).collect()
    }
}

/// Reads a whole journal. Without `others`, only its own file is read, and outcomes, which are most
/// of it, are left out. If `stops`, nothing is read after the first mistake.
pub(super) fn read(
    file: &File,
    path: &Path,
    stops: bool,
    others: Option<&Others<'_>>,
) -> Result<JournalLines, JournalError> {
    let failed = |source| FileError::io(path, FileAction::Read, source);
    let size = file.metadata().map_err(failed)?.len();
    let Some(left) = MAX_BYTES.checked_sub(size) else {
        return Err(too_large(path, MAX_BYTES).into());
    };
    let reader = Reader {
        others,
        stops,
        depth: 0,
        limit: MAX_BYTES,
        left,
        weight: MAX_EXCESS,
        games: MAX_GAMES,
    };
    reader.read(file, path)
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

/// The header of a journal, and its base if it is that of a branch. What follows is not read.
pub(super) fn beginning_of(file: &File, path: &Path) -> Option<(JournalHeader, Option<Base>)> {
    let mut reader = BufReader::new(file.take(MAX_LINE));
    let mut checks = Checks::Head;
    let mut next = || {
        let mut raw = Vec::new();
        reader.read_until(b'\n', &mut raw).ok()?;
        raw.pop_if(|last| *last == b'\n');
        checks.check(&mut raw, path).ok()?;
        Some(raw)
    };
    let Ok(Line::Header(head)) = parsed(&next()?) else {
        return None;
    };
    let base = next().and_then(|second| Base::of(&second)?.ok());
    Some((head, base))
}

struct Reader<'o> {
    /// `None` if what is shared is left out.
    others: Option<&'o Others<'o>>,
    stops: bool,
    /// How many journals are being read whose base this one is.
    depth: usize,
    /// How much of the file is read, in bytes.
    limit: u64,
    /// How long the bases may be in all, in bytes.
    left: u64,
    /// What its lines may weigh beyond what their lengths allow, those of its bases included.
    weight: u64,
    /// What its setups of the game may take, those of its bases included.
    games: u64,
}

impl Reader<'_> {
    fn read(&self, file: &File, path: &Path) -> Result<JournalLines, JournalError> {
        let mut found = JournalLines::default();
        let mut lines = RawLines {
            reader: BufReader::new(file.take(self.limit)),
            checks: Checks::Head,
            path,
            max_weight: self.weight,
            leaves_out: self.others.is_none(),
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
                self.add(raw?, parsed, &mut found, path)?;
                if is_last || (found.damaged > 0 && self.stops) || found.damaged > MAX_DAMAGED {
                    return Ok(found);
                }
            }
            // What a base weighs, which is the second line, counts for those after it.
            let max_length = if found.lines.len() < 2 { 0 } else { BATCH };
            batch = next.unwrap_or_else(|| lines.next_batch(max_length, found.weight));
        }
        Ok(found)
    }

    /// Adds a line that says this.
    fn add(
        &self,
        raw: RawLine,
        parsed: Option<Result<Line, UiText>>,
        found: &mut JournalLines,
        path: &Path,
    ) -> Result<(), JournalError> {
        found.length += raw.length;
        found.weight += raw.weight;
        found.sum = raw.sum;
        let Some(parsed) = parsed else {
            found.left_out += 1;
            return Ok(());
        };
        let base = (found.lines.len() == 1)
            .then(|| Base::of(&raw.text))
            .flatten();
        let line = match base.filter(|_| raw.problem.is_none()) {
            None => parsed,
            Some(base) => {
                let base = base.map_err(|error| error.text());
                match base.and_then(|base| self.shared(&base, found)) {
                    Ok(()) => return Ok(()),
                    Err(problem) => Err(problem),
                }
            }
        };
        let is_header = matches!(line, Ok(Line::Header(_)));
        let line = match line {
            Ok(_) if is_header != found.lines.is_empty() => Err(text!(journal_misplaced_head)),
            line => line,
        };
        found.games += line.as_ref().map_or(0, |line| games_of(line, raw.length));
        if found.games > self.games {
            return Err(too_many_values(path).into());
        }
        found.damaged += usize::from(line.is_err());
        found.lines.push(line);
        found.ends.push(End {
            slot: None,
            length: found.length,
            sum: raw.sum,
        });
        Ok(())
    }

    /// Adds the lines that a base stands for.
    fn shared(&self, base: &Base, found: &mut JournalLines) -> Result<(), UiText> {
        let Some(others) = self.others else {
            return Ok(());
        };
        let missing = || text!(journal_base_missing, slot = &base.slot, turn = base.turn);
        let changed = || text!(journal_base_changed, slot = &base.slot, turn = base.turn);
        if self.depth == MAX_DEPTH {
            return Err(text!(journal_base_deep, slot = &base.slot, max = MAX_DEPTH));
        }
        let left = self.left.checked_sub(base.length);
        let left = left.ok_or_else(|| text!(journal_base_long, slot = &base.slot))?;
        let (file, path) = others(&base.slot).ok_or_else(missing)?;
        let reader = Reader {
            others: Some(others),
            stops: true,
            depth: self.depth + 1,
            limit: base.length,
            left,
            weight: self.weight.saturating_sub(found.weight),
            games: self.games.saturating_sub(found.games),
        };
        // Recursive: every base is shorter than what may be read, and there are few.
        let read = reader.read(&file, &path).map_err(|error| error.text())?;
        let is_same = |head: &JournalHeader, other: &JournalHeader| {
            (&head.world, &head.data, head.seed) == (&other.world, &other.data, other.seed)
        };
        let mut lines = read.lines.into_iter();
        match (found.lines.first(), lines.next()) {
            (Some(Ok(Line::Header(own))), Some(Ok(Line::Header(head)))) if is_same(own, &head) => {}
            _ => return Err(changed()),
        }
        if read.length != base.length || read.sum != Some(base.sum) {
            return Err(changed());
        }
        found.depth = read.depth + 1;
        found.weight += read.weight;
        found.games += read.games;
        found.lines.extend(lines);
        let slot: Arc<str> = base.slot.as_str().into();
        let ends = read.ends.into_iter().skip(1);
        found.ends.extend(ends.map(|end| End {
            slot: end.slot.or_else(|| Some(slot.clone())),
            ..end
        }));
        Ok(())
    }
}

/// The lines of a file.
struct RawLines<'f> {
    reader: BufReader<Take<&'f File>>,
    checks: Checks,
    path: &'f Path,
    /// What they may weigh beyond what their lengths allow.
    max_weight: u64,
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
            if weight > self.max_weight {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{Seek, Write};
    use std::path::PathBuf;

    use super::*;
    use crate::journal::{Journal, Stopped};

    /// Journals by slot.
    type Journals = BTreeMap<&'static str, Vec<u8>>;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        file
    }

    fn read_of(journals: &Journals, slot: &str) -> Result<Vec<Line>, String> {
        let path = |slot: &str| PathBuf::from(slot);
        let others = |slot: &str| Some((file(journals.get(slot)?), path(slot)));
        let found = read(&file(&journals[slot]), &path(slot), true, Some(&others)).unwrap();
        let lines = found.all(&path(slot));
        lines.map_err(|error| error.to_string())
    }

    fn head(seed: u64) -> Line {
        Line::Header(JournalHeader::new("town", "town-1", seed))
    }

    fn turns(from: u64, to: u64) -> Vec<Line> {
        let stops = (from..to).map(|turn| {
            Line::Stopped(Stopped {
                turn,
                reason: String::new(),
            })
        });
        stops.collect()
    }

    /// A journal that begins as that of a slot does, and the slot's as a base.
    fn on(journals: &Journals, slot: &str, own: &[Line]) -> (Base, Vec<u8>) {
        let bytes = &journals[slot];
        let found = read(&file(bytes), Path::new(slot), true, None).unwrap();
        let base = Base {
            slot: slot.to_owned(),
            turn: 7,
            length: found.length,
            sum: found.sum.unwrap(),
        };
        let bytes = Journal::encode_on(Some(&base), own);
        (base, bytes)
    }

    #[test]
    fn a_base_stands_for_the_lines_that_it_names() {
        let first: Vec<_> = std::iter::once(head(1)).chain(turns(0, 3)).collect();
        let mut journals = Journals::from([("first", Journal::encode(&first))]);
        let own: Vec<_> = std::iter::once(head(1)).chain(turns(3, 5)).collect();
        let (base, branch) = on(&journals, "first", &own);
        journals.insert("branch", branch);
        let lines: Vec<_> = std::iter::once(head(1)).chain(turns(0, 5)).collect();
        assert_eq!(read_of(&journals, "branch"), Ok(lines.clone()));

        // What follows it in the other journal makes no difference.
        let longer: Vec<_> = std::iter::once(head(1)).chain(turns(0, 9)).collect();
        journals.insert("first", Journal::encode(&longer));
        assert_eq!(read_of(&journals, "branch"), Ok(lines));

        let damaged = |base: Base, own: &[Line]| {
            let mut journals = journals.clone();
            journals.insert("branch", Journal::encode_on(Some(&base), own));
            read_of(&journals, "branch").unwrap_err()
        };
        for other in [
            Base {
                length: base.length - 1,
                ..base.clone()
            },
            Base {
                length: base.length + 1,
                ..base.clone()
            },
            Base {
                sum: Sum::default(),
                ..base.clone()
            },
        ] {
            let said = damaged(other, &own);
            assert!(said.contains("branch:2: "), "{said}");
            assert!(said.contains("that part has changed"), "{said}");
        }
        let said = damaged(base.clone(), &[head(2)]);
        assert!(
            said.contains("that part has changed"),
            "of another seed: {said}"
        );
        let nowhere = Base {
            slot: "gone".into(),
            ..base.clone()
        };
        let said = damaged(nowhere, &own);
        assert!(
            said.contains("that save is not in the same folder"),
            "{said}"
        );
        let long = Base {
            length: u64::MAX,
            ..base
        };
        let said = damaged(long, &own);
        assert!(said.contains("exceeds the maximum length"), "{said}");
        // A mistake after it is found in its own line of the file.
        let mut bytes = journals["branch"].clone();
        let last = bytes.len() - 30;
        bytes[last] ^= 1;
        journals.insert("branch", bytes);
        let said = read_of(&journals, "branch").unwrap_err();
        assert!(said.contains("branch:4: "), "{said}");
    }

    #[test]
    fn a_base_that_leads_to_itself_comes_to_an_end() {
        let own = [head(1)];
        let mut journals = Journals::from([("a", Journal::encode(&own))]);
        let (base, bytes) = on(&journals, "a", &own);
        journals.insert("a", bytes);
        assert_eq!(read_of(&journals, "a"), Ok(own.to_vec()), "its own header");
        let base = Base {
            length: 0,
            sum: Sum::default(),
            ..base
        };
        journals.insert("a", Journal::encode_on(Some(&base), &own));
        assert!(read_of(&journals, "a").is_err());
        let deep = Base {
            length: 200,
            ..base
        };
        journals.insert("a", Journal::encode_on(Some(&deep), &own));
        assert!(read_of(&journals, "a").is_err());
    }
}
