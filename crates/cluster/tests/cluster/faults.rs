//! A store that fails when it is told to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use playhouse_cluster::{Claimed, Lease, Owner, Position, Record, Store, StoreError};
use playhouse_engine::save::SlotName;

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// It never arrives.
    Before,
    /// It is done, but its answer never arrives.
    After,
    /// It arrives twice.
    Twice,
    /// There is no room.
    Full,
    Slow(Duration),
}

/// Another store, whose calls to journals and snapshots fail by a plan.
pub(crate) struct Faulty {
    store: Arc<dyn Store>,
    plan: Box<dyn Fn(u64) -> Fault + Send + Sync>,
    calls: AtomicU64,
}

impl std::fmt::Debug for Faulty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faulty").finish_non_exhaustive()
    }
}

impl Faulty {
    /// `plan` says what happens to each call, counted from 0.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        plan: impl Fn(u64) -> Fault + Send + Sync + 'static,
    ) -> Self {
        Self {
            store,
            plan: Box::new(plan),
            calls: AtomicU64::new(0),
        }
    }

    /// How many calls there were.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    fn call<T>(&self, call: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let lost = || {
            let reason = "lost".to_owned();
            Err(StoreError::Unavailable { reason })
        };
        match (self.plan)(self.calls.fetch_add(1, Ordering::SeqCst)) {
            Fault::None => call(),
            Fault::Before => lost(),
            Fault::After => call().and_then(|_| lost()),
            Fault::Twice => call().and_then(|_| call()),
            Fault::Full => Err(StoreError::Full {
                reason: "no room".to_owned(),
            }),
            Fault::Slow(time) => {
                std::thread::sleep(time);
                call()
            }
        }
    }
}

impl Store for Faulty {
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError> {
        self.call(|| self.store.create(world, journal))
    }

    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError> {
        self.call(|| self.store.claim(world, owner))
    }

    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        self.call(|| self.store.append(world, owner, at, lines))
    }

    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError> {
        self.store.read(world, after)
    }

    fn save(&self, world: &SlotName, snapshot: &[u8]) -> Result<(), StoreError> {
        self.call(|| self.store.save(world, snapshot))
    }

    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError> {
        self.call(|| self.store.snapshot(world))
    }

    fn record(&self, name: &str) -> Result<Option<Record>, StoreError> {
        self.store.record(name)
    }

    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError> {
        self.store.write(name, value, revision)
    }

    fn records(&self) -> Result<BTreeMap<String, Record>, StoreError> {
        self.store.records()
    }

    fn remove(&self, world: &SlotName, records: &[String]) -> Result<(), StoreError> {
        self.store.remove(world, records)
    }

    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError> {
        self.store.enqueue(world)
    }

    fn take(&self, within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError> {
        self.store.take(within)
    }
}
