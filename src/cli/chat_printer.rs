//! A team's conversation on standard output, while it takes place.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use crate::engine::{CancellationToken, Engine};
use crate::event::{Feed, Record};
use crate::groupchat::team::TeamFile;
use crate::groupchat::{Retracted, StreamEvent, StreamMerger, TeamMessage, TeamStreamEvent};
use serde_json::{Value, json};

use super::app::App;
use super::args::ChatFormat;
use super::env::time_of_day;
use super::output::Output;
use super::transcript::Transcript;

/// Prints messages when they are complete, or chunk by chunk. Clones print the same conversation.
#[derive(Clone)]
pub(crate) struct ChatPrinter(Arc<Mutex<State>>);

struct State {
    /// The outermost team.
    team: String,
    stream: StreamMerger,
    transcript: Transcript,
    out: Arc<Mutex<Output>>,
    json: bool,
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
            stream: StreamMerger::new(team.clone(), engine.watch()),
            transcript: Transcript::new(form, app.language),
            out: app.shared_out(),
            json: app.settings.json,
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

    /// Prints the end of the conversation.
    pub(crate) fn end(&self, reason: Option<&str>, seconds: f64) {
        let state = &mut *self.lock();
        let mut out = state.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.raw(&state.transcript.end(reason, seconds));
        out.flush();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn record(&mut self, record: &Record) {
        let events = self.stream.record(record);
        self.print(events);
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(events) = self.stream.poll(cx) {
            let Some(events) = events else {
                return Poll::Ready(());
            };
            self.print(events);
        }
        Poll::Pending
    }

    fn print(&mut self, events: Vec<TeamStreamEvent>) {
        if events.is_empty() {
            return;
        }
        let out = self.out.clone();
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        for TeamStreamEvent { event, .. } in events {
            match (event, self.json) {
                (StreamEvent::Shown(_), _) => {}
                (StreamEvent::Preview(message) | StreamEvent::Message(message), true) => {
                    out.json(&self.message_json(&message));
                }
                (StreamEvent::Preview(message) | StreamEvent::Message(message), false) => {
                    out.raw(&self.transcript.message(&message, &time_of_day()));
                }
                (StreamEvent::Retracted(retracted), true) => {
                    out.json(&self.retracted_json(&retracted));
                }
                (StreamEvent::Retracted(retracted), false) => {
                    out.raw(&self.transcript.retract(&retracted.full_message_id));
                }
            }
        }
        out.flush();
        if out.is_lost() {
            self.token.cancel();
        }
    }

    /// A message for programs; `team_path` is the path of the team that is a tool.
    fn message_json(&self, heard: &TeamMessage) -> Value {
        match heard.team_path.as_str() {
            "" => json!({"team": self.team, "message": heard.message}),
            team_path => {
                json!({"team": self.team, "team_path": team_path, "message": heard.message})
            }
        }
    }

    fn retracted_json(&self, retracted: &Retracted) -> Value {
        json!({"team": self.team, "dropped": retracted})
    }
}
