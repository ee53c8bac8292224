//! What an entity knows, read from its own conversation.

use std::sync::Arc;

use playhouse_engine::context::{AgentContext, Chapters, Entry};
use playhouse_engine::event::AgentEvent;
use playhouse_engine::event::kinds::{Announce, Archive, Learned, Speak, Whisper};
use playhouse_engine::message::{Role, cut};
use serde::Serialize;

use super::events::Day;

/// The maximum number of spoken lines that a prompt quotes.
const MAX_HEARD: usize = 6;
/// The maximum number of events that a world agent's prompt lists.
const MAX_WITNESSED: usize = 20;

/// The maximum number of characters by which a listed event is recognized, and of one that is no
/// longer in the conversation.
const BEGINNING_CHARS: usize = 80;
const ARCHIVED_CHARS: usize = 240;

#[derive(Debug, Serialize)]
pub(super) struct SpokenLine {
    who: String,
    text: String,
}

impl SpokenLine {
    pub(super) fn new(entry: &Entry, text: impl Into<String>) -> Self {
        let sender = entry.body().sender();
        Self {
            who: sender.map(ToString::to_string).unwrap_or_default(),
            text: text.into(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

#[derive(Debug, Serialize)]
pub(super) struct WitnessedEvent<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: String,
}

/// The type of the event that a message carries.
pub(super) fn event_type(entry: &Entry) -> Option<&str> {
    entry.body().event_type()
}

/// Whether a message carries words that an actor spoke.
pub(super) fn is_speech(entry: &Entry) -> bool {
    matches!(
        event_type(entry),
        Some(Speak::TYPE | Whisper::TYPE | Announce::TYPE)
    )
}

/// The messages since the entity answered last, newest first.
fn since_last_answer(context: &AgentContext) -> impl Iterator<Item = &Entry> {
    let newest_first = context.entries().iter().rev();
    newest_first.take_while(|entry| entry.role() != Role::Ai)
}

/// What was spoken since the entity answered last, oldest first.
pub(super) fn heard(context: &AgentContext) -> Vec<SpokenLine> {
    let speech = since_last_answer(context).filter(|entry| is_speech(entry));
    let line = |entry: &Entry| SpokenLine::new(entry, entry.body().full_text());
    let mut heard: Vec<_> = speech.take(MAX_HEARD).map(line).collect();
    heard.reverse();
    heard
}

/// The last event of a type since the entity answered last.
pub(super) fn last_event<E: AgentEvent>(context: &AgentContext) -> Option<&Entry> {
    since_last_answer(context).find(|entry| event_type(entry) == Some(E::TYPE))
}

/// Its text; empty if there is none.
pub(super) fn last_event_text<E: AgentEvent>(context: &AgentContext) -> String {
    let last = last_event::<E>(context);
    last.map_or_else(String::new, |entry| entry.body().full_text().into_owned())
}

/// What happened since the entity answered last, oldest first.
pub(super) fn witnessed(context: &AgentContext) -> Vec<WitnessedEvent<'_>> {
    let events = since_last_answer(context).filter_map(|entry| {
        // That a day begins or ends is not news, and what was learned was in what was told.
        let kind = event_type(entry).filter(|kind| ![Day::TYPE, Learned::TYPE].contains(kind))?;
        Some(WitnessedEvent {
            kind,
            text: entry.body().full_text().into_owned(),
        })
    });
    let mut witnessed: Vec<_> = events.take(MAX_WITNESSED).collect();
    witnessed.reverse();
    witnessed
}

/// An event that an entity witnessed, by number.
#[derive(Debug, Serialize)]
pub(super) struct NumberedEvent {
    /// From 1, of those that are listed.
    pub(super) number: usize,
    /// How what happened begins, if the whole is in the conversation; more if it is in a chapter.
    beginning: String,
    #[serde(skip)]
    pub(super) text: String,
    #[serde(skip)]
    pub(super) id: Arc<str>,
}

/// The last events that an entity witnessed, oldest first: all since the one with this id, at most
/// `most` of them. What has become a chapter is told from its messages.
pub(super) fn last_events(
    context: &AgentContext,
    chapters: &Chapters,
    since: &str,
    most: usize,
) -> Vec<NumberedEvent> {
    let bodies = context.entries().iter().rev().flat_map(|entry| {
        let is_memory = event_type(entry) == Some(Archive::TYPE);
        let mut chapters = chapters.all().iter().filter(|_| is_memory);
        let chapter = chapters.find(|chapter| chapter.summary.id() == entry.body().id());
        let archived = chapter
            .into_iter()
            .flat_map(|chapter| &chapter.messages)
            .rev()
            .map(|stored| (&stored.message.body, ARCHIVED_CHARS));
        let own = chapter.is_none().then(|| (entry.body(), BEGINNING_CHARS));
        own.into_iter().chain(archived)
    });
    let is_news = |kind: &str| kind != Day::TYPE && kind != Archive::TYPE;
    let events = bodies.filter(|(body, _)| body.event_type().is_some_and(is_news));
    let mut new: Vec<_> = events
        .take_while(|(body, _)| body.id().to_string() != since)
        .take(most)
        .collect();
    new.reverse();
    let numbered = new.into_iter().zip(1..).map(|((body, chars), number)| {
        let text = body.full_text();
        NumberedEvent {
            number,
            beginning: cut(&text, chars),
            text: text.into_owned(),
            id: body.id().to_string().into(),
        }
    });
    numbered.collect()
}
