//! What a tool reports of its own work, apart from its result, and what it spends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::engine::Account;
use crate::journal::ToolSpent;
use crate::message::Cost;

/// Takes what a tool reports of its work while it runs, such as what is said in a team that is a
/// tool. It is recorded with the result, for people; no mind reads it. A tool that asks minds
/// itself finds its allowance here, and pays from the account. Clones share all reports.
#[derive(Clone, Debug, Default)]
pub struct ToolTrace {
    report: Arc<Mutex<Report>>,
    /// The most that the tool may spend on minds.
    pub allowance: SpendLimits,
    /// What it pays from: whatever it spends is in the journal at once.
    pub account: Account,
}

/// The most that a run or a tool may spend on minds; `None` for no limit. Limits change no answer:
/// they only stop the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpendLimits {
    pub calls: Option<u64>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    pub cost: Option<Cost>,
}

impl SpendLimits {
    /// An equal share, if they are divided into this many.
    pub(crate) fn shared_by(self, count: usize) -> Self {
        let share = |limit: u64| limit / (count as u64).max(1);
        Self {
            calls: self.calls.map(share),
            tokens: self.tokens.map(share),
            cost: self.cost.map(|cost| Cost(share(cost.0))),
        }
    }
}

#[derive(Debug, Default)]
struct Report {
    records: Vec<Value>,
    bytes: usize,
}

/// The most that one call may report, in bytes of JSON; what comes after is lost.
const MAX_BYTES: usize = 4 << 20;

impl ToolTrace {
    /// An empty trace with this allowance and account.
    pub(crate) fn with(allowance: SpendLimits, account: Account) -> Self {
        Self {
            allowance,
            account,
            ..Self::default()
        }
    }

    /// Adds a record. One that can't be written as JSON is lost.
    pub fn record(&self, record: &impl Serialize) {
        let Ok(record) = serde_json::to_value(record) else {
            return;
        };
        let mut report = self.report();
        report.bytes = report.bytes.saturating_add(record.to_string().len());
        if report.bytes <= MAX_BYTES {
            report.records.push(record);
        }
    }

    /// All records, in order. Later ones are lost.
    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.report().records)
    }

    /// What the tool has spent so far, in all.
    pub(crate) fn spent(&self) -> ToolSpent {
        self.account.spent().into()
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_reports_is_bounded() {
        let trace = ToolTrace::default();
        let long = "x".repeat(MAX_BYTES / 2);
        for record in ["short", &long, &long, "too late"] {
            trace.clone().record(&record);
        }
        assert_eq!(trace.take(), [Value::from("short"), long.into()]);
    }
}
