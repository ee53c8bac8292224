//! How far each world is: what people see, and what workers are to do.

use std::collections::BTreeSet;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::save::{PackedSlot, SlotName, read_head};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::change_record;
use crate::{Amounts, ClusterBudget, Position, Store, StoreError, seats};

/// The names of the records of worlds begin so.
const PREFIX: &str = "world-";

/// What becomes of a world.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It waits for a worker.
    #[default]
    Queued,
    Playing,
    /// Only people at seats have anything to do.
    Waiting,
    /// Its story is over.
    Ended,
    /// Something stopped it: a turn, a limit, a server. It can go on.
    Paused,
    /// It can't be played.
    Failed,
    Cancelled,
}

impl Phase {
    /// Its name, for people.
    pub fn text(self) -> UiText {
        match self {
            Self::Queued => text!(cluster_queued),
            Self::Playing => text!(cluster_playing),
            Self::Waiting => text!(cluster_waiting),
            Self::Ended => text!(cluster_ended),
            Self::Paused => text!(cluster_paused),
            Self::Failed => text!(cluster_failed),
            Self::Cancelled => text!(cluster_cancelled),
        }
    }

    /// Whether a worker is to play it.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Playing)
    }
}

/// How far a world is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorldState {
    pub phase: Phase,
    /// The last turn that was played to its end.
    pub turn: u64,
    /// The worker that plays it, or did.
    pub worker: String,
    /// The build of the program that played it last.
    pub build: String,
    /// Why it is in this phase, in English.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// After which turn it pauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// The digest of its last snapshot: equal worlds have equal ones.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// With what it is played, in the form of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The characters that people play.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub seats: BTreeSet<String>,
    /// How often people have answered.
    pub answers: u64,
    /// The position of the last claim.
    pub claim: u64,
    /// How often the worker that plays it has said so.
    pub beats: u64,
    /// What its story has taken.
    pub spent: Amounts<u64>,
}

/// What the stories of all these worlds have taken.
pub fn spent_by_worlds(worlds: &[(SlotName, WorldState)]) -> Amounts<u64> {
    let spent = worlds.iter().map(|(_, state)| state.spent);
    spent.fold(Amounts::default(), Amounts::plus)
}

/// Puts a story into a store, for workers to play; people have these seats from the beginning. If
/// this fails in the middle, the same may be submitted again.
///
/// # Errors
/// There is another world of this name, or the store refuses.
pub fn submit(
    store: &dyn Store,
    world: &SlotName,
    story: PackedSlot,
    until: Option<u64>,
    build: &str,
    seats: impl IntoIterator<Item = String>,
) -> Result<(), StoreError> {
    store.create(world, &story.journal)?;
    if let Some(snapshot) = &story.world {
        store.save(world, snapshot)?;
    }
    let settings = story.settings.map(String::from_utf8).transpose();
    let head = story.world.and_then(|snapshot| read_head(&snapshot).ok());
    let state = WorldState {
        turn: head.map_or(0, |head| head.turn),
        until,
        build: build.to_owned(),
        seats: seats.into_iter().collect(),
        settings: settings.map_err(StoreError::damaged)?,
        ..WorldState::default()
    };
    change_record(store, &record_of(world), |known: Option<WorldState>| {
        match known {
            None => (Some(state.clone()), Ok(())),
            // It was submitted before, if not to its end.
            Some(known) if known == state => (None, Ok(())),
            Some(_) => {
                let world = world.to_string();
                (None, Err(StoreError::Exists { world }))
            }
        }
    })??;
    store.enqueue(world)
}

/// Stops a world for good, or until somebody lets it [go on](go_on).
///
/// # Errors
/// There is no such world, or the store does not answer.
pub fn cancel(store: &dyn Store, world: &SlotName) -> Result<(), StoreError> {
    let mut before = Phase::default();
    change(store, world, |state| {
        before = state.phase;
        if before != Phase::Ended {
            state.phase = Phase::Cancelled;
        }
        before != Phase::Ended
    })?;
    // Whoever plays it brings it to an end; if that one is dead, the next one who gets it.
    if before == Phase::Playing {
        return Ok(());
    }
    ClusterBudget::close(store, world)
}

/// Removes a world from a store, with all that it has. Whoever plays it is told that it is lost.
///
/// # Errors
/// There is no such world, or the store does not answer.
pub fn remove(store: &dyn Store, world: &SlotName) -> Result<(), StoreError> {
    cancel(store, world)?;
    let state = world_state(store, world)?.unwrap_or_default();
    ClusterBudget::close(store, world)?;
    let seats = state.seats.iter().map(|name| seats::record_of(world, name));
    let records: Vec<_> = [record_of(world)].into_iter().chain(seats).collect();
    store.remove(world, &records)
}

/// Lets a world go on that is not being played, until another turn or to its end.
///
/// # Errors
/// There is no such world, or the store does not answer.
pub fn go_on(
    store: &dyn Store,
    world: &SlotName,
    until: Option<u64>,
) -> Result<WorldState, StoreError> {
    let state = change(store, world, |state| {
        let is_over = state.phase == Phase::Ended;
        if !is_over {
            state.phase = Phase::Queued;
            state.until = until;
            state.note.clear();
        }
        !is_over
    })?;
    store.enqueue(world)?;
    Ok(state)
}

/// How far a world is; `None` if there is no such world.
///
/// # Errors
/// The store does not answer.
pub fn world_state(store: &dyn Store, world: &SlotName) -> Result<Option<WorldState>, StoreError> {
    let record = store.record(&record_of(world))?;
    record.map(|record| record.parse()).transpose()
}

/// All worlds, by name.
///
/// # Errors
/// The store does not answer.
pub fn states(store: &dyn Store) -> Result<Vec<(SlotName, WorldState)>, StoreError> {
    let all = revised_states(store)?.into_iter();
    Ok(all.map(|(world, state, _)| (world, state)).collect())
}

/// All worlds by name, and the revisions of their records.
pub(crate) fn revised_states(
    store: &dyn Store,
) -> Result<Vec<(SlotName, WorldState, u64)>, StoreError> {
    let mut found = Vec::new();
    for (name, record) in store.records()? {
        let name = name.strip_prefix(PREFIX);
        if let Some(Ok(world)) = name.map(str::parse::<SlotName>) {
            found.push((world, record.parse()?, record.revision));
        }
    }
    Ok(found)
}

/// The story of a world, as it is now.
///
/// # Errors
/// There is no such world, or the store does not answer.
pub fn stored(store: &dyn Store, world: &SlotName) -> Result<PackedSlot, StoreError> {
    let state = world_state(store, world)?;
    let state = state.ok_or_else(|| StoreError::missing(world))?;
    // The snapshot first: the journal records it, and may have more by now.
    let snapshot = store.snapshot(world)?;
    let (journal, _) = store.read(world, Position::default())?;
    Ok(PackedSlot {
        journal,
        world: snapshot,
        settings: state.settings.map(String::into_bytes),
    })
}

/// Changes how far a world is, unless `change` does not want to. Returns how far it is now.
pub(crate) fn change(
    store: &dyn Store,
    world: &SlotName,
    mut change: impl FnMut(&mut WorldState) -> bool,
) -> Result<WorldState, StoreError> {
    change_record(store, &record_of(world), |known: Option<WorldState>| {
        let Some(mut state) = known else {
            return (None, Err(StoreError::missing(world)));
        };
        let is_changed = change(&mut state);
        (is_changed.then(|| state.clone()), Ok(state))
    })?
}

/// As [`change`], by the worker whose claim has this position: the state of a later one stays.
pub(crate) fn change_by(
    store: &dyn Store,
    world: &SlotName,
    claim: Position,
    mut act: impl FnMut(&mut WorldState) -> bool,
) -> Result<WorldState, StoreError> {
    change(store, world, |state| {
        let is_latest = state.claim <= claim.0;
        if is_latest {
            state.claim = claim.0;
        }
        is_latest && act(state)
    })
}

fn record_of(world: &SlotName) -> String {
    format!("{PREFIX}{world}")
}
