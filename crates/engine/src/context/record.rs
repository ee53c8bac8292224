//! The record of a chapter: what happened, as its owner witnessed it, written by code.
//!
//! Each entity in the audience of an event notes what it says happened. When a chapter closes, the
//! notes of its messages become its [`ChapterRecord`], which no mind can change.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ChapterId, EntryId, Happened, Happening};

/// How much of a past a chapter covers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Messages: a fight, a few days.
    #[default]
    Chapter,
    /// Chapters: a part of the story.
    Volume,
    /// Volumes, and the life before.
    Life,
}

/// Something that happened, with its day, its place and the message that told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note<H = Happening> {
    /// The message of the witness's conversation.
    pub entry: EntryId,
    /// The day; 0 before the first.
    pub day: u32,
    /// Where; empty if nowhere in particular.
    pub place: Arc<str>,
    pub happening: H,
}

impl Note {
    /// The note as one of this type; `None` if it is of another.
    pub fn read<H: Happened>(&self) -> Option<Note<H>> {
        Some(Note {
            entry: self.entry,
            day: self.day,
            place: self.place.clone(),
            happening: self.happening.read()?,
        })
    }
}

/// What code knows of a closed chapter. The notes of chapters inside it stay there; see
/// [`Chapters::merged`](super::Chapters::merged).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChapterRecord<H = Happening> {
    /// How much it covers.
    pub level: Level,
    /// The first and the last day; 0 before the first.
    pub days: (u32, u32),
    /// Where the owner was.
    pub places: Vec<Arc<str>>,
    pub with: Vec<Arc<str>>,
    /// The chapters inside it, oldest first.
    pub parts: Vec<ChapterId>,
    /// What happened outside of those chapters, oldest first.
    pub notes: Vec<Note<H>>,
}

impl ChapterRecord {
    /// The record with those of its notes that are of one type.
    pub fn read<H: Happened>(self) -> ChapterRecord<H> {
        ChapterRecord {
            level: self.level,
            days: self.days,
            places: self.places,
            with: self.with,
            parts: self.parts,
            notes: self.notes.iter().filter_map(Note::read).collect(),
        }
    }
}

/// Merges records, oldest first: notes in order of time.
pub(super) fn merge<'a>(records: impl IntoIterator<Item = &'a ChapterRecord>) -> ChapterRecord {
    let mut merged = ChapterRecord::default();
    let mut days: Option<(u32, u32)> = None;
    for record in records {
        let (from, to) = days.unwrap_or(record.days);
        days = Some((from.min(record.days.0), to.max(record.days.1)));
        merged.level = merged.level.max(record.level);
        add_new(&mut merged.places, &record.places);
        add_new(&mut merged.with, &record.with);
        merged.notes.extend_from_slice(&record.notes);
    }
    merged.days = days.unwrap_or_default();
    merged.notes.sort_by_key(|note| note.entry);
    merged
}

fn add_new(to: &mut Vec<Arc<str>>, from: &[Arc<str>]) {
    for name in from {
        if !to.contains(name) {
            to.push(name.clone());
        }
    }
}
