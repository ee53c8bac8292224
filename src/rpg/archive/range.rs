//! Which messages of a context a summary may replace. Nothing here changes a context.

use std::collections::BTreeMap;
use std::ops::Range;

use thiserror::Error;

use crate::context::{
    AgentContext, Chapter, ChapterId, Chapters, EntryId, Level, SearchOrder, StoredMessage,
};
use crate::message::Role;

/// The tokens that a long question may take.
const QUESTION_TOKENS: u64 = 1_100;

/// How many chapters make a volume, and volumes a life.
const SEVERAL: usize = 4;

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

/// The range from the beginning of a fight on, while its outcome is not delivered.
pub(super) fn fight_so_far(context: &AgentContext, combat: &str) -> Option<EntryRange> {
    let tagged =
        context.filter_human_messages_by_attribute("combat_id", combat, SearchOrder::OldestFirst);
    let begin = single(&tagged, BEGIN).ok()?;
    let end = context.entries().last()?.id();
    Some(EntryRange { begin, end })
}

fn single(messages: &[StoredMessage], key: &'static str) -> Result<EntryId, FightRangeError> {
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

/// How much room a conversation has: the budget without the system message, and without what
/// questions may take: a fifth, and of a small budget up to a third.
pub(super) fn room(context: &AgentContext, budget: u64) -> u64 {
    let questions = QUESTION_TOKENS.min(budget / 3).max(budget / 5);
    (budget - questions).saturating_sub(system_tokens(context))
}

/// The tokens of a conversation without the system message.
pub(super) fn past_tokens(context: &AgentContext) -> u64 {
    context.tokens().saturating_sub(system_tokens(context))
}

fn system_tokens(context: &AgentContext) -> u64 {
    let first = context.entries().first();
    let system = first.filter(|entry| entry.role() == Role::System);
    system.map_or(0, |entry| u64::from(entry.body().short_tokens()))
}

/// What to archive next of a context that has grown too long, oldest first, up to the last end of
/// a day after which a quarter of the tokens remains, or up to its end if there is none:
///
/// 1. volumes, if they take more than a quarter of the room: they become a life;
/// 2. chapters, if they do: they become a volume, with what lies between them;
/// 3. the oldest messages that take at least an eighth of the room: they become a chapter;
/// 4. whatever else is left, by the same rules without these limits.
///
/// Fewer than [`SEVERAL`] volumes or chapters stay as they are unless they take a third of the
/// room, or nothing else can become shorter.
///
/// `None` if nothing can become shorter.
pub(super) fn past_to_fold(
    context: &AgentContext,
    chapters: &Chapters,
    room: u64,
) -> Option<EntryRange> {
    let entries = context.entries();
    let first = usize::from(entries.first()?.role() == Role::System);
    let tokens = |from: usize, to: usize| -> u64 {
        let part = entries.get(from..to).unwrap_or_default().iter();
        part.map(|entry| u64::from(entry.body().short_tokens()))
            .sum()
    };
    let tag = |index: usize, key: &str| {
        let tags = entries
            .get(index)
            .and_then(|entry| context.tags(entry.id()));
        tags.filter(|tags| tags.get(key).is_some())
    };
    let level = |index: usize| {
        let id = tag(index, "archive")?.text("chapter").unwrap_or_default();
        let chapter = chapters.get(&ChapterId(id.into()));
        Some(chapter.map(Chapter::level).unwrap_or_default())
    };
    let count = entries.len();
    let quarter = tokens(first, count) / 4;
    let mut day_ends = (first..count)
        .rev()
        .filter(|index| tag(*index, "day_end").is_some());
    let end = day_ends.find(|index| tokens(index + 1, count) >= quarter);
    let end = end.map_or(count, |last| last + 1);

    let is_upper = |index: &usize| level(*index) > Some(Level::Chapter);
    let uppers = first..first + (first..end).take_while(is_upper).count();
    let closed = (uppers.end..end).filter(|index| level(*index).is_some());
    let closed: Vec<_> = closed.collect();
    let lower_end = closed.last().map_or(uppers.end, |last| last + 1);
    let lowers = uppers.end..lower_end;
    let closed_tokens: u64 = closed.iter().map(|index| tokens(*index, index + 1)).sum();
    // Stretches of messages between what is archived already.
    let mut stretches = Vec::new();
    let mut from = uppers.end;
    for to in closed.iter().copied().chain([end]) {
        stretches.push(from..to);
        from = to + 1;
    }
    let length = |range: &Range<usize>| tokens(range.start, range.end);
    let are_several =
        |count: usize, tokens: u64| count > 1 && (count >= SEVERAL || tokens > room / 3);
    let some_uppers = || (uppers.len() > 1).then(|| uppers.clone());
    let some_closed = || (closed.len() > 1).then(|| lowers.clone());
    let upper_tokens = length(&uppers);
    let several_uppers = || some_uppers().filter(|_| are_several(uppers.len(), upper_tokens));
    let several_closed = || some_closed().filter(|_| are_several(closed.len(), closed_tokens));
    let long_stretch = |least: u64| {
        let mut long = stretches.iter();
        let long = long.find(|range| range.len() > 1 && length(range) >= least.max(1));
        long.cloned()
    };
    let chosen = several_uppers().filter(|_| upper_tokens > room / 4);
    let chosen = chosen.or_else(|| several_closed().filter(|_| closed_tokens > room / 4));
    let chosen = chosen.or_else(|| long_stretch(room / 8));
    let chosen = chosen.or_else(|| long_stretch(room / 16));
    let chosen = chosen.or_else(some_closed).or_else(some_uppers)?;
    Some(EntryRange {
        begin: entries.get(chosen.start)?.id(),
        end: entries.get(chosen.end.checked_sub(1)?)?.id(),
    })
}
