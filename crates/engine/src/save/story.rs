//! What a slot holds, checked for damage.

use std::ops::Deref;
use std::path::Path;

use super::error::SaveError;
use super::head::{SaveHead, read_head};
use crate::journal::{JournalHeader, Line, SnapshotRecord, new_seed};
use crate::message::Digest;

/// The story of a slot: its journal, and the snapshot that belongs to it.
#[derive(Clone, Debug)]
pub struct StoredStory {
    /// The first line of the journal.
    pub header: JournalHeader,
    /// All lines of the journal.
    pub lines: Vec<Line>,
    /// The snapshot; `None` if there is none, so that the story starts from the beginning.
    pub world: Option<StoredSnapshot>,
}

/// The bytes of a snapshot.
#[derive(Clone, Debug)]
pub struct StoredSnapshot {
    bytes: Vec<u8>,
    pub(super) digest: Digest,
}

impl From<Vec<u8>> for StoredSnapshot {
    fn from(bytes: Vec<u8>) -> Self {
        let digest = Digest::of(&bytes);
        Self { bytes, digest }
    }
}

impl Deref for StoredSnapshot {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl StoredSnapshot {
    /// The header.
    pub fn head(&self) -> Result<SaveHead, SaveError> {
        read_head(&self.bytes)
    }
}

impl StoredStory {
    /// `None` if the journal has no header.
    pub(super) fn of(lines: Vec<Line>, world: Option<StoredSnapshot>) -> Option<Self> {
        let Some(Line::Header(header)) = lines.first() else {
            return None;
        };
        Some(Self {
            header: header.clone(),
            lines,
            world,
        })
    }

    /// Refuses a snapshot that the journal does not record.
    pub(super) fn check_snapshot(&self, file: &Path) -> Result<(), SaveError> {
        match &self.world {
            Some(world) if !self.records(world) => {
                let head = world
                    .head()
                    .map_err(|error| error.in_file(file.to_owned()))?;
                Err(self.why_unknown(file, head.turn))
            }
            _ => Ok(()),
        }
    }

    /// The snapshots that its journal records.
    pub fn snapshots(&self) -> impl Iterator<Item = SnapshotRecord> {
        self.lines.iter().filter_map(snapshot_of)
    }

    /// The seed of its world after all that was recorded.
    pub fn seed(&self) -> u64 {
        let found = self.lines.iter().rev().find_map(|line| match line {
            Line::Input(input) => new_seed(std::slice::from_ref(&input.value)),
            _ => None,
        });
        found.unwrap_or(self.header.seed)
    }

    /// The last turn that was played to its end.
    pub fn last_turn(&self) -> u64 {
        let turns = self.lines.iter().rev().filter_map(|line| match line {
            Line::Meeting(meeting) => Some(meeting.turn),
            _ => None,
        });
        turns.max().unwrap_or(0)
    }

    /// Whether its snapshot is that of this turn, as its journal records it.
    pub fn has_snapshot_of(&self, turn: u64) -> bool {
        let Some(world) = &self.world else {
            return false;
        };
        let mut snapshots = self.snapshots();
        snapshots.any(|known| known.turn == turn && known.digest == world.digest)
    }

    /// Whether nothing was played after the last whole turn.
    pub fn ends_with_a_turn(&self) -> bool {
        let mut after = self
            .lines
            .iter()
            .rev()
            .take_while(|line| !matches!(line, Line::Meeting(_)));
        after.all(|line| matches!(line, Line::Snapshot(_) | Line::Stopped(_)))
    }

    /// Whether nothing was played yet.
    pub fn is_new(&self) -> bool {
        let is_played = |line: &Line| {
            matches!(
                line,
                Line::Outcome(_)
                    | Line::Round(_)
                    | Line::Meeting(_)
                    | Line::Stopped(_)
                    | Line::Input(_)
                    | Line::Retake(_)
                    | Line::Held(_)
            )
        };
        !self.lines.iter().any(is_played)
    }

    /// Whether the journal records a snapshot.
    fn records(&self, world: &StoredSnapshot) -> bool {
        self.snapshots().any(|known| known.digest == world.digest)
    }

    /// Why the journal does not record a snapshot of this turn.
    fn why_unknown(&self, file: &Path, turn: u64) -> SaveError {
        let last = self
            .snapshots()
            .map(|known| known.turn)
            .max()
            .unwrap_or_default();
        if turn > last {
            return SaveError::JournalBehind { turn, last };
        }
        SaveError::OtherSnapshot {
            path: file.to_owned(),
        }
    }
}

pub(super) fn snapshot_of(line: &Line) -> Option<SnapshotRecord> {
    match line {
        Line::Snapshot(record) => Some(*record),
        _ => None,
    }
}
