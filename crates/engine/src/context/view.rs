//! Which part of a conversation requests show. The context keeps all of it.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::{AgentContext, Entry};
use crate::message::{Body, Message, Role, Tags};

/// Which part of an entity's conversation its requests show. The system message is always shown,
/// the result of a tool never without its call, and a note marks a gap in the middle.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum View {
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
    /// As many of the last messages as fit into this number of estimated tokens together with the
    /// note, but at least the last one, with the call whose result it is. The system message is not
    /// counted.
    Tokens(u64),
    /// The first or the last messages of each of these speakers, and none of others. Its own turns
    /// are all shown unless it is one of these.
    Sources(Vec<SourceView>),
}

/// Which messages of one speaker are shown; all of them if no number is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceView {
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
        let shown = match self {
            Self::Tokens(most) => newest_within(*most, rest, gap),
            _ => {
                let mut shown = self.shown(rest, context.name());
                Pairing::of(rest).hide_incomplete(&mut shown);
                shown
            }
        };
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
        let last = |most: usize| (0..count).map(|index| index + most >= count).collect();
        match self {
            Self::Whole | Self::Tokens(_) => vec![true; count],
            Self::Last(most) => last(*most),
            Self::HeadTail { head, tail } => (0..count)
                .map(|index| index < *head || index + tail >= count)
                .collect(),
            Self::Sources(sources) => by_source(entries, sources, name),
        }
    }
}

fn by_source(entries: &[Entry], sources: &[SourceView], name: &str) -> Vec<bool> {
    let is_own = |entry: &Entry| matches!(entry.role(), Role::Ai | Role::Tool);
    let keeps_own = !sources.iter().any(|source| source.source == name);
    let mut shown: Vec<bool> = entries
        .iter()
        .map(|entry| keeps_own && is_own(entry))
        .collect();
    for source in sources {
        let is_by_source = |entry: &Entry| {
            let sender = entry.body().sender();
            sender.is_some_and(|sender| **sender == source.source)
        };
        let entries = shown.iter_mut().zip(entries);
        let flags: Vec<&mut bool> = entries
            .filter(|(_, entry)| is_by_source(entry))
            .map(|(shown, _)| shown)
            .collect();
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

/// Which of the last messages are shown within a number of tokens, those of the notes included.
fn newest_within(most: u64, entries: &[Entry], gap: &dyn Fn(u32) -> Body) -> Vec<bool> {
    let count = entries.len();
    let pairing = Pairing::of(entries);
    let tokens = |entry: &Entry| u64::from(entry.body().short_tokens());
    let mut sum = 0;
    let fitting = entries.iter().rev().take_while(|entry| {
        sum += tokens(entry);
        sum <= most
    });
    let kept = fitting.count();
    // The last message is the one to be answered.
    let mut required: Vec<_> = (0..count).map(|index| index + 1 == count).collect();
    pairing.join(&mut required, true);
    let kept = required
        .iter()
        .enumerate()
        .map(|(index, required)| *required || index + kept >= count);
    let mut shown: Vec<_> = kept.collect();
    pairing.hide_incomplete(&mut shown);
    let weight = |shown: &[bool]| {
        let of_shown = entries.iter().zip(shown).filter(|(_, shown)| **shown);
        let hidden = shown.chunk_by(|shown, next| shown == next);
        let notes = hidden
            .filter(|run| run.first() == Some(&false))
            .map(|run| u64::from(gap(run.len() as u32).short_tokens()));
        of_shown.map(|(entry, _)| tokens(entry)).sum::<u64>() + notes.sum::<u64>()
    };
    while weight(&shown) > most
        && let Some(oldest) = (0..count).find(|index| shown[*index] && !required[*index])
    {
        shown[oldest] = false;
        pairing.hide_incomplete(&mut shown);
    }
    shown
}

/// Which messages hold calls and results that belong together. A result belongs to the last call of
/// its id before it, as in requests.
struct Pairing {
    /// The messages of calls with those of their results.
    pairs: Vec<[usize; 2]>,
    /// Those with a call that has no result, and those whose results have no call.
    incomplete: Vec<usize>,
}

impl Pairing {
    fn of(entries: &[Entry]) -> Self {
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut pairs, mut incomplete) = (Vec::new(), Vec::new());
        for (index, entry) in entries.iter().enumerate() {
            let mut results = entry.body().tool_results().peekable();
            let mut is_orphan = results.peek().is_some();
            for result in results {
                if let Some(call) = open.remove(result.id) {
                    pairs.push([call, index]);
                    is_orphan = false;
                }
            }
            incomplete.extend(is_orphan.then_some(index));
            let calls = entry.body().tool_calls();
            incomplete.extend(calls.filter_map(|call| open.insert(call.id, index)));
        }
        incomplete.extend(open.into_values());
        Self { pairs, incomplete }
    }

    /// Gives both messages of each pair a flag that one of them has. A message can be part of
    /// several pairs.
    fn join(&self, flags: &mut [bool], flag: bool) {
        let mut pairs = self.pairs.iter();
        while let Some([call, result]) = pairs.find(|[call, result]| flags[*call] != flags[*result])
        {
            (flags[*call], flags[*result]) = (flag, flag);
            pairs = self.pairs.iter();
        }
    }

    /// Hides calls whose results are not shown, and results whose calls are not.
    fn hide_incomplete(&self, shown: &mut [bool]) {
        for index in &self.incomplete {
            shown[*index] = false;
        }
        self.join(shown, false);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let entries = viewed.as_ref().unwrap_or(talk).entries().iter();
        let texts = entries.map(|entry| entry.body().full_text().into_owned());
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
        talk.add_ai_message([Body::blocks(vec![look("1")])])
            .unwrap();
        talk.add_message(saw("1")).unwrap();
        talk.add_human_message("3", Tags::new());
        assert_eq!(shown(View::Last(2), &talk).len(), 1);
        assert_eq!(shown(View::Last(3), &talk).len(), 3);
        let view = View::HeadTail { head: 2, tail: 1 };
        assert_eq!(shown(view, &talk), ["0", "(2)", "3"]);
        // The last message alone is shown with its call, whatever that weighs.
        talk.add_ai_message([Body::blocks(vec![look("2")])])
            .unwrap();
        talk.add_message(saw("2")).unwrap();
        assert_eq!(shown(View::Tokens(0), &talk).len(), 3);
    }

    fn look(id: &str) -> Block {
        Block::tool_use(id, "look", serde_json::json!({}))
    }

    fn saw(id: &str) -> Message {
        let result = Block::tool_result(id, "saw");
        Message::new(Role::Tool, Body::blocks(vec![result]))
    }

    #[test]
    fn a_result_belongs_to_the_last_call_of_its_id() {
        let mut talk = AgentContext::new("Ava");
        for _ in 0..2 {
            talk.add_ai_message([Body::blocks(vec![look("1")])])
                .unwrap();
            talk.add_message(saw("1")).unwrap();
        }
        talk.add_human_message("4", Tags::new());
        assert_eq!(shown(View::Last(2), &talk), ["4"], "its call is not shown");
        assert_eq!(shown(View::Last(3), &talk).len(), 3);
        let view = View::HeadTail { head: 1, tail: 2 };
        assert_eq!(shown(view, &talk), ["(4)", "4"]);
    }

    proptest! {
        #[test]
        fn a_view_keeps_to_its_limit_and_pairs_calls_with_results(
            entries in prop::collection::vec((0..4u8, 0..3u8, 1..9usize), 1..14), most in 0..60u64,
        ) {
            let mut talk = AgentContext::new("Ava");
            for (kind, id, length) in entries {
                let id = id.to_string();
                let message = match kind {
                    0 => Message::new(Role::Ai, Body::blocks(vec![look(&id)])),
                    1 => saw(&id),
                    _ => Message::human("word ".repeat(length)),
                };
                talk.add_message(message).unwrap();
            }
            let gap = |count| Body::text(format!("({count} messages are left out here)"));
            for view in [View::Tokens(most), View::Last(3), View::HeadTail { head: 2, tail: 3 }] {
                let viewed = view.of(&talk, &gap);
                let shown = viewed.as_ref().unwrap_or(&talk);
                let mut open = BTreeMap::new();
                for entry in shown.entries() {
                    for result in entry.body().tool_results() {
                        prop_assert!(open.remove(result.id).is_some(), "{:?}", entry.body());
                    }
                    for call in entry.body().tool_calls() {
                        prop_assert!(open.insert(call.id.to_owned(), ()).is_none());
                    }
                }
                prop_assert!(open.is_empty());
                if view == View::Tokens(most) {
                    let weight: u64 = shown.entries().iter().map(|entry| u64::from(entry.body().short_tokens())).sum();
                    let own = |entry: &&Entry| !entry.body().full_text().starts_with('(');
                    // A last result is shown with its call.
                    prop_assert!(weight <= most || shown.entries().iter().filter(own).count() <= 2, "{weight}");
                }
            }
        }
    }
}
