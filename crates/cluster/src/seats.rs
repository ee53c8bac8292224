//! People at seats, who may be anywhere, while a worker plays the world.
//!
//! Who has a seat is in the record of the world, and the last answer of a seat in a record of its
//! own. A world in which only people have anything to do rests in the store, and is put on the
//! queue again when one of them has answered.

use std::collections::VecDeque;
use std::sync::Arc;

use playhouse_engine::cast::CastList;
use playhouse_engine::engine::{CancellationToken, Engine};
use playhouse_engine::event::{Feed, Recipient};
use playhouse_engine::mind::human::ALIAS;
use playhouse_engine::mind::{
    AnswerForm, Answering, Completion, Mind, MindError, MindInfo, Prompt,
};
use playhouse_engine::save::SlotName;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::replica::patiently;
use crate::state::{change, world_state};
use crate::store::{MAX_RECORD, change_record};
use crate::{Phase, Store, StoreError, WorldState};

/// What a person answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatAnswer {
    /// The number of the ask among those of the character.
    pub number: u32,
    /// How it was made, as [`Completion::model`].
    #[serde(default)]
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
    change_record(store, &record_of(world, name), |_: Option<SeatAnswer>| {
        (Some(answer.clone()), ())
    })?;
    wake(store, world, |state| {
        state.answers += 1;
        true
    })
}

/// Takes what was sent from a seat, if somebody has it. An answer to what was not asked wakes the
/// world, and so lets the seat hear again what is.
pub(crate) fn hear(
    store: &dyn Store,
    world: &SlotName,
    name: &str,
    sent: &[u8],
) -> Result<(), StoreError> {
    let state = world_state(store, world)?;
    let has_seat = state.is_some_and(|state| state.seats.contains(name));
    match serde_json::from_slice(sent) {
        Ok(sent) if has_seat => {
            let model = ALIAS.to_owned();
            answer_at_seat(store, world, name, &SeatAnswer { model, ..sent })
        }
        _ => {
            tracing::warn!("{world}: what {name} sent is no answer of a seat");
            Ok(())
        }
    }
}

/// Lets a person play a character, and hear what it learns and does.
pub(crate) fn take(engine: &mut Engine, store: &Arc<dyn Store>, world: &SlotName, name: &str) {
    let (store, world) = (store.clone(), world.clone());
    let seat = StoreSeat {
        store: store.clone(),
        world: world.clone(),
        info: MindInfo::unmetered(ALIAS),
    };
    engine.seat(name, Arc::new(seat));
    let entity = engine.world.resource::<CastList>().by_name(name);
    if let Some(id) = entity.and_then(|entity| engine.world.get(entity).copied()) {
        let name: Arc<str> = name.into();
        let recipient = Recipient {
            id,
            name: name.clone(),
        };
        let tell = move |record: &_| tell(&*store, &world, &name, record);
        engine.add_feed(Feed::seat(recipient, tell));
    }
}

fn tell(store: &dyn Store, world: &SlotName, name: &str, record: &impl Serialize) {
    let line = serde_json::to_vec(record).map_err(StoreError::damaged);
    if let Err(error) = line.and_then(|line| store.tell_seat(world, name, &line)) {
        tracing::warn!("{world}: {name}: {error}");
    }
}

/// What a seat is asked, with as much of what its character remembers as a message holds.
fn asked(prompt: &Prompt<'_>) -> Value {
    let (mut turns, mut room) = (VecDeque::new(), MAX_RECORD);
    for turn in prompt.turns().collect::<Vec<_>>().into_iter().rev() {
        let text = turn.to_text();
        let Some(left) = room.checked_sub(text.len()) else {
            break;
        };
        room = left;
        turns.push_front(json!({"role": turn.role, "speaker": turn.speaker, "text": text}));
    }
    let schema = match prompt.form {
        AnswerForm::Json { constrained, .. } => constrained,
        AnswerForm::Prose { .. } => &Value::Null,
    };
    json!({
        "record": "ask",
        "number": prompt.number,
        "purpose": prompt.purpose,
        "turns": turns,
        "schema": schema,
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

pub(crate) fn record_of(world: &SlotName, name: &str) -> String {
    format!("seat-{world}-{name}")
}

/// A person who plays a character of a world, as a worker sees it.
struct StoreSeat {
    store: Arc<dyn Store>,
    world: SlotName,
    info: MindInfo,
}

impl Mind for StoreSeat {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (store, world) = (self.store.clone(), self.world.clone());
        let (entity, number) = (prompt.entity.to_string(), prompt.number);
        let record = record_of(&world, &entity);
        let ask = asked(prompt);
        Box::pin(async move {
            let name = entity.clone();
            let find = move || {
                let stop = CancellationToken::default();
                let found = patiently(&*store, &stop, &|_| (), || store.record(&record));
                let answer = found.ok().flatten().and_then(|found| found.parse().ok());
                let answer = answer.filter(|answer: &SeatAnswer| answer.number == number);
                if answer.is_none() {
                    tell(&*store, &world, &name, &ask);
                }
                answer
            };
            match tokio::task::spawn_blocking(find).await {
                Ok(Some(answer)) => Ok(Completion::instant(&answer.model, answer.text)),
                _ => Err(MindError::SeatAwaited { entity }.into()),
            }
        })
    }
}
