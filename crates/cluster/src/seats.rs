//! People at seats, who may be anywhere, while a worker plays the world.
//!
//! Who has a seat is in the record of the world, and the last answer of a seat in a record of its
//! own. A world in which only people have anything to do rests in the store, and is put on the
//! queue again when one of them has answered.

use std::sync::Arc;

use playhouse_engine::mind::human::ALIAS;
use playhouse_engine::mind::{Answering, Completion, Mind, MindError, MindInfo, Prompt};
use playhouse_engine::save::SlotName;
use serde::{Deserialize, Serialize};

use crate::replica::PAUSE;
use crate::state::change;
use crate::store::MAX_RECORD;
use crate::{Phase, Store, StoreError, WorldState};

/// What a person answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatAnswer {
    /// The number of the ask among those of the character.
    pub number: u32,
    /// How it was made, as [`Completion::model`].
    pub model: String,
    pub text: String,
}

/// Gives a seat to a person, or back to its mind.
///
/// # Errors
/// There is no such world, or the store does not answer.
pub fn give_seat(
    store: &dyn Store,
    world: &SlotName,
    name: &str,
    is_taken: bool,
) -> Result<(), StoreError> {
    wake(store, world, |state| {
        if is_taken {
            state.seats.insert(name.to_owned())
        } else {
            state.seats.remove(name)
        }
    })
}

/// Takes the answer of the person at a seat, for the worker that plays the world.
///
/// # Errors
/// The answer is too long, there is no such world, or the store does not answer.
pub fn answer_at_seat(
    store: &dyn Store,
    world: &SlotName,
    name: &str,
    answer: &SeatAnswer,
) -> Result<(), StoreError> {
    let (record, value) = (record_of(world, name), serde_json::to_vec(answer));
    let value = value.map_err(StoreError::damaged)?;
    if value.len() > MAX_RECORD {
        return Err(StoreError::damaged(format!("{} bytes", value.len())));
    }
    loop {
        let revision = store.record(&record)?.map_or(0, |known| known.revision);
        match store.write(&record, &value, revision) {
            Err(StoreError::Stale) => {}
            written => {
                written?;
                break;
            }
        }
    }
    wake(store, world, |state| {
        state.answers += 1;
        true
    })
}

/// Changes what people do in a world, and puts it on the queue if it rests.
fn wake(
    store: &dyn Store,
    world: &SlotName,
    mut act: impl FnMut(&mut WorldState) -> bool,
) -> Result<(), StoreError> {
    let state = change(store, world, |state| {
        let is_new = act(state);
        if is_new && state.phase == Phase::Waiting {
            state.phase = Phase::Queued;
        }
        is_new
    })?;
    if state.phase == Phase::Queued {
        store.enqueue(world)?;
    }
    Ok(())
}

fn record_of(world: &SlotName, name: &str) -> String {
    format!("seat-{world}-{name}")
}

/// A person who plays a character of a world, as a worker sees it.
pub(crate) struct StoreSeat {
    store: Arc<dyn Store>,
    record: String,
    info: MindInfo,
}

impl StoreSeat {
    pub(crate) fn new(store: Arc<dyn Store>, world: &SlotName, name: &str) -> Self {
        Self {
            store,
            record: record_of(world, name),
            info: MindInfo::unmetered(ALIAS),
        }
    }
}

impl Mind for StoreSeat {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (store, record) = (self.store.clone(), self.record.clone());
        let (entity, number) = (prompt.entity.to_string(), prompt.number);
        Box::pin(async move {
            let find = move || loop {
                match store.record(&record) {
                    Err(error) if error.may_pass() => std::thread::sleep(PAUSE),
                    found => break found,
                }
            };
            let found = tokio::task::spawn_blocking(find).await;
            let found = found.ok().and_then(Result::ok).flatten();
            let answer = found.and_then(|found| serde_json::from_slice(&found.value).ok());
            match answer.filter(|answer: &SeatAnswer| answer.number == number) {
                Some(answer) => Ok(Completion::instant(&answer.model, answer.text)),
                None => Err(MindError::SeatAwaited { entity }.into()),
            }
        })
    }
}
