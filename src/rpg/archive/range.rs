//! Which messages of a context a summary may replace. Nothing here changes a context.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::context::{AgentContext, EntryId, HeldMessage, SearchOrder};
use crate::message::Role;

/// A range of a context, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryRange {
    /// Its first message.
    pub(super) begin: EntryId,
    /// Its last message.
    pub(super) end: EntryId,
}

impl EntryRange {
    /// Whether a message is in it.
    pub(super) fn contains(&self, id: EntryId) -> bool {
        (self.begin..=self.end).contains(&id)
    }
}

/// Why a fight can't be cut out of a context.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum FightRangeError {
    /// The beginning or the outcome is not tagged.
    #[error("no message is tagged {0} for this fight")]
    Missing(&'static str),
    /// Several messages are tagged as the beginning or the outcome.
    #[error("{1} messages are tagged {0} for this fight; there must be one")]
    Duplicate(&'static str, usize),
    /// The outcome comes before the beginning.
    #[error("the outcome comes before the beginning")]
    Reversed,
    /// Another fight begins or ends in the range, but not both.
    #[error("the fight '{0}' is only partly in the range")]
    Overlap(String),
}

const BEGIN: &str = "combat_initialization";
const END: &str = "combat_outcome";

/// The range from the beginning of a fight to its outcome.
///
/// # Errors
/// The tags are missing, duplicate or out of order.
pub(super) fn fight_range(
    context: &AgentContext,
    combat: &str,
) -> Result<EntryRange, FightRangeError> {
    let tagged =
        context.filter_human_messages_by_attribute("combat_id", combat, SearchOrder::OldestFirst);
    let (begin, end) = (single(&tagged, BEGIN)?, single(&tagged, END)?);
    if begin >= end {
        return Err(FightRangeError::Reversed);
    }
    let range = EntryRange { begin, end };
    match overlapping_fight(context, combat, range) {
        Some(other) => Err(FightRangeError::Overlap(other)),
        None => Ok(range),
    }
}

fn single(messages: &[HeldMessage], key: &'static str) -> Result<EntryId, FightRangeError> {
    let messages = messages.iter();
    let mut found = messages.filter(|held| held.message.tags.get(key).is_some());
    match (found.next(), found.count()) {
        (None, _) => Err(FightRangeError::Missing(key)),
        (Some(held), 0) => Ok(held.id),
        (Some(_), more) => Err(FightRangeError::Duplicate(key, more + 1)),
    }
}

/// Another fight of which only a part is in the range.
fn overlapping_fight(context: &AgentContext, combat: &str, range: EntryRange) -> Option<String> {
    let mut balances: BTreeMap<String, i32> = BTreeMap::new();
    let ids = context.entries().iter().map(|entry| entry.id());
    for id in ids.filter(|id| range.contains(*id)) {
        let Some(tags) = context.tags(id) else {
            continue;
        };
        let Some(other) = tags.text("combat_id").filter(|other| *other != combat) else {
            continue;
        };
        let change = i32::from(tags.get(BEGIN).is_some()) - i32::from(tags.get(END).is_some());
        *balances.entry(other.to_owned()).or_default() += change;
    }
    let mut balances = balances.into_iter();
    balances.find_map(|(fight, balance)| (balance != 0).then_some(fight))
}

/// What to fold of a context that has grown too long: all up to the last end of a day after which a
/// quarter of the tokens remains, or everything if there is none. Summaries of earlier chapters are
/// kept, so it is the longest stretch between them. If all stretches have become short, they are
/// folded together with the summaries. `None` if less than `min_tokens` would be folded.
pub(super) fn past_to_fold(context: &AgentContext, min_tokens: u64) -> Option<EntryRange> {
    let entries = context.entries();
    let first = usize::from(entries.first()?.role() == Role::System);
    let tokens = |from: usize, to: usize| -> u64 {
        let part = entries.get(from..to).unwrap_or_default().iter();
        part.map(|entry| u64::from(entry.body().short_tokens()))
            .sum()
    };
    let is_tagged = |index: usize, key: &str| {
        let tags = entries.get(index);
        let tags = tags.and_then(|entry| context.tags(entry.id()));
        tags.is_some_and(|tags| tags.get(key).is_some())
    };
    let count = entries.len();
    let quarter = tokens(first, count) / 4;
    let mut day_ends = (first..count)
        .rev()
        .filter(|index| is_tagged(*index, "day_end"));
    let last = day_ends.find(|index| tokens(index + 1, count) >= quarter);
    let last = last.unwrap_or(count - 1);
    let summaries = (first..=last).filter(|index| is_tagged(*index, "archive"));
    let mut from = first;
    let mut longest = (0, first, first);
    for to in summaries.chain([last + 1]) {
        let length = tokens(from, to);
        if length > longest.0 {
            longest = (length, from, to);
        }
        from = to + 1;
    }
    if longest.0 < quarter {
        longest = (tokens(first, last + 1), first, last + 1);
    }
    let (length, from, to) = longest;
    if length < min_tokens.max(1) || to <= from {
        return None;
    }
    Some(EntryRange {
        begin: entries.get(from)?.id(),
        end: entries.get(to - 1)?.id(),
    })
}
