//! Who is thinking, and for how long.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::engine::Signal;
use crate::event::AnsweredBy;
use crate::message::TokenUsage;

use super::env::clock;
use super::labels::purpose_label;
use super::status_line::StatusLine;

/// Shorter calls are not shown.
const SHORTEST: Duration = Duration::from_millis(400);
/// The time between two updates of the status line.
const INTERVAL: Duration = Duration::from_millis(120);

/// The calls in progress, by the signals of a run.
#[derive(Clone)]
pub(crate) struct Progress {
    line: StatusLine,
    language: Language,
    calls: Arc<Mutex<BTreeMap<Arc<str>, Call>>>,
    /// The models that are waited for, and when they are asked again.
    awaited: Arc<Mutex<BTreeMap<String, Instant>>>,
    err: Arc<Mutex<Output>>,
}

struct Call {
    purpose: &'static str,
    mind: String,
    since: Instant,
}

impl Progress {
    /// No call in progress.
    pub(crate) fn new(line: StatusLine, err: Arc<Mutex<Output>>, language: Language) -> Self {
        Self {
            line,
            language,
            calls: Arc::default(),
            awaited: Arc::default(),
            err,
        }
    }

    pub(crate) fn note(&self, signal: Signal) {
        if let Some(notice) = signal.notice() {
            let notice = notice.in_language(self.language);
            lock(&self.err).paragraph(&Paragraph::of(Style::Warn, notice));
        }
        match signal {
            Signal::CallStarted {
                entity,
                purpose,
                mind,
                ..
            } => {
                tracing::debug!(%entity, purpose, mind, "call started");
                let since = clock();
                let call = Call {
                    purpose,
                    mind,
                    since,
                };
                lock(&self.calls).insert(entity, call);
            }
            Signal::CallEnded {
                entity,
                purpose,
                by,
                latency,
                spent,
                ..
            } => {
                let (ms, calls) = (latency.as_millis() as u64, spent.calls);
                let TokenUsage {
                    input,
                    cached,
                    output,
                    ..
                } = spent.usage;
                // The story marks default answers where it shows them.
                if let AnsweredBy::Fallback(reason) = &by {
                    tracing::info!(%entity, purpose, ms, calls, input, cached, output, %reason, "default answer");
                } else {
                    tracing::info!(%entity, purpose, ms, calls, input, cached, output, ?by, "answered");
                }
                lock(&self.calls).remove(&entity);
            }
            Signal::ToolCalled {
                entity,
                purpose,
                tool,
                ..
            } => tracing::info!(%entity, purpose, tool, "tool called"),
            // The holder of the gate sees it where it is held.
            Signal::AnswerHeld { .. } | Signal::CallsWait(_) => {}
            // Their notices are all.
            Signal::LimitNear(_) | Signal::RecallByWords(_) | Signal::PromptsUnread { .. } => {}
            Signal::ServerAwaited { mind, pause, .. } => {
                lock(&self.awaited).insert(mind, clock() + pause);
            }
            Signal::ServerBack { mind } => drop(lock(&self.awaited).remove(&mind)),
        }
    }

    /// Keeps the status line up to date, forever.
    pub(crate) async fn keep_drawing(self) {
        if !self.line.has_terminal() {
            return;
        }
        let mut interval = tokio::time::interval(INTERVAL);
        loop {
            interval.tick().await;
            match self.text(clock()) {
                Some(text) => self.line.show(&text),
                None => self.line.hide(),
            }
        }
    }

    /// Who has been thinking longest, and how many others are thinking; or which server is waited
    /// for. `None` while a person is asked on the same terminal.
    fn text(&self, now: Instant) -> Option<String> {
        let calls = lock(&self.calls);
        let is_person = |call: &Call| call.mind == crate::mind::human::ALIAS;
        if calls.values().any(is_person) {
            return None;
        }
        if let Some((mind, until)) = lock(&self.awaited).first_key_value()
            && *until > now
        {
            let seconds = until.saturating_duration_since(now).as_secs() + 1;
            return Some(say!(self.language, cli_awaiting, mind, seconds));
        }
        let (who, call) = calls.iter().min_by_key(|(_, call)| call.since)?;
        let elapsed = now.saturating_duration_since(call.since);
        if elapsed < SHORTEST {
            return None;
        }
        let seconds = format!("{:.1}", elapsed.as_secs_f64());
        let purpose = purpose_label(call.purpose);
        let mut text = say!(self.language, cli_thinking, who = &**who, purpose, seconds);
        if calls.len() > 1 {
            text.push_str(&say!(self.language, cli_others, count = calls.len() - 1));
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::output;
    use super::*;

    fn started(entity: &str, mind: &str) -> Signal {
        Signal::CallStarted {
            entity: entity.into(),
            number: 1,
            purpose: "home.plan",
            mind: mind.into(),
        }
    }

    #[test]
    fn the_longest_thinker_is_named() {
        let err = Arc::new(Mutex::new(output(80).0));
        let progress = Progress::new(StatusLine::default(), err, Language::Zh);
        progress.note(started("米拉", "m"));
        progress.note(started("托宾", "m"));
        assert_eq!(progress.text(clock()), None);
        let later = clock() + Duration::from_secs(3);
        let text = progress.text(later).unwrap();
        assert!(text.starts_with("米拉正在思考（打算）3."), "{text}");
        assert!(text.ends_with("另有 1 个"), "{text}");
        progress.note(started("你", crate::mind::human::ALIAS));
        assert_eq!(progress.text(later), None);
    }
}
