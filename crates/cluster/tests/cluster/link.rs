//! A connection to a store that fails when it is told to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use playhouse_cluster::{Claimed, Lease, Owner, Position, Record, Store, StoreError};
use playhouse_engine::save::SlotName;

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Fine,
    /// It never arrives.
    Lost,
    /// It is done, but its answer never arrives.
    Unheard,
    /// It arrives twice.
    Twice,
    /// It arrives when nobody waits for it any more.
    Late,
    /// There is no room.
    Full,
}

/// A call on its way.
pub(crate) type Call = Box<dyn FnOnce(&dyn Store) + Send>;

/// What a connection does.
pub(crate) trait Weather: Send + Sync {
    /// What happens to the next call.
    fn fate(&self) -> Fate;

    /// Takes a call that arrives later.
    fn delay(&self, _call: Call) {}

    /// Lets time go on.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

impl<F: Fn() -> Fate + Send + Sync> Weather for F {
    fn fate(&self) -> Fate {
        self()
    }
}

/// The way of one worker to a store.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) weather: Arc<dyn Weather>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    fn call<T>(
        &self,
        call: impl Fn(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = &*self.store;
        let reason = "lost".to_owned();
        let lost = Err(StoreError::Unavailable { reason });
        match self.weather.fate() {
            Fate::Fine => call(store),
            Fate::Lost => lost,
            Fate::Unheard => call(store).and(lost),
            Fate::Twice => call(store).and_then(|_| call(store)),
            Fate::Late => {
                self.weather.delay(Box::new(move |store| drop(call(store))));
                lost
            }
            Fate::Full => {
                let reason = "no room".to_owned();
                Err(StoreError::Full { reason })
            }
        }
    }
}

impl Store for Link {
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError> {
        let (world, journal) = (world.clone(), journal.to_vec());
        self.call(move |store| store.create(&world, &journal))
    }

    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError> {
        let (world, owner) = (world.clone(), owner.clone());
        self.call(move |store| store.claim(&world, &owner))
    }

    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        let (world, owner, lines) = (world.clone(), owner.clone(), lines.to_vec());
        self.call(move |store| store.append(&world, &owner, at, &lines))
    }

    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError> {
        let world = world.clone();
        self.call(move |store| store.read(&world, after))
    }

    fn save(&self, world: &SlotName, snapshot: &[u8]) -> Result<(), StoreError> {
        let (world, snapshot) = (world.clone(), snapshot.to_vec());
        self.call(move |store| store.save(&world, &snapshot))
    }

    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError> {
        let world = world.clone();
        self.call(move |store| store.snapshot(&world))
    }

    fn record(&self, name: &str) -> Result<Option<Record>, StoreError> {
        let name = name.to_owned();
        self.call(move |store| store.record(&name))
    }

    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError> {
        let (name, value) = (name.to_owned(), value.to_vec());
        self.call(move |store| store.write(&name, &value, revision))
    }

    fn records(&self) -> Result<BTreeMap<String, Record>, StoreError> {
        self.call(|store| store.records())
    }

    fn remove(&self, world: &SlotName, records: &[String]) -> Result<(), StoreError> {
        let (world, records) = (world.clone(), records.to_vec());
        self.call(move |store| store.remove(&world, &records))
    }

    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError> {
        let world = world.clone();
        self.call(move |store| store.enqueue(&world))
    }

    fn take(&self, within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError> {
        let taken = self.call(move |store| store.take(within))?;
        Ok(taken.map(|(world, lease)| {
            let link = self.clone();
            let lease = lease.into();
            (world, Box::new(FarLease { link, lease }) as _)
        }))
    }

    fn pause(&self, time: Duration) {
        self.weather.pause(time);
    }
}

/// Work that was taken over a connection.
#[derive(Debug)]
struct FarLease {
    link: Link,
    lease: Arc<dyn Lease>,
}

impl Lease for FarLease {
    fn keep(&self) -> Result<(), StoreError> {
        let lease = self.lease.clone();
        self.link.call(move |_| lease.keep())
    }

    fn give_back(&self, after: Duration) -> Result<(), StoreError> {
        let lease = self.lease.clone();
        self.link.call(move |_| lease.give_back(after))
    }

    fn finish(&self) -> Result<(), StoreError> {
        let lease = self.lease.clone();
        self.link.call(move |_| lease.finish())
    }
}
