//! Chapters: closed ranges of a context that are no longer in the prompt but can be opened and
//! searched.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::HeldMessage;
use crate::message::Body;

/// Identifies a chapter of an entity: `OWNER/NUMBER`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChapterId(pub Arc<str>);

impl std::fmt::Display for ChapterId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A closed range of a context: its messages, how they were summarized, and the summary that
/// replaces them.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// Its id.
    pub id: ChapterId,
    /// What it was about: a fight on a stage, a day.
    pub title: String,
    /// The turn in which it was closed.
    pub turn: u64,
    /// The messages that it replaced, oldest first.
    pub messages: Vec<HeldMessage>,
    /// The request for the summary and its answer; empty if code wrote it.
    pub summing_up: Vec<HeldMessage>,
    /// The summary that replaces the messages.
    pub summary: Body,
}

/// The closed chapters of an entity, oldest first.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct Chapters {
    list: Vec<Chapter>,
}

impl Chapters {
    /// The id of the entity's next chapter.
    pub fn next_id(&self, owner: &str) -> ChapterId {
        ChapterId(format!("{owner}/{}", self.list.len() + 1).into())
    }

    /// Adds a closed chapter.
    pub fn close(&mut self, chapter: Chapter) {
        self.list.push(chapter);
    }

    /// All chapters, oldest first.
    pub fn all(&self) -> &[Chapter] {
        &self.list
    }

    /// One chapter.
    pub fn get(&self, id: &ChapterId) -> Option<&Chapter> {
        self.list.iter().find(|chapter| chapter.id == *id)
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
            let text = texts.fold(
                format!("{}\n{}", chapter.title, chapter.summary.full_text()),
                |text, said| text + "\n" + said.as_ref(),
            );
            let text = text.to_lowercase();
            !words.is_empty() && words.iter().all(|word| text.contains(word))
        };
        self.list.iter().rev().filter(contains_all).collect()
    }
}
