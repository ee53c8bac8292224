//! A team's conversation on standard output, while it goes on.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use playhouse::engine::{CancellationToken, Engine};
use playhouse::event::{Feed, Record};
use playhouse::groupchat::team::TeamFile;
use playhouse::groupchat::{Retracted, StreamEvent, StreamMerger, TeamMessage, TeamStreamEvent};
use serde_json::{Value, json};

use super::app::App;
use super::args::ChatForm;
use super::dialogue::Dialogue;
use super::env::time_of_day;
use super::output::Page;

/// Shows a conversation: messages as they are told, and pieces as they are written. Clones show the same.
#[derive(Clone)]
pub(crate) struct Screen(Arc<Mutex<Shown>>);

struct Shown {
    /// The outermost team.
    team: String,
    live: StreamMerger,
    dialogue: Dialogue,
    page: Arc<Mutex<Page>>,
    json: bool,
    brake: CancellationToken,
}

impl Screen {
    /// Shows what an engine tells of a team, what is said out of hearing included; nothing where nothing is to
    /// be shown.
    pub(crate) fn of(
        app: &App,
        engine: &mut Engine,
        team: &TeamFile,
        form: ChatForm,
    ) -> Option<Self> {
        if app.settings.quiet {
            return None;
        }
        let screen = Self(Arc::new(Mutex::new(Shown {
            team: team.name.clone(),
            live: StreamMerger::new(team.clone(), engine.watch()),
            dialogue: Dialogue::new(form, app.words),
            page: app.shared_out(),
            json: app.settings.json,
            brake: engine.cancellation_token(),
        })));
        let told = screen.clone();
        engine.add_feed(Feed::observer(move |record| told.lock().record(record)));
        Some(screen)
    }

    /// Shows pieces as they come, as long as any may come.
    pub(crate) async fn show_pieces(self) {
        poll_fn(|cx| self.lock().poll(cx)).await;
    }

    /// Writes the end of the conversation.
    pub(crate) fn end(&self, stop: Option<&str>, seconds: f64) {
        let shown = &mut *self.lock();
        let mut page = shown.page.lock().unwrap_or_else(PoisonError::into_inner);
        page.raw(&shown.dialogue.end(stop, seconds));
        page.flush();
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shown {
    fn record(&mut self, record: &Record) {
        let news = self.live.record(record);
        self.show(news);
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(news) = self.live.poll(cx) {
            let Some(news) = news else {
                return Poll::Ready(());
            };
            self.show(news);
        }
        Poll::Pending
    }

    fn show(&mut self, all: Vec<TeamStreamEvent>) {
        if all.is_empty() {
            return;
        }
        let page = self.page.clone();
        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
        for TeamStreamEvent { event, .. } in all {
            match (event, self.json) {
                (StreamEvent::Shown(_), _) => {}
                (StreamEvent::Preview(heard) | StreamEvent::Message(heard), true) => {
                    page.json(&self.as_json(&heard))
                }
                (StreamEvent::Preview(heard) | StreamEvent::Message(heard), false) => {
                    page.raw(&self.dialogue.message(&heard, &time_of_day()));
                }
                (StreamEvent::Retracted(dropped), true) => {
                    page.json(&self.dropped_as_json(&dropped))
                }
                (StreamEvent::Retracted(dropped), false) => {
                    page.raw(&self.dialogue.dropped(&dropped.full_message_id));
                }
            }
        }
        page.flush();
        if page.is_lost() {
            self.brake.cancel();
        }
    }

    /// A message as a line for programs; of one that was said out of hearing, `inside` is the path of its team.
    fn as_json(&self, heard: &TeamMessage) -> Value {
        match heard.inside.as_str() {
            "" => json!({"team": self.team, "message": heard.message}),
            inside => json!({"team": self.team, "inside": inside, "message": heard.message}),
        }
    }

    fn dropped_as_json(&self, dropped: &Retracted) -> Value {
        json!({"team": self.team, "dropped": dropped})
    }
}
