//! What the games of a tournament may spend together.

use crate::cli::prelude::*;
use std::sync::{Mutex, MutexGuard};

use crate::engine::SpendLimits;
use crate::exchange::Spent;
use crate::mind::Cost;

use crate::cli::settings::Settings;

/// What all games together may spend. Each game is granted a part before it begins and returns what
/// it did not spend, so that together they stay within the limits, however many are played at a
/// time.
pub(super) struct SharedBudget {
    limits: SpendLimits,
    jobs: u64,
    committed: Mutex<Committed>,
}

/// What is spent, and what is granted to running games.
#[derive(Default)]
struct Committed {
    calls: u64,
    tokens: u64,
    cost: u64,
    running: u64,
}

/// What a game may spend.
#[derive(Clone, Copy)]
pub(super) struct Grant(pub(super) SpendLimits);

impl SharedBudget {
    /// The limits of the settings, for this many games at a time.
    pub(super) fn new(settings: &Settings, jobs: u32) -> Self {
        Self {
            limits: SpendLimits {
                calls: settings.max_calls.value,
                tokens: settings.max_tokens.value,
                cost: settings.max_cost.value.map(Cost::from_units),
            },
            jobs: u64::from(jobs),
            committed: Mutex::default(),
        }
    }

    /// What the next game may spend: its part of what is left.
    pub(super) fn grant(&self) -> Grant {
        let mut committed = self.lock();
        let parts = self.jobs.saturating_sub(committed.running).max(1);
        let part = |limit: Option<u64>, used: u64| Some(limit?.saturating_sub(used) / parts);
        let limits = SpendLimits {
            calls: part(self.limits.calls, committed.calls),
            tokens: part(self.limits.tokens, committed.tokens),
            cost: part(self.limits.cost.map(|cost| cost.0), committed.cost).map(Cost),
        };
        committed.running += 1;
        committed.calls += limits.calls.unwrap_or(0);
        committed.tokens += limits.tokens.unwrap_or(0);
        committed.cost += limits.cost.map_or(0, |cost| cost.0);
        Grant(limits)
    }

    /// Returns what a game did not spend of its grant.
    pub(super) fn give_back(&self, Grant(limits): Grant, spent: &Spent) {
        let mut committed = self.lock();
        let settled = |committed: u64, granted: Option<u64>, spent: u64| {
            let others = committed.saturating_sub(granted.unwrap_or(0));
            others.saturating_add(spent)
        };
        committed.running = committed.running.saturating_sub(1);
        committed.calls = settled(committed.calls, limits.calls, spent.calls);
        committed.tokens = settled(committed.tokens, limits.tokens, spent.usage.total());
        let granted = limits.cost.map(|cost| cost.0);
        committed.cost = settled(committed.cost, granted, spent.cost.0);
    }

    fn lock(&self) -> MutexGuard<'_, Committed> {
        lock(&self.committed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_together_stay_within_the_limits() {
        let budget = SharedBudget {
            limits: SpendLimits {
                calls: Some(100),
                ..SpendLimits::default()
            },
            jobs: 3,
            committed: Mutex::default(),
        };
        let spent = |calls| Spent {
            calls,
            ..Spent::default()
        };
        let mut running = vec![budget.grant(), budget.grant(), budget.grant()];
        let calls = |grant: &Grant| grant.0.calls.unwrap();
        assert_eq!(running.iter().map(calls).sum::<u64>(), 100);
        let mut sum = 0;
        for _ in 0..20 {
            let grant = running.remove(0);
            let real = calls(&grant).min(7);
            sum += real;
            budget.give_back(grant, &spent(real));
            running.push(budget.grant());
            let granted: u64 = running.iter().map(calls).sum();
            assert!(sum + granted <= 100, "{sum} and {granted}");
        }
        assert!(sum >= 98, "only {sum} were spent");
        assert_eq!(running[0].0.tokens, None);
    }
}
