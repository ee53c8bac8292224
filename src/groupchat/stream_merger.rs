//! A conversation as people watch it: what a participant writes while it writes it, then the whole message.
//!
//! Pieces come from minds and messages from the world. [`StreamMerger`] brings both into one order and keeps the
//! promise that whoever puts the pieces of a message together has its text: what turned out void is
//! [`Dropped`], and a message that nobody saw being written (a recorded one, one that a guard might have changed,
//! one in JSON) comes as one piece.

use std::collections::BTreeMap;
use std::task::{Context, Poll};

use serde::Serialize;

use super::inside::{Heard, path};
use super::message::{ChatMessage, Content};
use super::stage::{Uttered, round_events};
use super::team::TeamFile;
use crate::event::Record;
use crate::mind::{StreamDelta, StreamDeltaKind, StreamReceiver};

/// The id of what a participant says in answer to its ask of this number, known before it is said.
pub(super) fn message_id(participant: &str, ask: u32) -> String {
    format!("{participant}#{ask}")
}

/// The id of what it did on the way, from 0.
pub(super) fn event_id(participant: &str, ask: u32, at: usize) -> String {
    format!("{participant}#{ask}.{at}")
}

/// A message of which pieces were shown that will not be told: its mind begins anew, or gave up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Who wrote it.
    pub source: String,
    /// The id that its pieces have.
    pub full_message_id: String,
}

/// What whoever watches a conversation is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// Something that is not told yet: a piece of a message, or an event on the way to one.
    Ahead(Heard),
    /// A message or event that was told.
    Told(Heard),
    /// An event that was told, and shown before.
    Known(Heard),
    /// Pieces that were shown in vain.
    Dropped(Dropped),
}

/// News from the stage of one team.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamStreamEvent {
    /// The team: the outermost or one within it.
    pub team: String,
    /// What is shown.
    pub news: StreamEvent,
}

/// A conversation as people watch it.
#[derive(Debug)]
pub struct StreamMerger {
    team: TeamFile,
    stream: StreamReceiver,
    /// What is shown of answers on their way, by the ids of their messages.
    writing: BTreeMap<String, Writing>,
    /// The events that were shown and not told yet, by their ids.
    ahead: BTreeMap<String, Content>,
}

/// What is shown of an answer on its way.
#[derive(Debug)]
struct Writing {
    team: String,
    source: String,
    /// The text that was shown and is not void.
    text: String,
    /// How many pieces and events were shown.
    pieces: usize,
    events: usize,
}

impl StreamMerger {
    /// Watches this team and those within it. The pieces are those of the engine that plays it
    /// ([`Engine::watch`](crate::engine::Engine::watch)).
    pub fn new(team: TeamFile, stream: StreamReceiver) -> Self {
        Self {
            team,
            stream,
            writing: BTreeMap::new(),
            ahead: BTreeMap::new(),
        }
    }

    /// What a record shows, behind the pieces that came before it.
    pub fn record(&mut self, record: &Record) -> Vec<TeamStreamEvent> {
        let mut shown = self.waiting();
        match record {
            Record::Event(event) => shown.extend(self.told(record, &event.place)),
            // All that was asked is answered: what was shown and not told will not be.
            Record::Turn { .. } => shown.extend(self.give_up()),
            Record::Answer(_) | Record::Chapter { .. } => {}
        }
        shown
    }

    /// The news of pieces that have come.
    pub fn waiting(&mut self) -> Vec<TeamStreamEvent> {
        let mut shown = Vec::new();
        while let Some(piece) = self.stream.try_next() {
            shown.extend(self.piece(piece));
        }
        shown
    }

    /// The news of the next piece, as soon as one comes; nothing where none can come any more.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Vec<TeamStreamEvent>>> {
        while let Poll::Ready(piece) = self.stream.poll_next(cx) {
            let Some(piece) = piece else {
                return Poll::Ready(None);
            };
            let shown = self.piece(piece);
            if !shown.is_empty() {
                return Poll::Ready(Some(shown));
            }
        }
        Poll::Pending
    }

    /// Forgets what was shown, pieces that were not seen yet included.
    pub fn forget(&mut self) {
        self.waiting();
        self.writing.clear();
        self.ahead.clear();
    }

    fn piece(&mut self, piece: StreamDelta) -> Vec<TeamStreamEvent> {
        let (source, number) = (&*piece.entity, piece.number);
        let Some(team) = self.team_of(source) else {
            return Vec::new();
        };
        let id = message_id(source, number);
        let writing = self.writing.entry(id.clone());
        let writing = writing.or_insert_with(|| Writing {
            team: team.clone(),
            source: source.to_owned(),
            text: String::new(),
            pieces: 0,
            events: 0,
        });
        let inside = path_of(&self.team, &team);
        let news = match piece.kind {
            StreamDeltaKind::Text(text) => {
                writing.text.push_str(&text);
                writing.pieces += 1;
                let message = chunk(source, &id, writing.pieces, text);
                vec![StreamEvent::Ahead(Heard { inside, message })]
            }
            StreamDeltaKind::Tools(round) => {
                let events = round_events(source, &round).into_iter();
                let events = events.map(|mut event| {
                    event.message_mut().id = event_id(source, number, writing.events);
                    writing.events += 1;
                    let heard = heard(event, &inside);
                    let content = heard.message.content.clone();
                    self.ahead.insert(heard.message.id.clone(), content);
                    StreamEvent::Ahead(heard)
                });
                events.collect()
            }
            StreamDeltaKind::Retract => {
                let news = writing.drop_text(&id).map(StreamEvent::Dropped);
                news.into_iter().collect()
            }
        };
        of_team(&team, news)
    }

    /// The team in which somebody takes part whose messages are streamed.
    fn team_of(&self, source: &str) -> Option<String> {
        let teams = self.team.all().into_iter();
        let mut teams = teams.filter(|team| streams(team, source));
        teams.next().map(|team| team.name.clone())
    }

    fn told(&mut self, record: &Record, place: &str) -> Vec<TeamStreamEvent> {
        let Some(heard) = Heard::of(record, &self.team) else {
            return Vec::new();
        };
        let message = &heard.message;
        // What a team says that is a tool was never seen being written.
        let is_own = heard.inside == path_of(&self.team, place);
        let mut teams = self.team.all().into_iter();
        let team = teams.find(|team| team.name == place);
        let streams = team.is_some_and(|team| streams(team, &message.source));
        let shown = self.ahead.remove(&message.id);
        let mut news = match is_own && streams && !message.is_event() {
            true => self.settle(&heard),
            false => Vec::new(),
        };
        // A guard may have changed what was shown.
        news.push(match shown.as_ref() == Some(&message.content) {
            true => StreamEvent::Known(heard),
            false => StreamEvent::Told(heard),
        });
        of_team(place, news)
    }

    /// What must be shown before a message, so that its pieces are its text.
    fn settle(&mut self, heard: &Heard) -> Vec<StreamEvent> {
        let Heard { inside, message } = heard;
        let mut writing = self.writing.remove(&message.id);
        let text = match &message.content {
            Content::Text(text) => Some(text),
            _ => None,
        };
        let shown = writing.as_ref().map_or("", |writing| writing.text.trim());
        if !shown.is_empty() && text.is_some_and(|text| text.trim() == shown) {
            return Vec::new();
        }
        let dropped = writing.as_mut();
        let dropped = dropped.and_then(|writing| writing.drop_text(&message.id));
        let count = writing.map_or(0, |writing| writing.pieces) + 1;
        let whole = text.map(|text| {
            let message = chunk(&message.source, &message.id, count, text.clone());
            let inside = inside.clone();
            StreamEvent::Ahead(Heard { inside, message })
        });
        let news = dropped.map(StreamEvent::Dropped).into_iter();
        news.chain(whole).collect()
    }

    fn give_up(&mut self) -> Vec<TeamStreamEvent> {
        self.ahead.clear();
        let writing = std::mem::take(&mut self.writing).into_iter();
        let shown = writing.filter_map(|(id, mut writing)| {
            let news = StreamEvent::Dropped(writing.drop_text(&id)?);
            let team = writing.team;
            Some(TeamStreamEvent { team, news })
        });
        shown.collect()
    }
}

impl Writing {
    /// Takes back what was shown, if anything was.
    fn drop_text(&mut self, id: &str) -> Option<Dropped> {
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then(|| Dropped {
            source: self.source.clone(),
            full_message_id: id.to_owned(),
        })
    }
}

/// The path of a team within the outermost, as what it says is marked.
fn path_of(root: &TeamFile, team: &str) -> String {
    match root.name == team {
        true => String::new(),
        false => team.to_owned(),
    }
}

/// What a participant of the team of this path uttered on the way to its answer.
fn heard(uttered: Uttered, inside: &str) -> Heard {
    match uttered {
        Uttered::Said(message) => Heard {
            inside: inside.to_owned(),
            message,
        },
        Uttered::InnerMessage(said) => Heard {
            inside: path(inside, &said.team),
            message: said.message,
        },
    }
}

fn streams(team: &TeamFile, source: &str) -> bool {
    team.participant(source).is_some_and(|one| one.stream)
}

fn of_team(team: &str, news: Vec<StreamEvent>) -> Vec<TeamStreamEvent> {
    let shown = news.into_iter().map(|news| TeamStreamEvent {
        team: team.to_owned(),
        news,
    });
    shown.collect()
}

/// A piece of a message, the one of this count.
fn chunk(source: &str, full_id: &str, count: usize, text: String) -> ChatMessage {
    let content = Content::StreamingChunk {
        content: text,
        full_message_id: Some(full_id.to_owned()),
    };
    let mut chunk = ChatMessage::new(source, content);
    chunk.id = format!("{full_id}/{count}");
    chunk
}
