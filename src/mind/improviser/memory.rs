//! What has been said already, so that no sentence is said twice.

use std::borrow::Cow;

use crate::message::Role;
use crate::mind::Prompt;

/// How far back it looks: enough for a chapter, little enough to be instant.
const MESSAGES: usize = 200;
const BYTES: usize = 48 * 1024;

/// The texts that the asker remembers, and what this answer has said so far.
pub(super) struct Memory<'a> {
    texts: Vec<Cow<'a, str>>,
}

impl<'a> Memory<'a> {
    /// What the prompt's conversation holds: its latest messages, and the refused answers.
    pub(super) fn of(prompt: &Prompt<'a>) -> Self {
        let refused = prompt.refused.iter();
        let refused = refused.map(|refused| Cow::Borrowed(refused.answer.as_str()));
        let entries = prompt.history.entries().iter().rev().take(MESSAGES);
        let said = entries.filter(|entry| entry.role() != Role::System);
        let said = said.map(|entry| match entry.role() {
            Role::Ai => entry.body().full_text(),
            _ => entry.body().short_text(),
        });
        let mut room = BYTES;
        let fits = |text: &Cow<'_, str>| {
            room = room.saturating_sub(text.len());
            room > 0
        };
        Self {
            texts: refused.chain(said.take_while(fits)).collect(),
        }
    }

    /// Whether no sentence of this text has been said.
    pub(super) fn is_new(&self, text: &str) -> bool {
        sentences(text).all(|sentence| !self.holds(sentence))
    }

    /// Whether these words have been said.
    pub(super) fn holds(&self, words: &str) -> bool {
        self.texts.iter().any(|text| text.contains(words))
    }

    /// Keeps what this answer says.
    pub(super) fn keep(&mut self, text: &str) {
        self.texts.push(Cow::Owned(text.into()));
    }
}

/// The sentences of a text, without the signs that end them.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = ['.', '!', '?', '。', '！', '？', '\n'];
    let quotes = ['“', '”', '‘', '’', ' '];
    let parts = text.split(ends);
    parts
        .map(move |part| part.trim_matches(quotes))
        .filter(|part| part.chars().nth(1).is_some())
}
