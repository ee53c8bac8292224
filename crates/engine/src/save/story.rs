//! What a slot holds, checked for damage.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::error::SaveError;
use super::head::{SaveHead, read_head};
use super::limits::MAX_BYTES;
use super::restore::restore;
use super::snapshot::Meta;
use crate::files::{FileAction, FileError, bounded};
use crate::journal::{JournalHeader, Line, SnapshotRecord, new_seed};
use crate::message::Digest;

/// The story of a slot: its journal, and the snapshot that belongs to it.
#[derive(Clone, Debug)]
pub struct StoredStory {
    /// The first line of the journal.
    pub header: JournalHeader,
    pub lines: Vec<Line>,
    /// The snapshot; `None` if there is none, so that the story starts from the beginning.
    pub world: Option<StoredSnapshot>,
}

#[derive(Clone, Debug)]
pub struct StoredSnapshot {
    source: Source,
    pub(super) digest: Digest,
}

#[derive(Clone, Debug)]
enum Source {
    Bytes(Arc<Vec<u8>>),
    /// Read when it is parsed, since it is large.
    File(Arc<File>, PathBuf),
}

impl From<Vec<u8>> for StoredSnapshot {
    fn from(bytes: Vec<u8>) -> Self {
        let digest = Digest::of(&bytes);
        let source = Source::Bytes(Arc::new(bytes));
        Self { source, digest }
    }
}

impl StoredSnapshot {
    pub(super) fn of(file: File, path: PathBuf) -> Result<Self, FileError> {
        let mut hasher = blake3::Hasher::new();
        // One that is too large is refused when it is parsed.
        let read = hasher.update_reader((&file).take(MAX_BYTES));
        read.map_err(|source| FileError::io(&path, FileAction::Read, source))?;
        let digest = hasher.finalize().into();
        let source = Source::File(Arc::new(file), path);
        Ok(Self { source, digest })
    }

    fn bytes(&self) -> Result<Cow<'_, [u8]>, FileError> {
        let (mut file, path) = match &self.source {
            Source::Bytes(bytes) => return Ok(bytes.as_slice().into()),
            Source::File(file, path) => (&**file, path),
        };
        let rewound = file.rewind();
        rewound.map_err(|source| FileError::io(path, FileAction::Read, source))?;
        Ok(bounded(file, path, MAX_BYTES)?.into())
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn head(&self) -> Result<SaveHead, SaveError> {
        read_head(&self.bytes()?)
    }

    /// Reads it into a world, as [`restore`] does.
    ///
    /// # Errors
    /// As [`restore`].
    pub fn restore(&self, world: &mut World, data: Option<&str>) -> Result<Meta, SaveError> {
        restore(world, &self.bytes()?, data)
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
            Some(world) if self.saved_turn().is_none() => {
                let head = world
                    .head()
                    .map_err(|error| error.in_file(file.to_owned()))?;
                Err(self.why_unknown(file, head.turn))
            }
            _ => Ok(()),
        }
    }

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
        last_turn(&self.lines)
    }

    /// The turn of its snapshot, if its journal records that.
    pub fn saved_turn(&self) -> Option<u64> {
        let world = self.world.as_ref()?;
        let saved = self.snapshots().find(|known| known.digest == world.digest);
        saved.map(|known| known.turn)
    }

    /// Whether nothing was played after the last whole turn.
    pub fn ends_with_a_turn(&self) -> bool {
        self.lines
            .iter()
            .rev()
            .take_while(|line| !matches!(line, Line::Meeting(_)))
            .all(|line| matches!(line, Line::Snapshot(_) | Line::Stopped(_)))
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

pub(super) fn last_turn<'l>(lines: impl IntoIterator<Item = &'l Line>) -> u64 {
    let turns = lines.into_iter().filter_map(|line| match line {
        Line::Meeting(meeting) => Some(meeting.turn),
        _ => None,
    });
    turns.max().unwrap_or(0)
}

pub(super) fn snapshot_of(line: &Line) -> Option<SnapshotRecord> {
    match line {
        Line::Snapshot(record) => Some(*record),
        _ => None,
    }
}
