//! How much of a conversation a request shows. The whole is kept.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};

use super::{AgentContext, Entry};
use crate::message::{Block, Body, Content, Message, Role, Tags};

/// How much of an entity's conversation its requests show. The opening is always shown, a result of a
/// tool never without its call, and a line stands where something in the middle is left out.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum View {
    /// All of it.
    #[default]
    Whole,
    /// The last so many messages.
    Last(usize),
    /// The first and the last so many.
    HeadTail {
        /// How many of the first.
        head: usize,
        /// How many of the last.
        tail: usize,
    },
    /// As many of the last as fit into so many estimated tokens.
    Tokens(u64),
    /// Of each of these speakers the first or the last so many; nothing of others.
    Sources(Vec<SourceView>),
}

/// What is shown of one speaker; all of it without a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceView {
    /// Whose messages.
    pub source: String,
    /// Only the first so many.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub first: Option<usize>,
    /// Only the last so many.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub last: Option<usize>,
}

/// A number that is written bare where it is given.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    usize::deserialize(deserializer).map(Some)
}

impl View {
    /// What is shown of a conversation; nothing where that is the whole. `gap` makes the line that
    /// stands for so many messages.
    pub fn of(&self, context: &AgentContext, gap: &dyn Fn(u32) -> Body) -> Option<AgentContext> {
        if *self == Self::Whole {
            return None;
        }
        let entries = context.entries();
        let shared_prefix = entries
            .iter()
            .take_while(|entry| entry.role() == Role::System)
            .count();
        let (shared_prefix, said) = entries.split_at(shared_prefix);
        let mut shown = self.shown(said);
        drop_half_calls(said, &mut shown);
        if shown.iter().all(|shown| *shown) {
            return None;
        }
        let marks_gaps = matches!(self, Self::HeadTail { .. } | Self::Tokens(_));
        let mut view = AgentContext::new(context.name().clone());
        let keep = |view: &mut AgentContext, entry: &Entry| {
            let tags = context.tags(entry.id()).cloned().unwrap_or_default();
            let message = Message::new(entry.role(), entry.body().clone()).tagged(tags);
            // An opening is the first, and there is one at most.
            let _ = view.add_message(message);
        };
        shared_prefix
            .iter()
            .for_each(|entry| keep(&mut view, entry));
        let mut missing = 0;
        for (entry, shown) in said.iter().zip(&shown) {
            match shown {
                true if missing > 0 && marks_gaps => {
                    view.add_human_message(gap(std::mem::take(&mut missing)), Tags::new());
                }
                true => {}
                false => missing += 1,
            }
            if *shown {
                keep(&mut view, entry);
            }
        }
        Some(view)
    }

    /// Which messages after the opening are shown.
    fn shown(&self, said: &[Entry]) -> Vec<bool> {
        let count = said.len();
        let last = |most: usize| (0..count).map(|at| at + most >= count).collect();
        match self {
            Self::Whole => vec![true; count],
            Self::Last(most) => last(*most),
            Self::HeadTail { head, tail } => (0..count)
                .map(|at| at < *head || at + tail >= count)
                .collect(),
            Self::Tokens(most) => {
                let mut left = *most;
                let newest = said.iter().rev();
                let fits = newest.take_while(|entry| {
                    let tokens = u64::from(entry.body().short_tokens());
                    let fits = tokens <= left;
                    left = left.saturating_sub(tokens);
                    fits
                });
                // The last message is what is to be answered; without it nothing makes sense.
                last(fits.count().max(1))
            }
            Self::Sources(sources) => by_source(said, sources),
        }
    }
}

fn by_source(said: &[Entry], sources: &[SourceView]) -> Vec<bool> {
    let mut shown = vec![false; said.len()];
    for source in sources {
        let of = said.iter().enumerate().filter(|(_, entry)| {
            let sender = entry.body().sender();
            sender.is_some_and(|sender| **sender == source.source)
        });
        let of: Vec<usize> = of.map(|(at, _)| at).collect();
        let first = source.first.unwrap_or(0);
        let last = match (source.first, source.last) {
            (None, None) => of.len(),
            (_, last) => last.unwrap_or(0),
        };
        for (number, at) in of.iter().enumerate() {
            if (number < first || number + last >= of.len())
                && let Some(shown) = shown.get_mut(*at)
            {
                *shown = true;
            }
        }
    }
    shown
}

/// Leaves calls out whose results are not shown, and results whose calls are not.
fn drop_half_calls(said: &[Entry], shown: &mut [bool]) {
    let ids = |entry: &Entry, wanted: fn(&Block) -> Option<&String>| -> Vec<String> {
        match entry.body().content() {
            Content::Text(_) => Vec::new(),
            Content::Blocks(blocks) => blocks.iter().filter_map(wanted).cloned().collect(),
        }
    };
    let called = |entry: &Entry| ids(entry, call_id);
    let returned = |entry: &Entry| ids(entry, result_id);
    for (at, entry) in said.iter().enumerate() {
        for id in called(entry) {
            let mut later = said.iter().enumerate().skip(at + 1);
            let result = later.find(|(_, other)| returned(other).contains(&id));
            let result = result.map(|(at, _)| at);
            let both = shown.get(at) == Some(&true)
                && result.is_some_and(|result| shown.get(result) == Some(&true));
            if !both {
                for half in [Some(at), result].into_iter().flatten() {
                    if let Some(shown) = shown.get_mut(half) {
                        *shown = false;
                    }
                }
            }
        }
    }
    for (at, entry) in said.iter().enumerate() {
        let answers = returned(entry);
        let mut before = said.iter().take(at).flat_map(&called);
        if !answers.is_empty()
            && !before.any(|id| answers.contains(&id))
            && let Some(shown) = shown.get_mut(at)
        {
            *shown = false;
        }
    }
}

fn call_id(block: &Block) -> Option<&String> {
    match block {
        Block::ToolUse { id, .. } => Some(id),
        _ => None,
    }
}

fn result_id(block: &Block) -> Option<&String> {
    match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
