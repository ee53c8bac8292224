//! Which messages of a context a summary may stand for. Pure: nothing here changes a context.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::context::{AgentContext, EntryId, HeldMessage, SearchOrder};

/// Why a fight can't be cut out of a context.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoRange {
    /// The beginning or the outcome is not marked.
    #[error("no message is tagged {0} for this fight")]
    Missing(&'static str),
    /// More than one message claims to be the beginning or the outcome.
    #[error("{1} messages are tagged {0} for this fight; one is right")]
    Repeated(&'static str, usize),
    /// The outcome stands before the beginning.
    #[error("the outcome stands before the beginning")]
    Crossed,
    /// Another fight begins or ends within, and not both.
    #[error("the fight '{0}' is only partly within")]
    Entangled(String),
}

const BEGIN: &str = "combat_initialization";
const END: &str = "combat_outcome";

/// From the beginning of a fight to its outcome, both included.
///
/// # Errors
/// The tags are missing, repeated or crossed.
pub fn fight_range(context: &AgentContext, combat: &str) -> Result<(EntryId, EntryId), NoRange> {
    let marked =
        context.filter_human_messages_by_attribute("combat_id", combat, SearchOrder::OldestFirst);
    let (begin, end) = (only(&marked, BEGIN)?, only(&marked, END)?);
    if begin >= end {
        return Err(NoRange::Crossed);
    }
    match entangled(context, combat, begin, end) {
        Some(other) => Err(NoRange::Entangled(other)),
        None => Ok((begin, end)),
    }
}

fn only(marked: &[HeldMessage], key: &'static str) -> Result<EntryId, NoRange> {
    let mut found = marked
        .iter()
        .filter(|held| held.message.tags.get(key).is_some());
    match (found.next(), found.count()) {
        (None, _) => Err(NoRange::Missing(key)),
        (Some(held), 0) => Ok(held.id),
        (Some(_), more) => Err(NoRange::Repeated(key, more + 1)),
    }
}

/// Another fight of which only a part lies within the range.
fn entangled(context: &AgentContext, combat: &str, begin: EntryId, end: EntryId) -> Option<String> {
    let mut balance: BTreeMap<String, i32> = BTreeMap::new();
    let within = context.entries().iter().map(|entry| entry.id());
    for id in within.filter(|id| (begin..=end).contains(id)) {
        let Some(tags) = context.tags(id) else {
            continue;
        };
        let Some(other) = tags.text("combat_id").filter(|other| *other != combat) else {
            continue;
        };
        let step = i32::from(tags.get(BEGIN).is_some()) - i32::from(tags.get(END).is_some());
        *balance.entry(other.to_owned()).or_default() += step;
    }
    let mut partly = balance.into_iter().filter(|(_, balance)| *balance != 0);
    partly.next().map(|(other, _)| other)
}

/// The past that a day's end folds away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its first message.
    pub begin: EntryId,
    /// Its last message.
    pub end: EntryId,
}

/// What to fold of a context that has grown too long: up to the latest end of a day that leaves a
/// quarter of it, else all there is. Summaries of earlier chapters stay, so it is the longest stretch
/// between them; where all stretches have become short, they are folded together with the summaries.
/// Nothing where less than `least` tokens would be folded.
pub fn past_of(context: &AgentContext, least: u64) -> Option<Past> {
    let entries = context.entries();
    let first = usize::from(entries.first()?.role() == crate::message::Role::System);
    let tokens = |from: usize, to: usize| -> u64 {
        let part = entries.get(from..to).unwrap_or_default();
        part.iter()
            .map(|entry| u64::from(entry.body().short_tokens()))
            .sum()
    };
    let tagged = |at: usize, key: &str| {
        let tags = entries.get(at).and_then(|entry| context.tags(entry.id()));
        tags.is_some_and(|tags| tags.get(key).is_some())
    };
    let count = entries.len();
    let quarter = tokens(first, count) / 4;
    let day_ends = (first..count).rev().filter(|at| tagged(*at, "day_end"));
    let last = { day_ends }.find(|at| tokens(at + 1, count) >= quarter);
    let last = last.unwrap_or(count - 1);
    let summaries = (first..=last).filter(|at| tagged(*at, "archive"));
    let walls: Vec<_> = summaries.chain([last + 1]).collect();
    let mut from = first;
    let mut longest = (0, first, first);
    for wall in walls {
        let length = tokens(from, wall);
        if length > longest.0 {
            longest = (length, from, wall);
        }
        from = wall + 1;
    }
    if longest.0 < quarter {
        longest = (tokens(first, last + 1), first, last + 1);
    }
    let (length, from, to) = longest;
    let worth = length >= least.max(1) && to > from;
    worth.then(|| {
        Some(Past {
            begin: entries.get(from)?.id(),
            end: entries.get(to - 1)?.id(),
        })
    })?
}
