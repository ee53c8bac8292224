//! A store in memory whose leases end by a clock of its own. It does what JetStream does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use playhouse_cluster::{Claimed, Lease, Owner, Position, Record, Store, StoreError};
use playhouse_engine::save::SlotName;

/// How long a worker that says nothing is thought to be alive.
pub(crate) const LEASE: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryStore(Arc<Mutex<Memory>>);

#[derive(Debug, Default)]
struct Memory {
    now: Duration,
    /// Messages, records and work are numbered together.
    last: u64,
    journals: BTreeMap<SlotName, Vec<Message>>,
    snapshots: BTreeMap<SlotName, Vec<u8>>,
    records: BTreeMap<String, Record>,
    queue: BTreeMap<SlotName, Work>,
}

/// A claim if it has no lines.
#[derive(Debug)]
struct Message {
    number: u64,
    owner: Owner,
    lines: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Work {
    number: u64,
    /// When it is nobody's.
    free: Duration,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queue loses what it has.
    pub(crate) fn forget_queue(&self) {
        self.lock().queue.clear();
    }
}

impl Memory {
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn journal(&mut self, world: &SlotName) -> Result<&mut Vec<Message>, StoreError> {
        let journal = self.journals.get_mut(world);
        let world = world.to_string();
        journal
            .filter(|journal| !journal.is_empty())
            .ok_or(StoreError::Missing { world })
    }

    /// Appends right after a message, unless that was done.
    fn append(
        &mut self,
        world: &SlotName,
        owner: &Owner,
        after: u64,
        lines: &[u8],
    ) -> Result<u64, StoreError> {
        let number = self.number();
        let journal = self.journals.entry(world.clone()).or_default();
        let last = journal.last().map_or(0, |message| message.number);
        if last != after {
            let next = journal.iter().find(|message| message.number > after);
            let own = next.filter(|message| message.owner == *owner);
            return own.map(|own| own.number).ok_or(StoreError::Stale);
        }
        journal.push(Message {
            number,
            owner: owner.clone(),
            lines: lines.to_vec(),
        });
        Ok(number)
    }

    fn enqueue(&mut self, world: &SlotName) {
        let (number, free) = (self.number(), self.now);
        let work = Work { number, free };
        self.queue.entry(world.clone()).or_insert(work);
    }
}

impl Store for MemoryStore {
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError> {
        let mut memory = self.lock();
        let known = memory.journals.get(world).filter(|known| !known.is_empty());
        match known.and_then(|known| known.first()) {
            None => {
                let owner = Owner::draw()?;
                memory.append(world, &owner, 0, journal).map(drop)
            }
            Some(begun) if begun.lines.starts_with(journal) => Ok(()),
            Some(_) => {
                let world = world.to_string();
                Err(StoreError::Exists { world })
            }
        }
    }

    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError> {
        let mut memory = self.lock();
        let last = memory.journal(world)?.last().map_or(0, |last| last.number);
        let own = memory.append(world, owner, last, b"")?;
        let lines = memory.journal(world)?.iter().map(|message| &*message.lines);
        Ok(Claimed {
            journal: lines.collect::<Vec<_>>().concat(),
            at: Position(own),
        })
    }

    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        let appended = self.lock().append(world, owner, at.0, lines);
        appended.map(Position)
    }

    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError> {
        let mut memory = self.lock();
        let (mut lines, mut at) = (Vec::new(), after);
        for message in memory.journal(world)? {
            if message.number > after.0 && !message.lines.is_empty() {
                lines.extend_from_slice(&message.lines);
                at = Position(message.number);
            }
        }
        Ok((lines, at))
    }

    fn save(&self, world: &SlotName, snapshot: &[u8]) -> Result<(), StoreError> {
        let mut memory = self.lock();
        memory.snapshots.insert(world.clone(), snapshot.to_vec());
        Ok(())
    }

    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.lock().snapshots.get(world).cloned())
    }

    fn record(&self, name: &str) -> Result<Option<Record>, StoreError> {
        Ok(self.lock().records.get(name).cloned())
    }

    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError> {
        let mut memory = self.lock();
        let known = memory.records.get(name).map_or(0, |known| known.revision);
        if known != revision {
            return Err(StoreError::Stale);
        }
        let (revision, value) = (memory.number(), value.to_vec());
        let record = Record { value, revision };
        memory.records.insert(name.to_owned(), record);
        Ok(revision)
    }

    fn records(&self) -> Result<BTreeMap<String, Record>, StoreError> {
        Ok(self.lock().records.clone())
    }

    fn remove(&self, world: &SlotName, records: &[String]) -> Result<(), StoreError> {
        let mut memory = self.lock();
        memory.records.retain(|name, _| !records.contains(name));
        memory.queue.remove(world);
        memory.journals.remove(world);
        memory.snapshots.remove(world);
        Ok(())
    }

    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError> {
        self.lock().enqueue(world);
        Ok(())
    }

    fn enqueue_anew(&self, world: &SlotName) -> Result<(), StoreError> {
        let mut memory = self.lock();
        memory.queue.remove(world);
        memory.enqueue(world);
        Ok(())
    }

    fn take(&self, within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError> {
        let mut memory = self.lock();
        let until = memory.now + within;
        let first = memory.queue.iter().min_by_key(|(_, work)| work.free);
        let first = first.filter(|(_, work)| work.free <= until);
        let Some((world, work)) = first.map(|(world, work)| (world.clone(), *work)) else {
            memory.now = until;
            return Ok(None);
        };
        memory.now = memory.now.max(work.free);
        let lease = MemoryLease {
            store: self.clone(),
            world: world.clone(),
            number: work.number,
        };
        drop(memory);
        lease.keep()?;
        Ok(Some((world, Box::new(lease))))
    }

    fn pause(&self, time: Duration) {
        self.lock().now += time;
    }
}

#[derive(Debug)]
struct MemoryLease {
    store: MemoryStore,
    world: SlotName,
    number: u64,
}

impl MemoryLease {
    /// Says how long the work is somebody's, whoever has it now.
    fn until(&self, time: Duration) -> Result<(), StoreError> {
        let mut memory = self.store.lock();
        let free = memory.now + time;
        let work = memory.queue.get_mut(&self.world);
        if let Some(work) = work.filter(|work| work.number == self.number) {
            work.free = free;
        }
        Ok(())
    }
}

impl Lease for MemoryLease {
    fn keep(&self) -> Result<(), StoreError> {
        self.until(LEASE)
    }

    fn give_back(&self, after: Duration) -> Result<(), StoreError> {
        self.until(after)
    }

    fn finish(&self) -> Result<(), StoreError> {
        let mut memory = self.store.lock();
        memory.queue.retain(|_, work| work.number != self.number);
        Ok(())
    }
}
