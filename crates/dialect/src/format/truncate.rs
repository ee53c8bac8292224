//! Dropping the oldest turns of a conversation to keep within a limit.

use playhouse_engine::message::{Block, Role};
use playhouse_engine::mind::Turn;

use super::omission::Omission;

/// A conversation within a limit.
#[derive(Clone, Debug)]
pub struct Truncated<'a> {
    /// The turns that are kept, oldest first.
    pub turns: Vec<Turn<'a>>,
    /// What was dropped, if anything was.
    pub omission: Option<Omission>,
    /// The weight of the turns that are kept; more than the limit if the newest alone exceeds it.
    pub weight: u64,
}

/// Drops the oldest turns until the rest weighs no more than `limit`. System turns and the newest
/// turn are always kept; tool calls are kept or dropped together with their results. `weight` is
/// the weight of a turn: [`Turn::tokens`] to limit tokens, [`Turn::message_count`] to limit
/// messages.
pub fn truncate<'a>(
    turns: &[Turn<'a>],
    limit: u64,
    weight: impl Fn(&Turn<'a>) -> u64,
) -> Truncated<'a> {
    let weights: Vec<_> = turns.iter().map(weight).collect();
    let groups = groups(turns);
    let mut members = vec![Vec::new(); turns.len()];
    for (index, group) in groups.iter().enumerate() {
        members[*group].push(index);
    }
    let mut is_kept = vec![true; turns.len()];
    let mut total = weights.iter().copied().fold(0, u64::saturating_add);
    for (index, group) in groups.iter().enumerate() {
        if total <= limit {
            break;
        }
        if turns[index].role == Role::System || Some(group) == groups.last() {
            continue;
        }
        for member in members[*group].drain(..) {
            is_kept[member] = false;
            total = total.saturating_sub(weights[member]);
        }
    }
    let dropped: Vec<_> = (0..turns.len()).filter(|index| !is_kept[*index]).collect();
    let dropped_weights = dropped.iter().map(|index| weights[*index]);
    let omission = Omission::OlderMessages {
        count: dropped.len(),
        weight: dropped_weights.fold(0, u64::saturating_add),
    };
    let kept = turns.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    Truncated {
        turns: kept.map(|(turn, _)| *turn).collect(),
        omission: (!dropped.is_empty()).then_some(omission),
        weight: total,
    }
}

/// For each turn, the index of the first turn of its group. Tool calls and their results form a
/// group, any other turn is alone.
fn groups(turns: &[Turn<'_>]) -> Vec<usize> {
    let mut groups: Vec<usize> = Vec::with_capacity(turns.len());
    let mut callers: Vec<(&str, usize)> = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        let mut group = index;
        let is_system = turn.role == Role::System;
        for block in turn.blocks().iter().filter(|_| !is_system) {
            match block {
                Block::ToolUse { id, .. } => callers.push((id, index)),
                Block::ToolResult { tool_use_id, .. } => {
                    let caller = callers.iter().rev().find(|(id, _)| id == tool_use_id);
                    let Some((_, caller)) = caller else { continue };
                    let of_caller = groups.get(*caller).copied().unwrap_or(index);
                    // One message may answer the calls of several.
                    let (first, second) = (group.min(of_caller), group.max(of_caller));
                    if second != index {
                        let moved = groups.iter_mut().filter(|group| **group == second);
                        moved.for_each(|group| *group = first);
                    }
                    group = first;
                }
                _ => {}
            }
        }
        groups.push(group);
    }
    groups
}
