//! What an entity knows, read from its own conversation.

use serde_json::{Value, json};

use crate::context::{AgentContext, Entry};
use crate::message::Role;

/// The type of the event that a message carries.
pub(super) fn event_type(entry: &Entry) -> Option<&str> {
    entry.body().metadata()?.get("event")?.as_str()
}

/// The last words heard since the entity answered last, at most six.
pub(super) fn heard(context: &AgentContext) -> Vec<Value> {
    let since = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.role() != Role::Ai);
    let words =
        since.filter(|entry| matches!(event_type(entry), Some("speak" | "whisper" | "announce")));
    let mut heard: Vec<_> = words
        .take(6)
        .map(|entry| {
            let who = entry.body().sender().map(ToString::to_string);
            json!({"who": who.unwrap_or_default(), "text": entry.body().full_text()})
        })
        .collect();
    heard.reverse();
    heard
}

/// The last message of one event type since the entity answered last.
pub(super) fn last_of(context: &AgentContext, kind: &str) -> Option<String> {
    let since = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.role() != Role::Ai);
    let mut wanted = since.filter(|entry| event_type(entry) == Some(kind));
    wanted
        .next()
        .map(|entry| entry.body().full_text().into_owned())
}

/// Why the last action was refused, if it was.
pub(super) fn refused(context: &AgentContext) -> String {
    last_of(context, "refusal").unwrap_or_default()
}

/// What a voice of the world witnessed since it spoke last.
pub(super) fn witnessed(context: &AgentContext) -> Vec<Value> {
    let since = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.role() != Role::Ai);
    let mut events: Vec<_> = since
        .filter_map(|entry| {
            // That a day begins or ends is no news.
            let kind = event_type(entry).filter(|kind| *kind != "day")?;
            Some(json!({"type": kind, "text": entry.body().full_text()}))
        })
        .take(20)
        .collect();
    events.reverse();
    events
}
