//! Which messages of a context a summary may replace. Nothing here changes a context.
//!
//! A fight is cut out by its tags. Of a conversation that has grown too long, [`past_to_fold`]
//! finds the range to archive. For example, one with room for 4,000 tokens holds the system
//! message, a volume, a chapter, and the messages of days 3 and 4. The range ends where day 4
//! begins, if day 4 has a quarter of the tokens. Day 3 becomes a chapter, if that leaves two
//! thirds of the room free; else the chapter and day 3 become a volume; else the volume, the
//! chapter and day 3 become a life.

use std::collections::BTreeMap;
use std::ops::Range;

use playhouse_engine::context::{
    AgentContext, Chapter, ChapterId, Chapters, EntryId, Level, SearchOrder, StoredMessage,
};
use playhouse_engine::message::Role;
use thiserror::Error;

use super::record::record_tokens;
use crate::events::{COMBAT_ID, COMBAT_INITIALIZATION, COMBAT_OUTCOME};

/// The tokens that a long question may take.
const QUESTION_TOKENS: u64 = 1_200;

/// How many tokens an owner's words about its past usually take at most.
const WORDS_TOKENS: u64 = 300;

/// A range of a context, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryRange {
    pub(super) begin: EntryId,
    pub(super) end: EntryId,
}

impl EntryRange {
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
    #[error("the outcome comes before the beginning")]
    Reversed,
    /// Another fight begins or ends in the range, but not both.
    #[error("the fight '{0}' is only partly in the range")]
    Overlap(String),
}

const BEGIN: &str = COMBAT_INITIALIZATION.as_str();
const END: &str = COMBAT_OUTCOME.as_str();

/// The range from the beginning of a fight to its outcome.
pub(super) fn fight_range(
    context: &AgentContext,
    combat: &str,
) -> Result<EntryRange, FightRangeError> {
    let order = SearchOrder::OldestFirst;
    let tagged = context.filter_human_messages_by_attribute(COMBAT_ID.as_str(), combat, order);
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
    for tags in ids
        .filter(|id| range.contains(*id))
        .filter_map(|id| context.tags(id))
    {
        let fight = tags.text(COMBAT_ID.as_str());
        if let Some(other) = fight.filter(|other| *other != combat) {
            let change = i32::from(tags.get(BEGIN).is_some()) - i32::from(tags.get(END).is_some());
            *balances.entry(other.to_owned()).or_default() += change;
        }
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

/// What to archive of a context that has grown too long: one range, so that its owner is asked
/// once. It begins after what must not be cut and ends where a part of the story does, so that a
/// quarter of the tokens remains, or else at the end of the conversation. Of these the first that
/// leaves two thirds of the room free, or else the one that leaves most:
///
/// 1. the oldest stretch of messages between what is archived already: it becomes a chapter;
/// 2. everything after the volumes: it becomes a volume;
/// 3. everything: it becomes a life.
///
/// `None` if nothing can become shorter.
pub(super) fn past_to_fold(
    context: &AgentContext,
    chapters: &Chapters,
    room: u64,
) -> Option<EntryRange> {
    let entries = context.entries();
    let first = usize::from(entries.first()?.role() == Role::System);
    let count = entries.len();
    let tokens = |range: &Range<usize>| -> u64 {
        let part = entries.get(range.clone()).unwrap_or_default().iter();
        part.map(|entry| u64::from(entry.body().short_tokens()))
            .sum()
    };
    let tags_with = |index: usize, key: &str| {
        let tags = context.tags(entries.get(index)?.id());
        tags.filter(|tags| tags.get(key).is_some())
    };
    let level = |index: usize| {
        let id = tags_with(index, "archive")?.text("chapter")?;
        let chapter = chapters.get(&ChapterId(id.into()));
        Some(chapter.map(Chapter::level).unwrap_or_default())
    };
    let total = tokens(&(first..count));
    let left = |range: &Range<usize>| {
        let becomes = match range.clone().filter_map(level).max() {
            None => Level::Chapter,
            Some(Level::Chapter) => Level::Volume,
            Some(_) => Level::Life,
        };
        let range = tokens(range);
        total - range + range.min(folded_tokens(becomes, room))
    };
    // A part of the story begins with a message or after one.
    let is_part = |from: usize| {
        let begins = |key| tags_with(from, key).is_some();
        let ends = |last: usize| tags_with(last, "day_end").is_some() || level(last).is_some();
        begins("day_begin") || begins("stage_transition") || from.checked_sub(1).is_some_and(ends)
    };
    let keeps_quarter = |from: &usize| tokens(&(*from..count)) >= total / 4;
    let mut parts = (first + 1..count).rev().filter(|from| is_part(*from));
    let end = parts.find(keeps_quarter).unwrap_or(count);

    let is_upper = |index: &usize| level(*index) > Some(Level::Chapter);
    let uppers_end = first + (first..end).take_while(is_upper).count();
    let mut ranges = Vec::new();
    let mut from = uppers_end;
    for to in (uppers_end..end).filter(|index| level(*index).is_some()) {
        ranges.push(from..to);
        from = to + 1;
    }
    ranges.push(from..end);
    for end in [end, count] {
        ranges.extend([uppers_end..end, first..end]);
    }
    ranges.retain(|range| range.len() > 1 && left(range) < total);
    let suffices = |range: &&Range<usize>| left(range) <= room / 3;
    let most = || ranges.iter().min_by_key(|range| left(range));
    let chosen = ranges.iter().find(suffices).or_else(most)?;
    Some(EntryRange {
        begin: entries.get(chosen.start)?.id(),
        end: entries.get(chosen.end.checked_sub(1)?)?.id(),
    })
}

/// How many tokens a range usually takes when it is archived: its record, and its owner's words.
fn folded_tokens(level: Level, room: u64) -> u64 {
    record_tokens(level, room) + (room / 16).min(WORDS_TOKENS)
}
