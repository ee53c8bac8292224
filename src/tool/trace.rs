//! What a tool tells of its own work, apart from its result, and what it spends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::journal::ToolSpent;
use crate::message::Cost;

/// Takes what a tool tells of its work while it runs: a team that is a tool, what is said in it. It is recorded
/// with the result, for people; no mind reads it. A tool that asks minds itself finds here how much it may
/// spend, and says what it spent. Clones share what is told.
#[derive(Clone, Debug, Default)]
pub struct ToolTrace {
    notes: Arc<Mutex<Notes>>,
    /// The most that it may spend.
    pub allowance: Allowance,
}

/// How much a tool may spend on calls of minds; no limit where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Requests to minds.
    pub calls: Option<u64>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Money.
    pub cost: Option<Cost>,
}

#[derive(Debug, Default)]
struct Notes {
    told: Vec<Value>,
    bytes: usize,
    spent: ToolSpent,
}

/// The most that one call may tell, in bytes of JSON; what comes after is lost.
const MOST: usize = 4 << 20;

impl ToolTrace {
    /// One of which nothing was told, with this much to spend.
    pub(crate) fn with(allowance: Allowance) -> Self {
        Self {
            allowance,
            ..Self::default()
        }
    }

    /// Tells one thing.
    pub fn tell(&self, what: &impl Serialize) {
        let mut notes = self.notes();
        let Ok(what) = serde_json::to_value(what) else {
            return;
        };
        notes.bytes = notes.bytes.saturating_add(what.to_string().len());
        if notes.bytes <= MOST {
            notes.told.push(what);
        }
    }

    /// All that was told, in order. What is told afterwards is lost.
    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.notes().told)
    }

    /// Says what was spent so far, in all.
    pub fn spend(&self, spent: ToolSpent) {
        self.notes().spent = spent;
    }

    pub(crate) fn spent(&self) -> ToolSpent {
        self.notes().spent
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_tells_is_bounded() {
        let inside = ToolTrace::default();
        let long = "x".repeat(MOST / 2);
        for what in ["short", &long, &long, "too late"] {
            inside.clone().tell(&what);
        }
        assert_eq!(inside.take(), [Value::from("short"), long.into()]);
    }
}
