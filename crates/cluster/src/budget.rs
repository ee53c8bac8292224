//! What all workers may spend together.
//!
//! A world gets a grant before it is played, and its engine spends no more than that. So no limit
//! is exceeded, and no call waits for the store. What a world did not need comes back when it is
//! left; of a worker that died, when the next one claims the world, whose journal says what was
//! spent. Until then the whole grant counts as spent. A request of which nobody knows whether it
//! was paid for counts as paid. There is such a budget for all models together, and one for each
//! model that is limited.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use playhouse_engine::engine::{CancellationToken, Pace};
use playhouse_engine::exchange::{Spent, lost_requests, recorded_ledgers};
use playhouse_engine::journal::{Journal, Line};
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::Cost;
use playhouse_engine::save::SlotName;
use playhouse_engine::tool::SpendLimits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::replica::{Claim, PAUSE};
use crate::store::change_record;
use crate::{Owner, Phase, Position, Store, StoreError, WorldState};

/// The name of the record of all models; those of single ones begin so.
const NAME: &str = "budget";
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline, bound = "T: JsonSchema + Default")]
pub struct Amounts<T> {
    pub calls: T,
    /// Of prompts and answers together.
    pub tokens: T,
    /// In the units of [`Cost`].
    pub cost: T,
    /// Calls at a time.
    pub at_once: T,
}

impl Amounts<u64> {
    pub(crate) fn of(spent: &Spent) -> Self {
        Self {
            calls: spent.calls,
            tokens: spent.usage.total(),
            cost: spent.cost.0,
            at_once: 0,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }
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

impl Amounts<Option<u64>> {
    /// As limits of a run, no more than its own.
    pub(crate) fn within(self, own: SpendLimits) -> SpendLimits {
        let least = |own: Option<u64>, granted| own.into_iter().chain(granted).min();
        SpendLimits {
            calls: least(own.calls, self.calls),
            tokens: least(own.tokens, self.tokens),
            cost: least(own.cost.map(|cost| cost.0), self.cost).map(Cost),
        }
    }
}

/// Which models are limited together: one, or all.
pub type Limited<'m> = Option<&'m str>;

/// What a story has spent, by its journal. A provider may say more exactly which model answered. Of
/// what is not known to be another model's, the model counts as the one.
pub(crate) fn spent_by(lines: &[Line], model: Limited<'_>) -> Amounts<u64> {
    let is_of = |line: &&Line| match (line, model) {
        (Line::Outcome(outcome) | Line::Held(outcome), Some(model)) => {
            outcome.model.starts_with(model)
        }
        _ => true,
    };
    let mut total = Spent::default();
    for (_, ledger) in recorded_ledgers(lines.iter().filter(is_of)) {
        total += ledger.total();
    }
    for (_, lost) in lost_requests(lines) {
        total += lost;
    }
    Amounts::of(&total)
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
    /// How many tokens may be on their way in one minute.
    pub tokens_a_minute: Option<u64>,
    /// In the budget of all models, those that have one of their own.
    pub models: BTreeSet<String>,
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
    pub fn of(store: &dyn Store, model: Limited<'_>) -> Result<Self, StoreError> {
        let record = store.record(&record_of(NAME, model))?;
        record.map_or_else(|| Ok(Self::default()), |record| record.parse())
    }

    /// Itself, if it is that of all models, and those of single ones.
    pub(crate) fn all(&self) -> impl Iterator<Item = Limited<'_>> {
        let models = self.models.iter().map(|model| Some(&**model));
        [None].into_iter().chain(models)
    }

    fn change<T>(
        store: &dyn Store,
        model: Limited<'_>,
        mut change: impl FnMut(&mut Self) -> T,
    ) -> Result<T, StoreError> {
        change_record(store, &record_of(NAME, model), |known: Option<Self>| {
            let before = known.unwrap_or_default();
            let mut budget = before.clone();
            let result = change(&mut budget);
            ((budget != before).then_some(budget), result)
        })
    }

    /// Sets the limits of a store.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn limit(
        store: &dyn Store,
        model: Limited<'_>,
        limits: Amounts<Option<u64>>,
        tokens_a_minute: Option<u64>,
    ) -> Result<(), StoreError> {
        if let Some(model) = model {
            Self::change(store, None, |all| {
                all.models.insert(model.to_owned());
            })?;
        }
        Self::change(store, model, |budget| {
            budget.limits = limits;
            budget.tokens_a_minute = tokens_a_minute;
        })
    }

    /// What worlds may spend that are being played.
    pub fn granted(&self) -> Amounts<u64> {
        let mut sum = Amounts::<u64>::default();
        for grant in self.grants.values() {
            sum = sum.plus(grant.amount);
        }
        sum
    }

    /// Gives a world something to spend, after this claim, or says what becomes of it if nothing is
    /// left: it waits if others may give something back. What it has spent so far settles an
    /// earlier grant.
    pub(crate) fn grant(
        store: &dyn Store,
        model: Limited<'_>,
        world: &SlotName,
        claim: Position,
        spent: Amounts<u64>,
        share: Share,
    ) -> Result<Result<Amounts<Option<u64>>, Phase>, StoreError> {
        Self::change(store, model, |budget| {
            budget.settle_to(world, claim, Some(spent));
            let granted = budget.granted();
            let gone = budget.spent.plus(granted);
            let left = budget
                .limits
                .with(gone, |limit, gone| Some(limit?.saturating_sub(gone)));
            if left.all().contains(&Some(0)) {
                return Err(if granted == Amounts::default() {
                    Phase::Paused
                } else {
                    Phase::Queued
                });
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
            Ok(part)
        })
    }

    /// Takes back what a world did not spend.
    pub(crate) fn settle(
        store: &dyn Store,
        model: Limited<'_>,
        world: &SlotName,
        claim: Position,
        spent: Amounts<u64>,
    ) -> Result<(), StoreError> {
        let spent = Some(spent);
        Self::change(store, model, |budget| budget.settle_to(world, claim, spent))
    }

    /// Takes back what a world did not spend that nobody is to play any more. Whoever still plays
    /// it has lost it. If its journal can't be read, all that was granted counts as spent.
    pub(crate) fn close(store: &dyn Store, world: &SlotName) -> Result<(), StoreError> {
        let all = Self::of(store, None)?;
        let mut granted = BTreeSet::new();
        for model in all.all() {
            if Self::of(store, model)?.grants.contains_key(world.as_str()) {
                granted.insert(model);
            }
        }
        if granted.is_empty() {
            return Ok(());
        }
        let claimed = store.claim(world, &Owner::draw()?)?;
        let lines = Journal::decode(&claimed.journal, world.as_str()).ok();
        for model in granted {
            let spent = lines.as_ref().map(|lines| spent_by(lines, model));
            Self::change(store, model, |budget| {
                budget.settle_to(world, claimed.at, spent);
            })?;
        }
        Ok(())
    }

    /// Takes back what was granted to worlds that were left since. Whoever asked for it had stood
    /// still, and has spent nothing of it.
    pub(crate) fn sweep<'s>(
        store: &dyn Store,
        states: impl Iterator<Item = (&'s SlotName, &'s WorldState)>,
    ) -> Result<(), StoreError> {
        let all = Self::of(store, None)?;
        if all == Self::default() {
            return Ok(());
        }
        // What others have spent may not be counted yet.
        let is_left = |phase| matches!(phase, Phase::Waiting | Phase::Ended | Phase::Paused);
        let left = states.filter(|(_, state)| is_left(state.phase));
        let left: BTreeMap<_, _> = left
            .map(|(world, state)| (world.as_str(), state.claim))
            .collect();
        for model in all.all() {
            Self::change(store, model, |budget| {
                budget.grants.retain(|world, grant| {
                    let since = left.get(world.as_str());
                    since.is_none_or(|claim| *claim <= grant.claim)
                });
            })?;
        }
        Ok(())
    }

    /// The grant of a later claim stays.
    fn settle_to(&mut self, world: &SlotName, claim: Position, spent: Option<Amounts<u64>>) {
        let Some(grant) = self.grants.get(world.as_str()) else {
            return;
        };
        if grant.claim <= claim.0 {
            let at_once = 0;
            let since = match spent {
                Some(spent) => spent.with(grant.before, u64::saturating_sub),
                None => Amounts {
                    at_once,
                    ..grant.amount
                },
            };
            self.spent = self.spent.plus(since);
            self.grants.remove(world.as_str());
        }
    }
}

fn record_of(kind: &str, model: Limited<'_>) -> String {
    model.map_or_else(|| kind.to_owned(), |model| format!("{kind}-{model}"))
}

/// The tokens that are on their way in a minute.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Minute {
    /// Since 1970, by the worker whose clock is ahead of the others.
    number: u64,
    tokens: u64,
}

/// Lets no more tokens be on their way in one minute than the store allows all workers together.
/// They are counted before they are sent, at most, and of a dead worker, too. A worker that has
/// lost its world meanwhile sends nothing: another may have paid for the answer.
#[derive(Debug)]
pub(crate) struct StorePace {
    store: Arc<dyn Store>,
    /// How many are allowed, by the name of the record and of the model, if it is one.
    limits: Vec<(String, Option<Arc<str>>, u64)>,
    claim: Arc<Claim>,
    /// Ends the run.
    run: CancellationToken,
}

impl StorePace {
    /// That of a world which was claimed.
    pub(crate) fn of(
        store: &Arc<dyn Store>,
        claim: Arc<Claim>,
        run: CancellationToken,
    ) -> Result<Arc<dyn Pace>, StoreError> {
        let mut limits = Vec::new();
        for model in ClusterBudget::of(&**store, None)?.all() {
            if let Some(limit) = ClusterBudget::of(&**store, model)?.tokens_a_minute {
                limits.push((record_of("minute", model), model.map(Arc::from), limit));
            }
        }
        let store = store.clone();
        Ok(Arc::new(Self {
            store,
            limits,
            claim,
            run,
        }))
    }

    /// The limits of a model, by the name of the record.
    fn of_model(&self, model: &str) -> impl Iterator<Item = (&String, u64)> {
        let limits = self.limits.iter();
        let limits = limits.filter(move |(_, of, _)| of.as_deref().is_none_or(|of| of == model));
        limits.map(|(name, _, limit)| (name, *limit))
    }
}

impl Pace for StorePace {
    fn check(&self, model: &str, tokens: u64) -> Result<(), UiText> {
        match self.of_model(model).find(|(_, limit)| tokens > *limit) {
            Some((_, limit)) => Err(text!(cluster_minute, model, tokens, limit)),
            None => Ok(()),
        }
    }

    fn wait(&self, model: &Arc<str>, tokens: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let limits = self.of_model(model);
        let limits: Vec<_> = limits.map(|(name, limit)| (name.clone(), limit)).collect();
        let store = self.store.clone();
        let (claim, run) = (self.claim.clone(), self.run.clone());
        Box::pin(async move {
            for (name, limit) in limits {
                loop {
                    let (store, name) = (store.clone(), name.clone());
                    let count = move || count_in_minute(&*store, &name, minute(), tokens, limit);
                    match spawn_blocking(count).await {
                        Ok(Ok(true)) => break,
                        Ok(Ok(false)) => {}
                        Ok(Err(error)) => tracing::warn!("{error}"),
                        // The runtime ends.
                        Err(_) => return,
                    }
                    sleep(PAUSE).await;
                }
            }
            if !claim.is_held() {
                run.cancel();
                std::future::pending().await
            }
        })
    }
}

fn minute() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "providers count by the clock")]
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs() / 60
}

/// Counts these tokens, if there is room for them in this minute.
fn count_in_minute(
    store: &dyn Store,
    name: &str,
    number: u64,
    tokens: u64,
    limit: u64,
) -> Result<bool, StoreError> {
    change_record(store, name, |known: Option<Minute>| {
        let known = known.filter(|known| known.number >= number);
        let mut minute = known.unwrap_or(Minute { number, tokens: 0 });
        minute.tokens = minute.tokens.saturating_add(tokens);
        let has_room = minute.tokens <= limit;
        (has_room.then_some(minute), has_room)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FolderStore;

    #[test]
    fn the_grant_of_a_later_claim_stays_whatever_an_earlier_owner_says() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::open(folder.path()).unwrap();
        let world = "mill".parse().unwrap();
        fn calls<T: Default>(calls: T) -> Amounts<T> {
            Amounts {
                calls,
                ..Amounts::default()
            }
        }
        ClusterBudget::limit(&store, None, calls(Some(160)), None).unwrap();
        let grant = |claim, spent| {
            let spent = calls(spent);
            ClusterBudget::grant(&store, None, &world, Position(claim), spent, Share::Part)
        };
        let granted = || ClusterBudget::of(&store, None).unwrap().granted().calls;
        assert_eq!(grant(2, 0).unwrap(), Ok(calls(Some(10))));
        assert_eq!(grant(5, 4).unwrap(), Ok(calls(Some(10))));
        let settle = |claim, spent| {
            ClusterBudget::settle(&store, None, &world, Position(claim), calls(spent)).unwrap();
            (
                granted(),
                ClusterBudget::of(&store, None).unwrap().spent.calls,
            )
        };
        assert_eq!(settle(2, 9), (10, 4));
        assert_eq!(settle(5, 6), (0, 6));
    }

    #[test]
    fn no_more_tokens_are_counted_in_a_minute_than_are_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::open(folder.path()).unwrap();
        let count = |number, tokens| count_in_minute(&store, "minute", number, tokens, 100);
        assert!(count(7, 60).unwrap());
        assert!(!count(7, 50).unwrap());
        assert!(count(7, 40).unwrap());
        // A clock that is behind the others makes no more room.
        assert!(!count(6, 1).unwrap());
        assert!(count(8, 100).unwrap());
    }
}
