//! Keeping the newest of a conversation within a limit.

use super::left_out::LeftOut;
use super::turn::Turn;
use crate::message::{Block, Role};

/// What is left of a conversation.
#[derive(Clone, Debug)]
pub struct Truncated<'a> {
    /// The turns that stay, oldest first.
    pub turns: Vec<Turn<'a>>,
    /// What was dropped, if anything was.
    pub left_out: Option<LeftOut>,
    /// What the turns that stay weigh; more than the limit where even the newest is too heavy.
    pub weight: u64,
}

/// Drops the oldest turns until the rest weighs no more than `limit`. The system's turns stay,
/// calls stay or go together with their results, and the newest turn stays in any case. `weight`
/// says what a turn weighs: [`Turn::tokens`], or [`Turn::messages`] where messages are counted.
pub fn truncate<'a>(
    turns: &[Turn<'a>],
    limit: u64,
    weight: impl Fn(&Turn<'a>) -> u64,
) -> Truncated<'a> {
    let weights: Vec<_> = turns.iter().map(weight).collect();
    let groups = groups(turns);
    let mut members = vec![Vec::new(); turns.len()];
    for (at, group) in groups.iter().enumerate() {
        members[*group].push(at);
    }
    let mut stays = vec![true; turns.len()];
    let mut total = weights.iter().copied().fold(0, u64::saturating_add);
    for (at, group) in groups.iter().enumerate() {
        if total <= limit {
            break;
        }
        if turns[at].role == Role::System || Some(group) == groups.last() {
            continue;
        }
        for member in members[*group].drain(..) {
            stays[member] = false;
            total = total.saturating_sub(weights[member]);
        }
    }
    let gone: Vec<_> = (0..turns.len()).filter(|at| !stays[*at]).collect();
    let weight = gone.iter().map(|at| weights[*at]);
    let left_out = LeftOut::Older {
        messages: gone.len(),
        weight: weight.fold(0, u64::saturating_add),
    };
    let kept = turns.iter().zip(stays).filter(|(_, stays)| *stays);
    Truncated {
        turns: kept.map(|(turn, _)| *turn).collect(),
        left_out: (!gone.is_empty()).then_some(left_out),
        weight: total,
    }
}

/// For each turn the first one of its group: calls and their results are one, any other turn is
/// alone, and so is the system's.
fn groups(turns: &[Turn<'_>]) -> Vec<usize> {
    let mut groups: Vec<usize> = Vec::with_capacity(turns.len());
    let mut callers: Vec<(&str, usize)> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let mut group = at;
        let of_system = turn.role == Role::System;
        for block in turn.blocks().iter().filter(|_| !of_system) {
            match block {
                Block::ToolUse { id, .. } => callers.push((id, at)),
                Block::ToolResult { tool_use_id, .. } => {
                    let caller = callers.iter().rev().find(|(id, _)| id == tool_use_id);
                    let Some((_, caller)) = caller else { continue };
                    let of_caller = groups.get(*caller).copied().unwrap_or(at);
                    // One message may answer calls of several.
                    let (first, second) = (group.min(of_caller), group.max(of_caller));
                    if second != at {
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
