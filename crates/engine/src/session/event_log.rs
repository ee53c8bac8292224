//! The log of events beside a journal, so that a long story need not be played again to be shown.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cast::{CastList, EntityName, Occupants, StableId, is_dead, place_of, stage_of};
use crate::context::{AgentContext, EntryId};
use crate::engine::Engine;
use crate::event::{EventRecord, Feed, Recipient, Record};
use crate::journal::{Line, Outcome};
use crate::message::Digest;
use crate::save::{SaveError, Slot, StoredStory};
use crate::secrets::redact_json;

/// What happened in a story, in order, up to its snapshot. Its lines are read as they are needed:
/// all records at once would take many times the memory.
pub struct EventLog {
    lines: Vec<u8>,
    outcomes: Outcomes,
    /// The turn of the snapshot.
    pub turn: u64,
}

type Outcomes = BTreeMap<(StableId, u32), Arc<Outcome>>;

pub enum Logged {
    Name(StableId, Arc<str>),
    Event(Box<EventRecord>),
    /// A place has taken the outcomes of its asks.
    Answers(Vec<Answered>),
    /// Some are at another place than before.
    Stays(Vec<Stay>),
    /// A turn is over.
    Turn(u64),
}

/// An outcome that was taken, and the message of its question.
pub type Answered = (Arc<Outcome>, Option<EntryId>);

/// The outcomes that a place has just taken.
pub fn answered(world: &World, outcomes: &[Arc<Outcome>]) -> Vec<Answered> {
    let cast = world.resource::<CastList>();
    let answered = outcomes.iter().map(|outcome| {
        let entity = cast.by_name(&outcome.entity);
        let context = entity.and_then(|entity| world.get::<AgentContext>(entity));
        let exchange = context.and_then(AgentContext::last_exchange);
        (outcome.clone(), exchange.map(|(question, _)| question))
    });
    answered.collect()
}

/// Where an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stay {
    pub id: StableId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<StableId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dead: bool,
}

impl Stay {
    /// Where an entity is; `None` if it has no number.
    pub fn of(world: &World, entity: Entity) -> Option<Self> {
        let stage = stage_of(world, entity);
        Some(Self {
            id: *world.get(entity)?,
            place: stage.and_then(|stage| world.get(stage)).copied(),
            dead: is_dead(world, entity),
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LogLine {
    /// The name of an entity, before its number is used.
    Name(StableId, Arc<str>),
    /// An event without its audience, and the numbers of that.
    Event(Box<EventRecord>, Vec<StableId>),
    /// Each who answered, the number of its ask, and the message of the question.
    Answers(Vec<(StableId, u32, Option<EntryId>)>),
    /// Who is at another place than before.
    Stays(Vec<Stay>),
    Turn(u64),
    /// The digest of the snapshot up to which the log goes, that of the lines before, and the
    /// version of the log.
    Snapshot(Digest, Digest, u32),
}

impl EventLog {
    /// What a slot's log holds of a story; `None` if it holds less than all up to the snapshot.
    pub fn of(slot: &Slot, story: &StoredStory) -> Result<Option<Self>, SaveError> {
        let Some((world, turn)) = story.world.as_ref().zip(story.saved_turn()) else {
            return Ok(None);
        };
        let outcomes = story.lines.iter().filter_map(|line| match line {
            Line::Outcome(outcome) => {
                Some(((StableId(outcome.id), outcome.number), outcome.clone()))
            }
            _ => None,
        });
        let log = |lines| Self {
            lines,
            // Of those of the same ask, the first.
            outcomes: outcomes.rev().collect(),
            turn,
        };
        Ok(slot.read_events(world)?.map(log))
    }

    /// The events in a slot's log, newest first and without their audience. Nothing is checked: for
    /// a glance at how far a story is.
    pub fn glance(slot: &Slot, mut see: impl FnMut(EventRecord) -> ControlFlow<()>) {
        let log = slot.glance_at_events();
        let mut lines = log.rsplit(|byte| *byte == b'\n');
        let _ = lines.try_for_each(|line| match serde_json::from_slice(line) {
            Ok(LogLine::Event(event, _)) => see(*event),
            _ => ControlFlow::Continue(()),
        });
    }

    /// Its records, which take their outcomes along.
    pub fn records(&mut self) -> impl Iterator<Item = Logged> {
        let mut names = BTreeMap::new();
        let lines = serde_json::Deserializer::from_slice(&self.lines).into_iter();
        let outcomes = &mut self.outcomes;
        lines.filter_map(move |line| LogLine::logged(line.ok()?, outcomes, &mut names))
    }
}

impl LogLine {
    fn logged(
        self,
        outcomes: &mut Outcomes,
        names: &mut BTreeMap<StableId, Arc<str>>,
    ) -> Option<Logged> {
        Some(match self {
            Self::Name(id, name) => {
                names.insert(id, name.clone());
                Logged::Name(id, name)
            }
            Self::Event(mut event, audience) => {
                let recipient = |id| {
                    let name = names.get(&id)?.clone();
                    Some(Recipient { id, name })
                };
                let audience = audience.into_iter().map(recipient);
                event.audience = audience.collect::<Option<_>>()?;
                Logged::Event(event)
            }
            Self::Answers(answers) => {
                let found = answers.into_iter().map(|(id, number, question)| {
                    Some((outcomes.remove(&(id, number))?, question))
                });
                Logged::Answers(found.collect::<Option<_>>()?)
            }
            Self::Stays(stays) => Logged::Stays(stays),
            Self::Turn(turn) => Logged::Turn(turn),
            Self::Snapshot(..) => return None,
        })
    }
}

/// Lines for the log of a story that is played.
#[derive(Default)]
struct Writer {
    lines: Vec<u8>,
    names: BTreeMap<StableId, Arc<str>>,
    stays: BTreeMap<StableId, Stay>,
    /// Whether a place has committed something in this turn.
    has_begun: bool,
}

/// The lines of what an engine does from now on, to be [taken](Self::take) after each turn.
#[derive(Clone)]
pub(super) struct EventLogger(Arc<Mutex<Writer>>);

impl EventLogger {
    pub(super) fn of(engine: &mut Engine) -> Self {
        let logger = Self(Arc::default());
        logger.writer().note_stays(&engine.world, None);
        let records = logger.clone();
        engine.add_feed(Feed::observer(move |record| {
            records.writer().record(record);
        }));
        let commits = logger.clone();
        engine.on_commit(move |world, outcomes| commits.writer().commit(world, outcomes));
        logger
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.writer().lines)
    }
}

impl Writer {
    fn add(&mut self, line: &LogLine) {
        let start = self.lines.len();
        // Nothing in a line can fail to serialize.
        let _ = serde_json::to_writer(&mut self.lines, line);
        redact_json(&mut self.lines, start);
        self.lines.push(b'\n');
    }

    fn name(&mut self, id: StableId, name: &Arc<str>) {
        if self.names.get(&id) != Some(name) {
            self.names.insert(id, name.clone());
            self.add(&LogLine::Name(id, name.clone()));
        }
    }

    fn record(&mut self, record: &Record) {
        match record {
            Record::Event(event) => {
                for who in &event.audience {
                    self.name(who.id, &who.name);
                }
                let audience = event.audience.iter().map(|who| who.id).collect();
                let event = EventRecord {
                    audience: Vec::new(),
                    ..event.clone()
                };
                self.add(&LogLine::Event(Box::new(event), audience));
            }
            Record::Turn { turn } => {
                self.has_begun = false;
                self.add(&LogLine::Turn(*turn));
            }
            Record::Answer(_) | Record::Chapter { .. } => {}
        }
    }

    fn commit(&mut self, world: &World, outcomes: &[Arc<Outcome>]) {
        let answers: Vec<_> = answered(world, outcomes)
            .into_iter()
            .map(|(outcome, question)| (StableId(outcome.id), outcome.number, question))
            .collect();
        if !answers.is_empty() {
            self.add(&LogLine::Answers(answers));
        }
        // Between two turns everybody may move; within one, a place changes only its own.
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        self.note_stays(world, outcomes.first().filter(|_| !is_first));
    }

    /// Notes where all entities are, or only those at the place of the entity with this outcome.
    fn note_stays(&mut self, world: &World, outcome: Option<&Arc<Outcome>>) {
        let cast = world.resource::<CastList>();
        let entities: Vec<_> = match outcome.and_then(|outcome| cast.by_name(&outcome.entity)) {
            Some(entity) => {
                let place = place_of(world, entity);
                let there = world
                    .get::<Occupants>(place)
                    .map(Occupants::in_order)
                    .unwrap_or_default();
                there.iter().copied().chain([entity, place]).collect()
            }
            None => cast
                .everybody()
                .into_iter()
                .map(|(_, entity)| entity)
                .collect(),
        };
        let mut moved = Vec::new();
        for entity in entities {
            let Some(stay) = Stay::of(world, entity) else {
                continue;
            };
            if let Some(name) = world.get::<EntityName>(entity) {
                self.name(stay.id, &name.0);
            }
            if self.stays.insert(stay.id, stay) != Some(stay) {
                moved.push(stay);
            }
        }
        if !moved.is_empty() {
            self.add(&LogLine::Stays(moved));
        }
    }
}
