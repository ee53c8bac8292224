//! What lets a story's journal be in a store before it is anywhere else.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use playhouse_engine::engine::CancellationToken;
use playhouse_engine::journal::Replica;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::save::SlotName;

use crate::state::world_state;
use crate::{Owner, Position, Store, StoreError};

/// How often a store that has no room or does not answer is asked again.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);

/// Asks a store until it answers, or this is stopped. `waits` is told why that takes long.
pub(crate) fn patiently<T>(
    store: &dyn Store,
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
                store.pause(PAUSE);
            }
            answer => return answer,
        }
    }
}

/// A world that was claimed, for as long as nobody else claims it.
pub(crate) struct Claim {
    store: Arc<dyn Store>,
    world: SlotName,
    at: Position,
    /// Ends the wait for a store.
    stop: CancellationToken,
    is_lost: AtomicBool,
    waits: Box<dyn Fn(&StoreError) + Send + Sync>,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("world", &self.world)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl Claim {
    /// Asks the store until it answers, or this is stopped.
    fn ask<T>(&self, ask: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let answer = patiently(&*self.store, &self.stop, &self.waits, ask);
        if matches!(answer, Err(StoreError::Stale)) {
            self.is_lost.store(true, Ordering::SeqCst);
        }
        answer
    }

    /// Whether another owner has the world, as far as it is known here.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }

    /// Asks whether the world still belongs to this owner. The next one notes its claim before it
    /// spends anything.
    pub(crate) fn is_held(&self) -> bool {
        let held = self.ask(|| match world_state(&*self.store, &self.world)? {
            Some(state) if state.claim == self.at.0 => Ok(()),
            _ => Err(StoreError::Stale),
        });
        held.is_ok()
    }
}

/// The journal of a world as its owner appends to it.
#[derive(Debug)]
pub struct StoreReplica {
    pub(crate) claim: Arc<Claim>,
    owner: Owner,
    at: Position,
    /// How many bytes were appended since a snapshot was saved.
    since: usize,
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
        let claim = Claim {
            store,
            world,
            at,
            stop,
            is_lost: AtomicBool::default(),
            waits: Box::new(waits),
        };
        Self {
            claim: Arc::new(claim),
            owner,
            at,
            since: 0,
        }
    }
}

impl Replica for StoreReplica {
    fn append(&mut self, bytes: &[u8]) -> Result<(), UiText> {
        let Claim { store, world, .. } = &*self.claim;
        let append = || store.append(world, &self.owner, self.at, bytes);
        self.at = self.claim.ask(append).map_err(|error| error.text())?;
        self.since += bytes.len();
        Ok(())
    }

    /// All snapshots together take no more than the journal.
    fn save(&mut self, snapshot: &[u8]) {
        if self.since < snapshot.len() {
            return;
        }
        let Claim { store, world, .. } = &*self.claim;
        match store.save(world, snapshot) {
            Ok(()) => self.since = 0,
            Err(error) => tracing::warn!("{world}: {error}"),
        }
    }
}
