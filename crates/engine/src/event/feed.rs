//! What clients see: a seat sees what its entity learned; an observer sees everything.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AgentEvent;
use super::guard::{Act, GuardAct, verbatim};
use crate::cast::{Sense, StableId};
use crate::journal::RecalledMemory;
use crate::locale::UiText;
use crate::message::BodyId;

/// The rule by which an audience was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudienceRule {
    /// The stage and its living occupants, without these.
    BroadcastToStage {
        stage: Arc<str>,
        /// The names of those left out.
        exclude: Vec<Arc<str>>,
    },
    /// Only the entities that a system named.
    #[default]
    Notified,
    /// Every stage, everybody alive on one, and the world agents, without these.
    Announced {
        /// The names of those left out.
        exclude: Vec<Arc<str>>,
    },
    /// A thought: only its thinker, who knows it already.
    Private,
}

impl AudienceRule {
    /// Those whom it left out by name.
    pub fn excluded(&self) -> &[Arc<str>] {
        match self {
            Self::BroadcastToStage { exclude, .. } | Self::Announced { exclude } => exclude,
            Self::Notified | Self::Private => &[],
        }
    }
}

/// An entity that got an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recipient {
    /// Its number, which no later entity of the same name gets.
    #[schemars(with = "u32")]
    pub id: StableId,
    pub name: Arc<str>,
}

/// An event as feeds get it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventRecord {
    /// The id of the body that carries it.
    #[schemars(with = "String")]
    pub id: BodyId,
    /// The turn (meetings so far).
    pub turn: u64,
    /// The stage time, in steps.
    pub time: u64,
    /// When it was said, in milliseconds since 1970, if the run dates answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<u64>,
    /// The name of the place where it happened; empty for the meeting.
    pub place: Arc<str>,
    /// The name of its type.
    #[serde(rename = "type")]
    pub kind: String,
    pub speaker: Option<Arc<str>>,
    /// The sense that its receivers lack: what it is without what the others perceived, who got it
    /// whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Sense>,
    /// The event itself, any JSON of its type; null at a seat for which guards changed the words.
    pub data: Value,
    /// The words its receivers read.
    pub text: String,
    pub audience: Vec<Recipient>,
    /// The words of those receivers for whom guards changed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<(Recipient, String)>,
    /// The rule by which the audience was made.
    pub rule: AudienceRule,
    /// What guards did to it; empty for most events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guarded: Vec<GuardAct>,
}

impl EventRecord {
    /// The event itself, if it is of this type and its data are whole.
    pub fn read<E: AgentEvent>(&self) -> Option<E> {
        let event = (self.kind == E::TYPE).then(|| E::deserialize(&self.data));
        event?.ok()
    }

    /// The names of those who learned it.
    pub fn learners(&self) -> impl Iterator<Item = &str> {
        self.audience.iter().map(|who| &*who.name)
    }

    /// Whether a guard kept it back from some.
    pub fn is_withheld(&self) -> bool {
        self.guarded.iter().any(|act| act.act == Act::Block)
    }

    /// The record as the entity of a seat may see it: with its own words as the guards left them,
    /// and nobody else's.
    pub fn as_seen_by(&self, seat: StableId) -> Self {
        let own = self.masked.iter().find(|(who, _)| who.id == seat);
        let mut seen = Self {
            masked: Vec::new(),
            ..self.clone()
        };
        if let Some((_, words)) = own {
            seen.text.clone_from(words);
            // The event itself holds what the guards hid.
            seen.data = Value::Null;
        }
        seen
    }
}

/// Who made an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// The entity's mind, at the first attempt.
    Mind,
    /// The entity's mind, after this many bad answers.
    Repaired(u32),
    /// The ask's fallback, and why it was used.
    #[serde(deserialize_with = "verbatim")]
    Fallback(#[schemars(with = "String")] UiText),
}

/// One call of a tool as feeds get it, with its result as the guards left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    /// The round of the ask, from 0.
    pub round: u32,
    pub tool: String,
    /// Any JSON that fits its schema.
    pub arguments: Value,
    /// What it returned, or why it failed.
    pub result: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// An answer as feeds get it: the entity's own seat and observers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerRecord {
    /// The turn (meetings so far).
    pub turn: u64,
    /// The name of the place where the entity is.
    pub place: Arc<str>,
    pub entity: Arc<str>,
    #[schemars(with = "u32")]
    pub id: StableId,
    /// The number of the ask among all of its entity.
    pub number: u32,
    /// The purpose of the ask, such as `combat.act`.
    pub purpose: String,
    /// The name of the type of the answer.
    #[serde(skip)]
    pub reply: &'static str,
    /// The answer as the context keeps it.
    pub text: String,
    pub by: AnsweredBy,
    /// The memories that came with the question; none for most answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<RecalledMemory>,
    /// The tools that its mind called before it answered, in order; empty for most answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRecord>,
    /// What guards did to the request and to results of tools; empty for most answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guarded: Vec<GuardAct>,
}

/// One thing for a feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// Something happened.
    Event(EventRecord),
    /// Somebody's mind answered.
    Answer(AnswerRecord),
    /// A chapter was closed.
    Chapter {
        entity: Arc<str>,
        #[schemars(with = "u32")]
        id: StableId,
        chapter: Arc<str>,
        /// What it was about.
        title: String,
        /// The summary that replaces it.
        summary: String,
        /// How many messages it took out of the prompt.
        messages: usize,
    },
    /// The world met; a turn is over.
    Turn {
        /// The number of the turn.
        turn: u64,
    },
}

impl Record {
    /// Whether the entity of a seat may see it: what it learned, and what it did itself.
    pub fn is_for(&self, seat: &Recipient) -> bool {
        match self {
            Self::Event(event) => {
                event.speaker.as_ref() == Some(&seat.name) || event.audience.contains(seat)
            }
            Self::Answer(answer) => answer.id == seat.id,
            Self::Chapter { id, .. } => *id == seat.id,
            Self::Turn { .. } => true,
        }
    }
}

/// What happened since the feeds were last served.
#[derive(Resource, Debug, Default)]
pub struct Records(pub Vec<Record>);

/// What whoever sits at a seat watches, beside what its entity learned and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Watching {
    #[default]
    Nothing,
    /// What everybody perceives at this place, where its entity lies.
    Place(Arc<str>),
    /// Everything, including secrets: its entity plays no part any more.
    Everything,
}

impl Watching {
    pub fn shows(&self, event: &EventRecord) -> bool {
        match self {
            Self::Nothing => false,
            Self::Place(place) => {
                let is_open = matches!(event.rule, AudienceRule::BroadcastToStage { .. });
                is_open && event.place == *place && event.masked.is_empty()
            }
            Self::Everything => true,
        }
    }
}

/// A client that is told what it may see, as it happens.
pub struct Feed {
    /// The entity of its seat; `None` for an observer.
    seat: Option<Recipient>,
    watched: Watching,
    sees: Option<Box<dyn Fn(&EventRecord) -> Option<Watching> + Send + Sync>>,
    sink: Box<dyn FnMut(&Record) + Send + Sync>,
}

impl Feed {
    /// A client that sees what one entity learned, did and answered.
    pub fn seat(seat: Recipient, sink: impl FnMut(&Record) + Send + Sync + 'static) -> Self {
        Self {
            seat: Some(seat),
            watched: Watching::Nothing,
            ..Self::observer(sink)
        }
    }

    /// A client that sees everything, including secrets: for authors and researchers.
    pub fn observer(sink: impl FnMut(&Record) + Send + Sync + 'static) -> Self {
        Self {
            seat: None,
            watched: Watching::Everything,
            sees: None,
            sink: Box::new(sink),
        }
    }

    /// The same client, who watches from an event on what this says; `None` leaves it as it is.
    #[must_use]
    pub fn watching(
        mut self,
        sees: impl Fn(&EventRecord) -> Option<Watching> + Send + Sync + 'static,
    ) -> Self {
        self.sees = Some(Box::new(sees));
        self
    }

    /// Passes the record on if the client may see it.
    pub fn offer(&mut self, record: &Record) {
        let seat = self
            .seat
            .as_ref()
            .filter(|_| self.watched != Watching::Everything);
        let is_watched = match record {
            Record::Event(event) => self.watched.shows(event),
            _ => seat.is_none(),
        };
        if !is_watched && !seat.is_some_and(|seat| record.is_for(seat)) {
            return;
        }
        let Record::Event(event) = record else {
            return (self.sink)(record);
        };
        match seat.filter(|_| !event.masked.is_empty()) {
            Some(seat) => (self.sink)(&Record::Event(event.as_seen_by(seat.id))),
            None => (self.sink)(record),
        }
        let watched = self.sees.as_ref().and_then(|sees| sees(event));
        self.watched = watched.unwrap_or_else(|| std::mem::take(&mut self.watched));
    }
}

impl std::fmt::Debug for Feed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feed")
            .field("seat", &self.seat)
            .finish_non_exhaustive()
    }
}
