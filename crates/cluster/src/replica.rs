//! What lets a story's journal be in a store before it is anywhere else.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use playhouse_engine::engine::CancellationToken;
use playhouse_engine::journal::Replica;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::save::SlotName;

use crate::{Owner, Position, Store, StoreError};

/// How often a store that has no room or does not answer is asked again.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);

/// Asks a store until it answers, or this is stopped. `waits` is told why that takes long.
pub(crate) fn patiently<T>(
    stop: &CancellationToken,
    waits: &dyn Fn(&StoreError),
    mut ask: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut is_told = false;
    loop {
        match ask() {
            Err(error) if error.may_pass() && !stop.is_cancelled() => {
                if !is_told {
                    waits(&error);
                }
                is_told = true;
                std::thread::sleep(PAUSE);
            }
            answer => return answer,
        }
    }
}

/// The journal of a world as its owner appends to it.
pub struct StoreReplica {
    store: Arc<dyn Store>,
    world: SlotName,
    owner: Owner,
    at: Position,
    /// How many bytes were appended since a snapshot was saved.
    since: usize,
    /// Ends the wait for a store.
    stop: CancellationToken,
    /// Whether another owner has the world.
    pub(crate) is_lost: Arc<AtomicBool>,
    waits: Box<dyn Fn(&StoreError) + Send + Sync>,
}

impl fmt::Debug for StoreReplica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreReplica")
            .field("world", &self.world)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl StoreReplica {
    /// That of a world which this owner has claimed. While the store has no room or does not
    /// answer, it waits until it is stopped; `waits` is told why.
    pub fn new(
        store: Arc<dyn Store>,
        world: SlotName,
        owner: Owner,
        at: Position,
        stop: CancellationToken,
        waits: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Self {
        Self {
            store,
            world,
            owner,
            at,
            since: 0,
            stop,
            is_lost: Arc::default(),
            waits: Box::new(waits),
        }
    }
}

impl Replica for StoreReplica {
    fn append(&mut self, bytes: &[u8]) -> Result<(), UiText> {
        let append = || self.store.append(&self.world, &self.owner, self.at, bytes);
        match patiently(&self.stop, &self.waits, append) {
            Ok(at) => {
                self.at = at;
                self.since += bytes.len();
                Ok(())
            }
            Err(error) => {
                let is_lost = error == StoreError::Stale;
                self.is_lost.fetch_or(is_lost, Ordering::SeqCst);
                Err(error.text())
            }
        }
    }

    /// All snapshots together take no more than the journal.
    fn save(&mut self, snapshot: &[u8]) {
        if self.since < snapshot.len() {
            return;
        }
        match self.store.save(&self.world, snapshot) {
            Ok(()) => self.since = 0,
            Err(error) => tracing::warn!("{}: {error}", self.world),
        }
    }
}
