//! What is new, as server-sent events. Each connection reads at its own speed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream;
use playhouse_story::{AnswerDelta, CallState};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};

use super::answer::Asked;
use super::connection::IDLE;
use super::reader::{Position, Reader};
use super::routes::Visit;

/// How many events are sent at once.
const AT_ONCE: u32 = 200;
/// A reader further behind reads ranges instead.
const TOO_FAR: u32 = 5_000;
/// What happens within this time is sent together.
const TOGETHER: Duration = Duration::from_millis(15);
/// While a story is read, its readers are told this often how far.
const WHILE_READING: Duration = Duration::from_millis(250);
/// A stream on which nothing happens is no idle connection.
const KEEP_ALIVE: Duration = Duration::from_secs(IDLE.as_secs() / 8);

/// Where a stream begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Since {
    since: Option<String>,
}

/// Streams what is new of a story.
pub(super) async fn stream(
    Asked(query): Asked<Since>,
    visit: Visit,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let last = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok())
        .or(query.since.as_deref());
    let position = last.and_then(|id| id.parse().ok());
    let watching = Watching::new(visit, position);
    let events = stream::unfold(watching, |mut watching| async move {
        let event = watching.next().await?;
        Some((Ok(event), watching))
    });
    let alive = KeepAlive::new().interval(KEEP_ALIVE);
    Sse::new(events).keep_alive(alive)
}

/// A reader of what is new.
struct Watching {
    visit: Visit,
    news: watch::Receiver<u64>,
    deltas: broadcast::Receiver<AnswerDelta>,
    position: Position,
    run: u64,
    state: u64,
    entities: BTreeMap<u32, Value>,
    turn: Option<u64>,
    /// Changes with the question to the reader's seat.
    seat: Option<watch::Receiver<u64>>,
    ready: VecDeque<Event>,
    is_over: bool,
}

/// Waits for a change of a question, for ever if there is no seat; `None` if it is gone.
async fn changed(seat: &mut Option<watch::Receiver<u64>>) -> Option<()> {
    match seat {
        Some(seat) => seat.changed().await.ok(),
        None => std::future::pending().await,
    }
}

impl Watching {
    fn new(visit: Visit, position: Option<Position>) -> Self {
        let reader = visit.reader();
        let view = reader.view;
        let (news, deltas) = (view.news(), view.deltas());
        let contents = view.read();
        let now = reader.position(&contents);
        let from = position.unwrap_or(now);
        let mut watching = Self {
            news,
            deltas,
            position: Position {
                events: from.events.min(now.events),
                changes: from.changes.min(now.changes),
            },
            run: u64::MAX,
            // What the reader knows may be older than its position.
            state: u64::MAX,
            entities: BTreeMap::new(),
            turn: Some(contents.turn),
            seat: None,
            ready: [Event::default().retry(Duration::from_secs(1)).comment("")].into(),
            is_over: false,
            visit: visit.clone(),
        };
        drop(contents);
        watching.seat = visit.seat().map(|(_, seat)| seat.news());
        // First, since it tells whether what the reader has is still true.
        watching.add("server", &json!(visit.shared.access.server()));
        watching.add_question();
        watching.whole_answers();
        watching
    }

    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_over || !self.visit.is_welcome() {
                return None;
            }
            self.add_news();
            if !self.ready.is_empty() {
                continue;
            }
            tokio::select! {
                changed = self.news.changed() => {
                    changed.ok()?;
                    let is_reading = self.visit.story.view.is_reading();
                    let together = if is_reading { WHILE_READING } else { TOGETHER };
                    tokio::time::sleep(together).await;
                }
                changed = changed(&mut self.seat) => {
                    changed?;
                    self.add_question();
                }
                delta = self.deltas.recv(), if self.visit.reader().is_host() => {
                    self.add_deltas(delta);
                }
            }
        }
    }

    /// Adds what has come since the last time.
    fn add_news(&mut self) {
        self.news.borrow_and_update();
        let visit = self.visit.clone();
        let reader = visit.reader();
        if reader.view.is_reading() {
            return self.add_progress(&reader);
        }
        let (now, turn, run, state, changed) = {
            let contents = reader.view.read();
            let now = reader.position(&contents);
            let changes = self.position.changes as usize..now.changes as usize;
            let changes = contents.changes.get(changes).unwrap_or_default();
            let changed: BTreeSet<u32> = changes.iter().copied().collect();
            let calls: Vec<_> = changed
                .iter()
                .filter_map(|call| contents.calls.get(*call as usize))
                .cloned()
                .collect();
            (
                now,
                contents.turn,
                contents.run_version,
                contents.state_version,
                calls,
            )
        };
        let behind = now.events - self.position.events;
        if behind.max(changed.len() as u32) > TOO_FAR {
            self.is_over = true;
            return self.add("gone", &json!({"events": now.events}));
        }
        // Those who speak to a seat for the first time are named before.
        if state != self.state || (behind > 0 && !reader.is_host()) {
            self.state = state;
            self.add_entities(reader.named());
        }
        while self.position.events < now.events {
            let from = self.position.events;
            let events = reader.events_from(from, AT_ONCE.min(now.events - from));
            self.position.events += events.len().max(1) as u32;
            self.add("events", &json!(events));
        }
        // A reader that gets only some of the calls gets all of them again.
        let mut batches = changed.chunks(AT_ONCE as usize).peekable();
        while let Some(calls) = batches.next() {
            if batches.peek().is_none() {
                self.position.changes = now.changes;
            }
            let calls: Vec<_> = calls.iter().map(|call| reader.call_json(call)).collect();
            self.add("calls", &json!(calls));
        }
        self.position.changes = now.changes;
        let is_new_turn = self.turn != Some(turn);
        if is_new_turn || run != self.run {
            self.run = run;
            self.turn = Some(turn);
            let run = reader.run();
            if is_new_turn {
                self.add("turn", &json!({"turn": turn, "day": run["day"]}));
            }
            self.add("run", &run);
        }
    }

    /// Adds how far a story was read.
    fn add_progress(&mut self, reader: &Reader<'_>) {
        let position = reader.position(&reader.view.read());
        if position != self.position {
            self.position = position;
            self.add("run", &reader.run());
        }
    }

    /// Adds what the reader's seat is asked.
    fn add_question(&mut self) {
        let language = self.visit.language;
        let question = self.visit.seat().map(|(_, seat)| seat.question(language));
        if let Some(question) = question {
            self.add("ask", &question);
        }
    }

    fn add(&mut self, name: &str, data: &Value) {
        let id = self.position.to_string();
        // One line: JSON has no line ends between its tokens.
        let event = Event::default().event(name).id(id).data(data.to_string());
        self.ready.push_back(event);
    }

    /// Adds those entities that are new or have changed.
    fn add_entities(&mut self, entities: BTreeMap<u32, Value>) {
        let changed: Vec<_> = entities
            .iter()
            .filter(|(id, entity)| self.entities.get(id) != Some(entity))
            .map(|(_, entity)| entity.clone())
            .collect();
        self.entities = entities;
        if !changed.is_empty() {
            self.add("entities", &json!(changed));
        }
    }

    /// Adds a part of an answer, and those that follow it already.
    fn add_deltas(&mut self, first: Result<AnswerDelta, RecvError>) {
        let mut next = match first {
            Ok(delta) => Ok(delta),
            Err(RecvError::Lagged(_)) => return self.whole_answers(),
            Err(RecvError::Closed) => return self.is_over = true,
        };
        loop {
            match next {
                // Whose end was told is in the story already.
                Ok(AnswerDelta { call, .. }) if !self.is_open(call) => {}
                Ok(AnswerDelta { call, text }) => {
                    let delta = match text {
                        Some(text) => json!({"call": call, "text": &*text}),
                        None => json!({"call": call, "retract": true}),
                    };
                    self.add("delta", &delta);
                }
                Err(TryRecvError::Lagged(_)) => return self.whole_answers(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
            next = self.deltas.try_recv();
        }
    }

    /// Whether a call has no outcome yet.
    fn is_open(&self, call: u32) -> bool {
        let view = &self.visit.story.view;
        let contents = view.read();
        let call = contents.calls.get(call as usize);
        call.is_some_and(|call| !matches!(call.state, CallState::Done | CallState::Dropped))
    }

    /// Adds the answers that are being written, so far.
    fn whole_answers(&mut self) {
        let visit = self.visit.clone();
        let reader = visit.reader();
        if !reader.is_host() {
            return;
        }
        // Deltas are sent while the view is locked: none of these comes again.
        let contents = reader.view.read();
        self.deltas = reader.view.deltas();
        let whole: Vec<_> = contents
            .open_text
            .iter()
            .map(|(call, text)| json!({"call": call, "text": text, "whole": true}))
            .collect();
        drop(contents);
        for delta in whole {
            self.add("delta", &delta);
        }
    }
}
