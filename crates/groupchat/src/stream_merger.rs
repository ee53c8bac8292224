//! A conversation for people who watch it: chunks of messages while they are written, then the
//! messages.
//!
//! Chunks come from minds, messages from the world. [`StreamMerger`] merges both and guarantees
//! that the chunks of a message add up to its text: a message whose chunks turn out to be wrong is
//! [`Retracted`], and one without chunks (it was recorded, is JSON, or a guard may change it)
//! becomes a single chunk.

use std::collections::BTreeMap;
use std::task::{Context, Poll};

use playhouse_engine::engine::Engine;
use playhouse_engine::event::Record;
use playhouse_engine::mind::{StreamDelta, StreamDeltaKind, StreamReceiver};
use serde::Serialize;

use super::message::{ChatContent, ChatMessage, event_id, message_id};
use super::stage::{FunctionCallRound, InnerMessage, Utterance};
use super::team::TeamFile;
use super::team_message::{TeamMessage, inner_path};
use super::tool_team::join_path;

/// The chunks shown so far of a message that will not come: its mind starts again, or gave up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Retracted {
    /// The source of the message.
    pub source: String,
    /// The id of the message, which its chunks name.
    pub full_message_id: String,
}

/// What people see of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// A chunk of a message, or an event before it is delivered.
    Preview(TeamMessage),
    /// A message or event that was delivered.
    Message(TeamMessage),
    /// An event that was delivered, and shown as a preview before.
    Shown(TeamMessage),
    /// Chunks of a message that will not come.
    Retracted(Retracted),
}

/// What people see of a team's conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamStreamEvent {
    /// The name of the team: the outermost or an inner one.
    pub team: String,
    pub event: StreamEvent,
}

/// Merges the chunks and the messages of a conversation.
#[derive(Debug)]
pub struct StreamMerger {
    outermost: TeamFile,
    deltas: StreamReceiver,
    /// The clock by which chunks are dated, as in
    /// [`EngineSettings`](playhouse_engine::engine::EngineSettings).
    clock: Option<fn() -> u64>,
    /// The messages that are being written, by id.
    unfinished: BTreeMap<String, PartialMessage>,
    /// The previews of events, by id.
    previews: BTreeMap<String, ChatContent>,
}

/// A message that is being written.
#[derive(Debug)]
struct PartialMessage {
    team: String,
    source: String,
    /// The text that was shown and not retracted.
    text: String,
    chunks: usize,
    /// The number of previews of events.
    events: usize,
}

impl StreamMerger {
    /// Merges the messages that an engine plays of a team and its inner teams with their chunks.
    pub fn new(outermost: TeamFile, engine: &mut Engine) -> Self {
        Self {
            outermost,
            deltas: engine.watch(),
            clock: engine.settings.clock,
            unfinished: BTreeMap::new(),
            previews: BTreeMap::new(),
        }
    }

    /// What a record shows, after the chunks that came before it.
    pub fn record(&mut self, record: &Record) -> Vec<TeamStreamEvent> {
        let mut events = self.pending();
        match record {
            Record::Event(event) => events.extend(self.delivered(record, &event.place)),
            // All answers have come, so that no further message will.
            Record::Turn { .. } => events.extend(self.retract_unfinished()),
            Record::Answer(_) | Record::Chapter { .. } => {}
        }
        events
    }

    /// The chunks that have come.
    pub fn pending(&mut self) -> Vec<TeamStreamEvent> {
        let mut events = Vec::new();
        while let Some(delta) = self.deltas.try_next() {
            events.extend(self.delta(delta));
        }
        events
    }

    /// The next chunks, as soon as they come; `None` if no more can come.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Vec<TeamStreamEvent>>> {
        while let Poll::Ready(delta) = self.deltas.poll_next(cx) {
            let Some(delta) = delta else {
                return Poll::Ready(None);
            };
            let events = self.delta(delta);
            if !events.is_empty() {
                return Poll::Ready(Some(events));
            }
        }
        Poll::Pending
    }

    /// Forgets everything that was shown, and the chunks that have come.
    pub(super) fn clear(&mut self) {
        self.pending();
        self.unfinished.clear();
        self.previews.clear();
    }

    fn delta(&mut self, delta: StreamDelta) -> Vec<TeamStreamEvent> {
        let (source, ask) = (&*delta.entity, delta.number);
        let mut teams = self.outermost.nested().into_iter();
        let Some(team) = teams.find(|team| streams(team, source)) else {
            return Vec::new();
        };
        let id = message_id(source, ask);
        let now = self.clock.map(|clock| clock());
        let partial = self
            .unfinished
            .entry(id.clone())
            .or_insert_with(|| PartialMessage {
                team: team.name.clone(),
                source: source.to_owned(),
                text: String::new(),
                chunks: 0,
                events: 0,
            });
        let team_path = inner_path(&self.outermost, &team.name);
        let events = match delta.kind {
            StreamDeltaKind::Text(text) => {
                partial.text.push_str(&text);
                partial.chunks += 1;
                let mut message = chunk(source, &id, partial.chunks, text);
                message.date(now);
                vec![StreamEvent::Preview(TeamMessage { team_path, message })]
            }
            StreamDeltaKind::Tools(round) => {
                let round = FunctionCallRound::of(&round.called, &round.returned);
                let events = round.events(source).into_iter().map(|mut event| {
                    let id = event_id(source, ask, partial.events);
                    partial.events += 1;
                    event.message_mut().id.clone_from(&id);
                    event.message_mut().date(now);
                    let event = team_message(event, &team_path);
                    self.previews.insert(id, event.message.content.clone());
                    StreamEvent::Preview(event)
                });
                events.collect()
            }
            StreamDeltaKind::Retract => {
                let retracted = partial.retract(&id).map(StreamEvent::Retracted);
                retracted.into_iter().collect()
            }
        };
        events_of(&team.name, events)
    }

    fn delivered(&mut self, record: &Record, place: &str) -> Vec<TeamStreamEvent> {
        let Some(delivered) = TeamMessage::of(record, &self.outermost) else {
            return Vec::new();
        };
        let message = &delivered.message;
        // Nobody saw the messages of a team that is a tool while they were written.
        let is_own = delivered.team_path == inner_path(&self.outermost, place);
        let mut teams = self.outermost.nested().into_iter();
        let is_streamed = teams.any(|team| team.name == place && streams(team, &message.source));
        let preview = self.previews.remove(&message.id);
        // A guard may have changed the event since.
        let is_shown = preview.as_ref() == Some(&message.content);
        let mut events = if is_own && is_streamed && !message.is_event() {
            self.complete(&delivered)
        } else {
            Vec::new()
        };
        events.push(if is_shown {
            StreamEvent::Shown(delivered)
        } else {
            StreamEvent::Message(delivered)
        });
        events_of(place, events)
    }

    /// What must be shown before a message, so that its chunks add up to its text.
    fn complete(&mut self, delivered: &TeamMessage) -> Vec<StreamEvent> {
        let TeamMessage { team_path, message } = delivered;
        let mut partial = self.unfinished.remove(&message.id);
        let text = match &message.content {
            ChatContent::Text(text) => Some(text),
            _ => None,
        };
        let shown = partial.as_ref().map_or("", |partial| partial.text.trim());
        if !shown.is_empty() && text.is_some_and(|text| text.trim() == shown) {
            return Vec::new();
        }
        let retracted = partial
            .as_mut()
            .and_then(|partial| partial.retract(&message.id));
        let number = partial.map_or(0, |partial| partial.chunks) + 1;
        let whole = text.map(|text| {
            let mut chunk = chunk(&message.source, &message.id, number, text.clone());
            chunk.created_at.clone_from(&message.created_at);
            let message = chunk;
            let team_path = team_path.clone();
            StreamEvent::Preview(TeamMessage { team_path, message })
        });
        let retracted = retracted.map(StreamEvent::Retracted).into_iter();
        retracted.chain(whole).collect()
    }

    fn retract_unfinished(&mut self) -> Vec<TeamStreamEvent> {
        self.previews.clear();
        let unfinished = std::mem::take(&mut self.unfinished).into_iter();
        let events = unfinished.filter_map(|(id, mut partial)| {
            let event = StreamEvent::Retracted(partial.retract(&id)?);
            let team = partial.team;
            Some(TeamStreamEvent { team, event })
        });
        events.collect()
    }
}

impl PartialMessage {
    /// Retracts the text that was shown, if there is any.
    fn retract(&mut self, id: &str) -> Option<Retracted> {
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then(|| Retracted {
            source: self.source.clone(),
            full_message_id: id.to_owned(),
        })
    }
}

/// An event of a participant whose team has this path.
fn team_message(event: Utterance, path: &str) -> TeamMessage {
    let (team_path, message) = match event {
        Utterance::Own(message) => (path.to_owned(), message),
        Utterance::Inner(InnerMessage { team, message }) => (join_path(path, &team), message),
    };
    TeamMessage { team_path, message }
}

/// Whether a participant of a team streams its messages.
fn streams(team: &TeamFile, source: &str) -> bool {
    let participant = team.participant(source);
    participant.is_some_and(|participant| participant.stream)
}

fn events_of(team: &str, events: Vec<StreamEvent>) -> Vec<TeamStreamEvent> {
    let events = events.into_iter().map(|event| TeamStreamEvent {
        team: team.to_owned(),
        event,
    });
    events.collect()
}

/// A chunk of a message; the first has the number 1.
fn chunk(source: &str, full_id: &str, number: usize, text: String) -> ChatMessage {
    let content = ChatContent::StreamingChunk {
        content: text,
        full_message_id: Some(full_id.to_owned()),
    };
    let mut chunk = ChatMessage::new(source, content);
    chunk.id = format!("{full_id}/{number}");
    chunk
}
