//! A team's conversation on standard output, while it takes place.

use crate::cli::prelude::*;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use crate::engine::{CancellationToken, Engine};
use crate::event::{Feed, Record};
use crate::groupchat::message::ChatContent;
use crate::groupchat::team::TeamFile;
use crate::groupchat::{Retracted, StreamEvent, StreamMerger, TeamMessage, TeamStreamEvent};
use crate::message::{BodyId, TokenUsage};

use super::args::ChatFormat;
use super::transcript::Transcript;

/// Prints messages when they are complete, or chunk by chunk. Clones print the same conversation.
#[derive(Clone)]
pub(crate) struct ChatPrinter(Arc<Mutex<State>>);

struct State {
    team: String,
    stream: StreamMerger,
    transcript: Transcript,
    out: Arc<Mutex<Output>>,
    json: bool,
    /// Whether messages have the IDs of their events, as `why` takes them.
    shows_ids: bool,
    token: CancellationToken,
}

impl ChatPrinter {
    /// Prints what a team of this engine says, and what is said in teams that are tools. `None` if
    /// nothing is to be printed.
    pub(crate) fn new(
        app: &App,
        engine: &mut Engine,
        team: &TeamFile,
        form: ChatFormat,
    ) -> Option<Self> {
        if app.settings.quiet {
            return None;
        }
        let printer = Self(Arc::new(Mutex::new(State {
            team: team.name.clone(),
            stream: StreamMerger::new(team.clone(), engine),
            transcript: Transcript::new(form, app.language),
            out: app.shared_out(),
            json: app.settings.json,
            shows_ids: app.settings.ids,
            token: engine.cancellation_token(),
        })));
        let fed = printer.clone();
        engine.add_feed(Feed::observer(move |record| fed.lock().record(record)));
        Some(printer)
    }

    /// Prints chunks as they come, as long as any may come.
    pub(crate) async fn print_chunks(self) {
        poll_fn(|cx| self.lock().poll(cx)).await;
    }

    /// Prints the end of the conversation, with the tokens of all calls.
    pub(crate) fn end(&self, reason: Option<&str>, usage: TokenUsage, seconds: f64) {
        let state = &mut *self.lock();
        let mut out = lock(&state.out);
        out.raw(&state.transcript.end(reason, usage, seconds));
        out.flush();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    fn record(&mut self, record: &Record) {
        let events = self.stream.record(record);
        let id = match record {
            Record::Event(event) if self.shows_ids => Some(event.id),
            _ => None,
        };
        self.print(events, id);
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(events) = self.stream.poll(cx) {
            let Some(events) = events else {
                return Poll::Ready(());
            };
            self.print(events, None);
        }
        Poll::Pending
    }

    fn print(&mut self, events: Vec<TeamStreamEvent>, id: Option<BodyId>) {
        if events.is_empty() {
            return;
        }
        let out = self.out.clone();
        let mut out = lock(&out);
        for TeamStreamEvent { event, .. } in events {
            let (message, id) = match event {
                StreamEvent::Retracted(retracted) => {
                    if self.json {
                        out.json(&self.retracted_json(&retracted));
                    } else {
                        out.raw(&self.transcript.retract(&retracted.full_message_id));
                    }
                    continue;
                }
                // What was shown before had no ID yet, so it was left out if IDs are shown.
                StreamEvent::Shown(_) if !self.shows_ids => continue,
                StreamEvent::Preview(message) if self.shows_ids && !is_chunk(&message) => continue,
                StreamEvent::Preview(message) => (message, None),
                StreamEvent::Message(message) | StreamEvent::Shown(message) => (message, id),
            };
            if self.json {
                out.json(&self.message_json(&message, id));
            } else {
                out.raw(&self.transcript.message(&message, id));
            }
        }
        out.flush();
        if out.is_lost() {
            self.token.cancel();
        }
    }

    /// A message for programs; `team_path` is the path of the team that is a tool, `event` the ID
    /// of the event.
    fn message_json(&self, heard: &TeamMessage, id: Option<BodyId>) -> Value {
        json!(Printed::Message {
            team: &self.team,
            team_path: &heard.team_path,
            event: id.map(|id| id.to_string()),
            message: &heard.message,
        })
    }

    fn retracted_json(&self, retracted: &Retracted) -> Value {
        json!(Printed::Dropped {
            team: &self.team,
            dropped: retracted,
        })
    }
}

fn is_chunk(heard: &TeamMessage) -> bool {
    matches!(heard.message.content, ChatContent::StreamingChunk { .. })
}
