//! What all workers may spend together.
//!
//! A world gets a grant before it is played, and its engine spends no more than that. So no limit
//! is exceeded, and no call waits for the store. What a world did not need comes back when it is
//! left; of a worker that died, when the next one claims the world, whose journal says what was
//! spent. Until then the whole grant counts as spent. A request of which nobody knows whether it
//! was paid for counts as paid.

use std::collections::BTreeMap;

use playhouse_engine::exchange::{Spent, lost_requests, recorded_ledgers};
use playhouse_engine::journal::Line;
use playhouse_engine::message::Cost;
use playhouse_engine::save::SlotName;
use playhouse_engine::tool::SpendLimits;
use serde::{Deserialize, Serialize};

use crate::{Position, Store, StoreError};

/// The name of the record.
const NAME: &str = "budget";
/// How often a change is tried again that somebody else forestalls.
const CHANGES: usize = 1_000;
/// A grant is this part of what is left, so that many worlds can be played beside each other.
const PART: u64 = 16;
/// The most calls at a time of one world, if these are limited.
const AT_ONCE: u64 = 4;

/// How much of what is left a world gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    Part,
    /// For a world that can't make one call with less.
    All,
}

impl Share {
    fn of(self, left: u64) -> u64 {
        match self {
            Self::Part => left.div_ceil(PART),
            Self::All => left,
        }
    }
}

/// An amount of everything that is limited; for limits, `None` where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Amounts<T> {
    pub calls: T,
    /// Of prompts and answers together.
    pub tokens: T,
    /// In the units of [`Cost`].
    pub cost: T,
    /// Calls at a time.
    pub at_once: T,
}

impl<T: Copy> Amounts<T> {
    fn with<U: Copy, V>(self, other: Amounts<U>, join: impl Fn(T, U) -> V) -> Amounts<V> {
        Amounts {
            calls: join(self.calls, other.calls),
            tokens: join(self.tokens, other.tokens),
            cost: join(self.cost, other.cost),
            at_once: join(self.at_once, other.at_once),
        }
    }

    fn all(self) -> [T; 4] {
        [self.calls, self.tokens, self.cost, self.at_once]
    }
}

/// What a story has spent, by its journal.
pub(crate) fn spent_by(lines: &[Line]) -> Amounts<u64> {
    let mut total = Spent::default();
    for (_, ledger) in recorded_ledgers(lines) {
        total += ledger.total();
    }
    for (_, lost) in lost_requests(lines) {
        total += lost;
    }
    Amounts {
        calls: total.calls,
        tokens: total.usage.total(),
        cost: total.cost.0,
        at_once: 0,
    }
}

/// What a world may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    /// The position of the claim for which it is.
    claim: u64,
    /// What the world had spent before.
    before: Amounts<u64>,
    /// What it may spend; 0 where there is no limit.
    amount: Amounts<u64>,
}

/// What all workers may spend together, and what became of that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterBudget {
    pub limits: Amounts<Option<u64>>,
    /// What worlds have spent that are not being played.
    pub spent: Amounts<u64>,
    /// By worlds that are being played, or whose worker died.
    grants: BTreeMap<String, Grant>,
}

impl ClusterBudget {
    /// That of a store, which has no limits until some are set.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn of(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(Self::read(store)?.0)
    }

    fn read(store: &dyn Store) -> Result<(Self, u64), StoreError> {
        let Some(record) = store.record(NAME)? else {
            return Ok((Self::default(), 0));
        };
        let budget = serde_json::from_slice(&record.value).map_err(StoreError::damaged)?;
        Ok((budget, record.revision))
    }

    fn change<T>(
        store: &dyn Store,
        mut change: impl FnMut(&mut Self) -> T,
    ) -> Result<T, StoreError> {
        for _ in 0..CHANGES {
            let (mut budget, revision) = Self::read(store)?;
            let before = budget.clone();
            let result = change(&mut budget);
            if budget == before {
                return Ok(result);
            }
            let value = serde_json::to_vec(&budget).map_err(StoreError::damaged)?;
            match store.write(NAME, &value, revision) {
                Ok(_) => return Ok(result),
                Err(StoreError::Stale) => {}
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Stale)
    }

    /// Sets the limits of a store.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn limit(store: &dyn Store, limits: Amounts<Option<u64>>) -> Result<(), StoreError> {
        Self::change(store, |budget| budget.limits = limits)
    }

    /// What worlds may spend that are being played.
    pub fn granted(&self) -> Amounts<u64> {
        let mut sum = Amounts::<u64>::default();
        for grant in self.grants.values() {
            sum = sum.with(grant.amount, u64::saturating_add);
        }
        sum
    }

    /// Gives a world something to spend, after this claim; `None` if there is nothing left.
    /// What it has spent so far settles an earlier grant.
    pub(crate) fn grant(
        store: &dyn Store,
        world: &SlotName,
        claim: Position,
        spent: Amounts<u64>,
        share: Share,
    ) -> Result<Option<Granted>, StoreError> {
        Self::change(store, |budget| {
            budget.settle_to(world, claim, spent);
            let gone = budget.spent.with(budget.granted(), u64::saturating_add);
            let left = budget
                .limits
                .with(gone, |limit, gone| Some(limit?.saturating_sub(gone)));
            if left.all().contains(&Some(0)) {
                return None;
            }
            let mut part = left;
            for part in [&mut part.calls, &mut part.tokens, &mut part.cost] {
                *part = part.map(|left| share.of(left));
            }
            part.at_once = part.at_once.map(|left| left.min(AT_ONCE));
            let grant = Grant {
                claim: claim.0,
                before: spent,
                amount: part.with(part, |part, _| part.unwrap_or_default()),
            };
            if part != Amounts::default() {
                budget.grants.insert(world.to_string(), grant);
            }
            Some(Granted(part))
        })
    }

    /// Takes back what a world did not spend.
    pub(crate) fn settle(
        store: &dyn Store,
        world: &SlotName,
        claim: Position,
        spent: Amounts<u64>,
    ) -> Result<(), StoreError> {
        Self::change(store, |budget| budget.settle_to(world, claim, spent))
    }

    /// The grant of a later claim stays.
    fn settle_to(&mut self, world: &SlotName, claim: Position, spent: Amounts<u64>) {
        let Some(grant) = self.grants.get(world.as_str()) else {
            return;
        };
        if grant.claim <= claim.0 {
            let since = spent.with(grant.before, u64::saturating_sub);
            self.spent = self.spent.with(since, u64::saturating_add);
            self.grants.remove(world.as_str());
        }
    }
}

/// What an engine may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Granted(Amounts<Option<u64>>);

impl Granted {
    /// The limits of a run, no more than its own.
    pub(crate) fn within(self, own: SpendLimits) -> SpendLimits {
        let least = |own: Option<u64>, granted: Option<u64>| match (own, granted) {
            (Some(own), Some(granted)) => Some(own.min(granted)),
            (own, granted) => own.or(granted),
        };
        SpendLimits {
            calls: least(own.calls, self.0.calls),
            tokens: least(own.tokens, self.0.tokens),
            cost: least(own.cost.map(|cost| cost.0), self.0.cost).map(Cost),
        }
    }

    /// How many calls at a time there may be.
    pub(crate) fn width(self, own: usize) -> usize {
        self.0
            .at_once
            .map_or(own, |granted| own.min(granted as usize))
    }
}
