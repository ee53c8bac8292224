//! A store in memory, for simulations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use playhouse_cluster::{Claimed, Lease, Owner, Position, Record, Store, StoreError};
use playhouse_engine::save::SlotName;

#[derive(Debug, Default)]
pub(crate) struct MemoryStore(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    journals: BTreeMap<SlotName, (Vec<u8>, Option<Owner>)>,
    snapshots: BTreeMap<SlotName, Vec<u8>>,
    records: BTreeMap<String, Record>,
    queue: Arc<Mutex<Vec<SlotName>>>,
}

impl Store for MemoryStore {
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError> {
        let mut kept = self.0.lock().unwrap();
        let begun = (journal.to_vec(), None);
        kept.journals.entry(world.clone()).or_insert(begun);
        Ok(())
    }

    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError> {
        let mut kept = self.0.lock().unwrap();
        let (journal, owns) = kept.journals.get_mut(world).unwrap();
        *owns = Some(owner.clone());
        let at = Position(journal.len() as u64);
        let journal = journal.clone();
        Ok(Claimed { journal, at })
    }

    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        let mut kept = self.0.lock().unwrap();
        let (journal, owns) = kept.journals.get_mut(world).unwrap();
        if owns.as_ref() != Some(owner) {
            return Err(StoreError::Stale);
        }
        journal.truncate(at.0 as usize);
        journal.extend_from_slice(lines);
        Ok(Position(journal.len() as u64))
    }

    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError> {
        let kept = self.0.lock().unwrap();
        let journal = &kept.journals[world].0;
        let now = Position(journal.len() as u64);
        Ok((journal[after.0 as usize..].to_vec(), now))
    }

    fn save(&self, world: &SlotName, snapshot: &[u8]) -> Result<(), StoreError> {
        let mut kept = self.0.lock().unwrap();
        kept.snapshots.insert(world.clone(), snapshot.to_vec());
        Ok(())
    }

    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.lock().unwrap().snapshots.get(world).cloned())
    }

    fn record(&self, name: &str) -> Result<Option<Record>, StoreError> {
        Ok(self.0.lock().unwrap().records.get(name).cloned())
    }

    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError> {
        let mut kept = self.0.lock().unwrap();
        let now = kept.records.get(name).map_or(0, |record| record.revision);
        if now != revision {
            return Err(StoreError::Stale);
        }
        let record = Record {
            value: value.to_vec(),
            revision: now + 1,
        };
        kept.records.insert(name.to_owned(), record);
        Ok(now + 1)
    }

    fn records(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.0.lock().unwrap().records.keys().cloned().collect())
    }

    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError> {
        let kept = self.0.lock().unwrap();
        kept.queue.lock().unwrap().push(world.clone());
        Ok(())
    }

    fn take(&self, _within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError> {
        let queue = self.0.lock().unwrap().queue.clone();
        let world = queue.lock().unwrap().pop();
        let lease = |world: SlotName| {
            (
                world.clone(),
                Box::new(Taken(queue, world)) as Box<dyn Lease>,
            )
        };
        Ok(world.map(lease))
    }
}

#[derive(Debug)]
struct Taken(Arc<Mutex<Vec<SlotName>>>, SlotName);

impl Lease for Taken {
    fn keep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn give_back(&self, _after: Duration) -> Result<(), StoreError> {
        self.0.lock().unwrap().push(self.1.clone());
        Ok(())
    }

    fn finish(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
