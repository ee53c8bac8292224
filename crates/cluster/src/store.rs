//! Where worlds live that many machines play.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::locale::Localize;
use playhouse_engine::save::SlotName;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{FolderStore, JetStreamStore, LEASE};

/// How often a change is tried again that somebody else forestalls.
const CHANGES: usize = 1_000;
/// Longer records are refused, in bytes.
pub const MAX_RECORD: usize = 1 << 19;

/// Why a store does not do what it was asked.
#[derive(Clone, Debug, PartialEq, Error, Localize)]
pub enum StoreError {
    /// Another owner has the world, or somebody else changed the record. Nothing was written.
    #[text(cluster_stale)]
    Stale,
    /// There is no such world.
    #[text(cluster_missing)]
    Missing { world: String },
    /// There is such a world.
    #[text(cluster_exists)]
    Exists { world: String },
    /// There is no room. What was asked for may be possible later.
    #[text(cluster_full)]
    Full { reason: String },
    /// It can't be reached, or a cluster has no quorum. What was asked for may have been done, and
    /// may be asked for again.
    #[text(cluster_unavailable)]
    Unavailable { reason: String },
    /// What it has is not what was put there.
    #[text(cluster_damaged)]
    Damaged { reason: String },
    /// An address that is none of a store.
    #[text(cluster_address)]
    Address { address: String },
}

impl StoreError {
    /// Whether it is worth while to ask again later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Unavailable { .. })
    }

    pub(crate) fn unavailable(reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::Unavailable { reason }
    }

    pub(crate) fn damaged(reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::Damaged { reason }
    }

    pub(crate) fn missing(world: &SlotName) -> Self {
        let world = world.to_string();
        Self::Missing { world }
    }
}

/// The name under which one worker plays one world once: no two are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner(String);

impl Owner {
    /// A new one.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn draw() -> Result<Self, StoreError> {
        let drawn = getrandom::u64().map_err(StoreError::unavailable)?;
        Ok(Self::numbered(drawn))
    }

    /// The one with this number, for simulations.
    pub fn numbered(number: u64) -> Self {
        Self(format!("{number:016x}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Up to where a journal goes. What the number means is the store's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub u64);

/// A world that was claimed.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Its journal: whole lines.
    pub journal: Vec<u8>,
    /// What the first append expects.
    pub at: Position,
}

/// A value, and the number that changes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub value: Vec<u8>,
    pub revision: u64,
}

impl Record {
    /// What it says.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        serde_json::from_slice(&self.value).map_err(StoreError::damaged)
    }
}

/// Changes a record: `change` is told what it says, and returns what it is to say, if that is
/// something else, and a result. It is asked again whenever somebody else forestalls it.
pub(crate) fn change_record<T: Serialize + DeserializeOwned, R>(
    store: &dyn Store,
    name: &str,
    mut change: impl FnMut(Option<T>) -> (Option<T>, R),
) -> Result<R, StoreError> {
    for _ in 0..CHANGES {
        let known = store.record(name)?;
        let revision = known.as_ref().map_or(0, |record| record.revision);
        let known = known.map(|record| record.parse()).transpose()?;
        let (changed, result) = change(known);
        let Some(changed) = changed else {
            return Ok(result);
        };
        let value = serde_json::to_vec(&changed).map_err(StoreError::damaged)?;
        if value.len() > MAX_RECORD {
            return Err(StoreError::damaged(format!("{} bytes", value.len())));
        }
        match store.write(name, &value, revision) {
            Err(StoreError::Stale) => {}
            written => return written.map(|_| result),
        }
    }
    Err(StoreError::Stale)
}

/// Work that was taken from the queue. Dropping it does not give it back at once.
pub trait Lease: fmt::Debug + Send + Sync {
    /// Says that the work is still being done.
    ///
    /// # Errors
    /// The store does not answer.
    fn keep(&self) -> Result<(), StoreError>;

    /// Lets another worker have it, after this time.
    ///
    /// # Errors
    /// The store does not answer. Another gets it when the lease ends.
    fn give_back(&self, after: Duration) -> Result<(), StoreError>;

    /// Takes it off the queue: it is done.
    ///
    /// # Errors
    /// The store does not answer.
    fn finish(&self) -> Result<(), StoreError>;
}

/// A place for worlds, which many processes use at the same time. All calls wait.
pub trait Store: fmt::Debug + Send + Sync {
    /// Begins the journal of a new world.
    ///
    /// # Errors
    /// There is a world of this name whose journal does not begin so.
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError>;

    /// Makes this the owner of a world: whoever owned it before can't append any more.
    ///
    /// # Errors
    /// There is no such world.
    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError>;

    /// Appends whole lines to a journal after what this owner last claimed or appended, all or
    /// none, and durably. After [`StoreError::Unavailable`] the same may be asked again: it is not
    /// written twice.
    ///
    /// # Errors
    /// Another owner has the world, or the store has no room or does not answer.
    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError>;

    /// What a journal has after a position, for those who only read, and its position now.
    ///
    /// # Errors
    /// There is no such world.
    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError>;

    /// Keeps a snapshot in the place of an earlier one. The journal says which are valid, so a lost
    /// one costs only time.
    ///
    /// # Errors
    /// The store has no room or does not answer.
    fn save(&self, world: &SlotName, snapshot: &[u8]) -> Result<(), StoreError>;

    /// The snapshot of a world, if there is one.
    ///
    /// # Errors
    /// The store does not answer.
    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError>;

    /// The record of this name, if there is one. It may be a little old.
    ///
    /// # Errors
    /// The store does not answer.
    fn record(&self, name: &str) -> Result<Option<Record>, StoreError>;

    /// Writes a record that has this revision; 0 if there is none yet. Returns its new revision.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if it has another one.
    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError>;

    /// All records by name.
    ///
    /// # Errors
    /// The store does not answer.
    fn records(&self) -> Result<BTreeMap<String, Record>, StoreError>;

    /// Removes a world: these records first, then its place on the queue, journal and snapshot. Its
    /// owner can't append any more.
    ///
    /// # Errors
    /// The store does not answer. What is left is found by the same call.
    fn remove(&self, world: &SlotName, records: &[String]) -> Result<(), StoreError>;

    /// Puts a world on the queue, once at most.
    ///
    /// # Errors
    /// The store has no room or does not answer.
    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError>;

    /// Puts a world on the queue anew that the queue may have lost, whoever has it now.
    ///
    /// # Errors
    /// The store has no room or does not answer.
    fn enqueue_anew(&self, world: &SlotName) -> Result<(), StoreError> {
        self.enqueue(world)
    }

    /// Tells the person at a seat something, who hears it if it listens. Nobody at another seat
    /// can. In a folder nobody listens.
    ///
    /// # Errors
    /// The store does not answer.
    fn tell_seat(&self, _world: &SlotName, _seat: &str, _line: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    /// Lets this take what people at seats have sent: the world, the seat, and what it was. What it
    /// fails to take comes again.
    ///
    /// # Errors
    /// The store does not answer, or it fails.
    fn hear_seats(&self, _take: &mut TakeInput<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    /// Takes a world off the queue for as long as the lease is kept; `None` if there is none to be
    /// had within this time.
    ///
    /// # Errors
    /// The store does not answer.
    fn take(&self, within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError>;

    /// Waits before something is asked again. A simulated store has a clock of its own.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Takes what somebody at a seat of a world has sent.
pub type TakeInput<'t> = dyn FnMut(&SlotName, &str, &[u8]) -> Result<(), StoreError> + 't;

/// The store at this address: `nats://HOST:PORT`, or `folder:PATH`.
///
/// # Errors
/// It is no such address, or nobody answers there.
pub fn open_store(address: &str) -> Result<Arc<dyn Store>, StoreError> {
    let path = address.strip_prefix("folder:");
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        return Ok(Arc::new(FolderStore::open(Path::new(path))?));
    }
    if address.starts_with("nats://") || address.starts_with("tls://") {
        return Ok(Arc::new(JetStreamStore::connect(address, LEASE)?));
    }
    let address = address.to_owned();
    Err(StoreError::Address { address })
}

/// A name as all stores accept it: letters, digits, `-` and `_` of ASCII, others as `=XX`.
pub(crate) fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_".contains(&byte) {
            text.push(byte.into());
        } else {
            text.push_str(&format!("={byte:02X}"));
        }
    }
    text
}

/// The name that was [`encoded`] so.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'=' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// The world whose name was [`encoded`] so.
pub(crate) fn world_of(text: &str) -> Result<SlotName, StoreError> {
    let name = decoded(text).and_then(|name| name.parse().ok());
    name.ok_or_else(|| StoreError::damaged(text))
}

/// The part of a journal that is whole lines.
pub(crate) fn whole_lines(journal: &[u8]) -> usize {
    let end = journal.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_encoded_for_every_store_and_back() {
        for name in ["mill-7", "昭影班 3", "a.b", "x=y"] {
            let text = encoded(name);
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte);
            assert!(text.bytes().all(is_plain), "{text}");
            assert_eq!(decoded(&text).as_deref(), Some(name));
        }
        for text in ["=", "=4", "=ZZ", "=FF"] {
            assert_eq!(decoded(text), None);
        }
    }
}
