//! Chapters: closed ranges of a context that are no longer in the prompt but can be opened and
//! searched.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::record::merge;
use super::{
    AgentContext, ChapterId, ChapterRecord, EntryId, Happening, Level, Note, StoredMessage,
};
use crate::message::{Body, Message, Role};

/// A closed range of a context: its messages, how they were summarized, and the summary that
/// replaces them.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    pub id: ChapterId,
    /// What it was about: a fight on a stage, a day.
    pub title: String,
    /// The turn in which it was closed.
    pub turn: u64,
    /// The messages that it replaced, oldest first.
    pub messages: Vec<StoredMessage>,
    /// The request for the summary and its answer; empty if code wrote it.
    pub summing_up: Vec<StoredMessage>,
    /// The summary that replaces the messages: the record in words, and the owner's own prose.
    pub summary: Body,
    /// What code knows of it; `None` in games without records.
    pub record: Option<ChapterRecord>,
}

impl Chapter {
    /// How much of a past it covers.
    pub fn level(&self) -> Level {
        let record = self.record.as_ref();
        record.map(|record| record.level).unwrap_or_default()
    }
}

/// The closed chapters of an entity, oldest first, and what it noted since.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct Chapters {
    /// Shared with their viewers, since a long past has many.
    list: Vec<Arc<Chapter>>,
    /// Notes of messages that are in no chapter, oldest first.
    open: Vec<Note>,
}

impl Chapters {
    /// The id of the entity's next chapter.
    pub fn next_id(&self, owner: &str) -> ChapterId {
        ChapterId(format!("{owner}/{}", self.list.len() + 1).into())
    }

    /// Adds a closed chapter. Its record takes the notes of its messages along. It keeps questions
    /// in their short form, as every later prompt showed them: the journal has the whole ones.
    pub fn close(&mut self, mut chapter: Chapter) {
        for held in chapter.messages.iter_mut().chain(&mut chapter.summing_up) {
            let Message { role, body, .. } = &mut held.message;
            let is_event = body.sender().is_some() || body.event_type().is_some();
            if *role == Role::Human && !is_event {
                *body = body.clone().condensed();
            }
        }
        if chapter.record.is_some()
            && let [first, .., last] | [first @ last] = &chapter.messages[..]
        {
            let range = first.id..=last.id;
            self.open.retain(|note| !range.contains(&note.entry));
        }
        self.list.push(Arc::new(chapter));
    }

    /// Notes what the last message of the conversation told.
    pub fn note(
        &mut self,
        context: &AgentContext,
        day: u32,
        place: &str,
        happening: impl Into<Happening>,
    ) {
        self.restore_note(Note {
            entry: EntryId(context.last_id()),
            day,
            place: place.into(),
            happening: happening.into(),
        });
    }

    pub fn restore_note(&mut self, note: Note) {
        self.open.push(note);
    }

    /// The notes of messages that are in no chapter, oldest first.
    pub fn open_notes(&self) -> &[Note] {
        &self.open
    }

    /// The record of a range of the conversation, if it became a chapter: of the notes of its
    /// messages and of the chapters in whose place messages stand.
    pub fn record_of(&self, context: &AgentContext, begin: EntryId, end: EntryId) -> ChapterRecord {
        let range = begin..=end;
        let notes: Vec<_> = self
            .open
            .iter()
            .filter(|note| range.contains(&note.entry))
            .cloned()
            .collect();
        let entries = context.entries().iter().map(|entry| entry.id());
        let tags = entries
            .filter(|id| range.contains(id))
            .filter_map(|id| context.tags(id));
        let mut days = notes.iter().map(|note| note.day).collect::<Vec<_>>();
        let mut record = ChapterRecord::default();
        for tags in tags {
            let day = tags.text("day_end").or(tags.text("day_begin"));
            days.extend(day.and_then(|day| day.parse::<u32>().ok()));
            let id = tags.text("chapter").map(|id| ChapterId(id.into()));
            let Some(chapter) = id.and_then(|id| self.get(&id)) else {
                continue;
            };
            record.level = record.level.max(match chapter.level() {
                Level::Chapter => Level::Volume,
                Level::Volume | Level::Life => Level::Life,
            });
            if let Some(part) = &chapter.record {
                days.extend([part.days.0, part.days.1]);
            }
            record.parts.push(chapter.id.clone());
        }
        record.days = (
            days.iter().copied().min().unwrap_or_default(),
            days.iter().copied().max().unwrap_or_default(),
        );
        for note in &notes {
            if !note.place.is_empty() && !record.places.contains(&note.place) {
                record.places.push(note.place.clone());
            }
        }
        record.notes = notes;
        record
    }

    /// A record with the notes of all chapters inside it, in order of time.
    pub fn merged(&self, record: &ChapterRecord) -> ChapterRecord {
        let mut wanted: BTreeSet<&ChapterId> = record.parts.iter().collect();
        let mut parts = vec![record];
        // Parts are older than what includes them.
        for chapter in self.list.iter().rev() {
            if let Some(part) = chapter
                .record
                .as_ref()
                .filter(|_| wanted.contains(&chapter.id))
            {
                wanted.extend(&part.parts);
                parts.push(part);
            }
        }
        parts.reverse();
        ChapterRecord {
            level: record.level,
            parts: record.parts.clone(),
            ..merge(parts)
        }
    }

    /// All chapters, oldest first.
    pub fn all(&self) -> &[Arc<Chapter>] {
        &self.list
    }

    pub fn get(&self, id: &ChapterId) -> Option<&Chapter> {
        let mut chapters = self.list.iter().map(Arc::as_ref);
        chapters.find(|chapter| chapter.id == *id)
    }

    /// The chapters that contain every word of `query`, ignoring case, newest first.
    pub fn search(&self, query: &str) -> Vec<&Chapter> {
        let query = query.to_lowercase();
        let words: Vec<_> = query.split_whitespace().collect();
        let contains_all = |chapter: &&Chapter| {
            let texts = chapter
                .messages
                .iter()
                .map(|held| held.message.body.full_text());
            let text = texts
                .fold(
                    format!("{}\n{}", chapter.title, chapter.summary.full_text()),
                    |text, said| text + "\n" + said.as_ref(),
                )
                .to_lowercase();
            !words.is_empty() && words.iter().all(|word| text.contains(word))
        };
        let chapters = self.list.iter().rev().map(Arc::as_ref);
        chapters.filter(contains_all).collect()
    }
}
