//! Which part of a conversation requests show. The context keeps all of it.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::{AgentContext, Entry};
use crate::message::{Body, Message, Role, Tags};

/// Which part of an entity's conversation its requests show. The system message is always shown,
/// the result of a tool never without its call, and a note marks a gap in the middle.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum View {
    /// All of it.
    #[default]
    Whole,
    /// The last `n` messages.
    Last(usize),
    /// The first and the last messages.
    HeadTail {
        /// The number of the first messages.
        head: usize,
        /// The number of the last messages.
        tail: usize,
    },
    /// As many of the last messages as fit into this number of estimated tokens, at least one.
    Tokens(u64),
    /// The first or the last messages of each of these speakers, and none of others. Its own turns
    /// are all shown unless it is one of these.
    Sources(Vec<SourceView>),
}

/// Which messages of one speaker are shown; all of them if no number is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceView {
    /// The speaker.
    pub source: String,
    /// Only the first `n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<usize>,
    /// Only the last `n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<usize>,
}

impl View {
    /// The part of a conversation that is shown; `None` if that is all of it. `gap` makes the note
    /// that replaces a number of messages.
    pub fn of(&self, context: &AgentContext, gap: &dyn Fn(u32) -> Body) -> Option<AgentContext> {
        if *self == Self::Whole {
            return None;
        }
        let entries = context.entries();
        let is_system = |entry: &&Entry| entry.role() == Role::System;
        let system_count = entries.iter().take_while(is_system).count();
        let (system, rest) = entries.split_at(system_count);
        let mut shown = self.shown(rest, context.name());
        hide_incomplete_calls(rest, &mut shown);
        if shown.iter().all(|shown| *shown) {
            return None;
        }
        let marks_gaps = matches!(self, Self::HeadTail { .. } | Self::Tokens(_));
        let mut view = AgentContext::new(context.name().clone());
        let keep = |view: &mut AgentContext, entry: &Entry| {
            let tags = context.tags(entry.id()).cloned().unwrap_or_default();
            let message = Message::new(entry.role(), entry.body().clone()).tagged(tags);
            // A context has at most one system message, which is the first.
            let _ = view.add_message(message);
        };
        system.iter().for_each(|entry| keep(&mut view, entry));
        let mut missing = 0;
        for (entry, is_shown) in rest.iter().zip(shown) {
            if !is_shown {
                missing += 1;
                continue;
            }
            if missing > 0 && marks_gaps {
                view.add_human_message(gap(missing), Tags::new());
            }
            missing = 0;
            keep(&mut view, entry);
        }
        Some(view)
    }

    /// Which messages after the system message are shown.
    fn shown(&self, entries: &[Entry], name: &str) -> Vec<bool> {
        let count = entries.len();
        let last = |most: usize| (0..count).map(|at| at + most >= count).collect();
        match self {
            Self::Whole => vec![true; count],
            Self::Last(most) => last(*most),
            Self::HeadTail { head, tail } => (0..count)
                .map(|at| at < *head || at + tail >= count)
                .collect(),
            Self::Tokens(most) => {
                let mut left = *most;
                let newest = entries.iter().rev();
                let fits = newest.take_while(|entry| {
                    let tokens = u64::from(entry.body().short_tokens());
                    let fits = tokens <= left;
                    left = left.saturating_sub(tokens);
                    fits
                });
                // The last message is the one to be answered.
                last(fits.count().max(1))
            }
            Self::Sources(sources) => by_source(entries, sources, name),
        }
    }
}

fn by_source(entries: &[Entry], sources: &[SourceView], name: &str) -> Vec<bool> {
    let is_own = |entry: &Entry| matches!(entry.role(), Role::Ai | Role::Tool);
    let keeps_own = !sources.iter().any(|source| source.source == name);
    let shown = entries.iter().map(|entry| keeps_own && is_own(entry));
    let mut shown: Vec<bool> = shown.collect();
    for source in sources {
        let is_by_source = |entry: &Entry| {
            let sender = entry.body().sender();
            sender.is_some_and(|sender| **sender == source.source)
        };
        let entries = shown.iter_mut().zip(entries);
        let flags = entries.filter(|(_, entry)| is_by_source(entry));
        let flags: Vec<&mut bool> = flags.map(|(shown, _)| shown).collect();
        let count = flags.len();
        let first = source.first.unwrap_or(0);
        let last = match (source.first, source.last) {
            (None, None) => count,
            (_, last) => last.unwrap_or(0),
        };
        for (number, shown) in flags.into_iter().enumerate() {
            *shown |= number < first || number + last >= count;
        }
    }
    shown
}

/// Hides calls whose results are not shown, and results whose calls are not.
fn hide_incomplete_calls(entries: &[Entry], shown: &mut [bool]) {
    let mut results: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        for result in entry.body().tool_results() {
            results.entry(result.id).or_default().push(index);
        }
    }
    for (index, entry) in entries.iter().enumerate() {
        for call in entry.body().tool_calls() {
            let of_id = results.get(call.id).map_or(&[][..], Vec::as_slice);
            let result = of_id.get(of_id.partition_point(|result| *result <= index));
            let indexes = [Some(&index), result];
            let is_shown = |index: Option<&usize>| index.and_then(|index| shown.get(*index));
            if !indexes.map(is_shown).iter().all(|is| *is == Some(&true)) {
                for index in indexes.into_iter().flatten() {
                    shown[*index] = false;
                }
            }
        }
    }
    let mut called = BTreeSet::new();
    for (entry, shown) in entries.iter().zip(shown) {
        let mut ids = entry
            .body()
            .tool_results()
            .map(|result| result.id)
            .peekable();
        if ids.peek().is_some() && !ids.any(|id| called.contains(id)) {
            *shown = false;
        }
        called.extend(entry.body().tool_calls().map(|call| call.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Block;

    fn talk() -> AgentContext {
        let mut talk = AgentContext::new("Ava");
        talk.add_system_message("sys").unwrap();
        for number in 0..6 {
            let body = Body::text(number.to_string()).from_sender(["Bo", "Cy"][number % 2]);
            talk.add_human_message(body, Tags::new());
        }
        talk
    }

    fn shown(view: View, talk: &AgentContext) -> Vec<String> {
        let viewed = view.of(talk, &|count| Body::text(format!("({count})")));
        let viewed = viewed.as_ref().unwrap_or(talk).entries().iter();
        let texts = viewed.map(|entry| entry.body().full_text().into_owned());
        texts.collect()
    }

    #[test]
    fn the_opening_is_always_shown_and_gaps_are_marked() {
        let talk = talk();
        assert_eq!(shown(View::Last(2), &talk), ["sys", "4", "5"]);
        let view = View::HeadTail { head: 1, tail: 2 };
        assert_eq!(shown(view, &talk), ["sys", "0", "(3)", "4", "5"]);
        assert_eq!(shown(View::Tokens(0), &talk), ["sys", "(5)", "5"]);
        let first = SourceView {
            source: "Cy".into(),
            first: Some(1),
            last: None,
        };
        let last = SourceView {
            source: "Bo".into(),
            first: None,
            last: Some(1),
        };
        let view = View::Sources(vec![first, last]);
        assert_eq!(shown(view.clone(), &talk), ["sys", "1", "4"]);
        let json = serde_json::to_string(&view).unwrap();
        assert_eq!(serde_json::from_str::<View>(&json).unwrap(), view);
        assert_eq!(shown(View::Last(9), &talk).len(), 7);
    }

    #[test]
    fn a_result_is_never_shown_without_its_call() {
        let mut talk = AgentContext::new("Ava");
        talk.add_human_message("0", Tags::new());
        let call = Block::tool_use("1", "look", serde_json::json!({}));
        talk.add_ai_message([Body::blocks(vec![call])]).unwrap();
        let result = Block::tool_result("1", "saw");
        let result = Message::new(Role::Tool, Body::blocks(vec![result]));
        talk.add_message(result).unwrap();
        talk.add_human_message("3", Tags::new());
        assert_eq!(shown(View::Last(2), &talk).len(), 1);
        assert_eq!(shown(View::Last(3), &talk).len(), 3);
        let view = View::HeadTail { head: 2, tail: 1 };
        assert_eq!(shown(view, &talk), ["0", "(2)", "3"]);
    }
}
