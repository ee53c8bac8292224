//! Who is thinking, and for how long: a line on a terminal's standard error that comes and goes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use playhouse::engine::Signal;
use playhouse::event::By;

use super::output::{cells, clean};
use super::words::Words;

/// Signs that turn while somebody thinks.
const SPINNER: [char; 4] = ['|', '/', '-', '\\'];
/// Calls that are quicker are not shown.
const WORTH_SHOWING: Duration = Duration::from_millis(400);
/// The time between two pictures of the line.
const BEAT: Duration = Duration::from_millis(120);

/// A line at the bottom of a terminal. Clones are the same line. Off a terminal it does nothing.
#[derive(Clone, Default)]
pub(crate) struct StatusLine(Option<Arc<Mutex<Drawn>>>);

struct Drawn {
    out: Box<dyn Write + Send>,
    width: usize,
    stands: bool,
}

impl StatusLine {
    /// A line on a terminal.
    pub(crate) fn on(out: impl Write + Send + 'static, width: usize) -> Self {
        Self(Some(Arc::new(Mutex::new(Drawn {
            out: Box::new(out),
            width,
            stands: false,
        }))))
    }

    /// Takes the line away, so that other text can stand there.
    pub(crate) fn wipe(&self) {
        self.with(|drawn| {
            if std::mem::take(&mut drawn.stands) {
                let _ = write!(drawn.out, "\r\x1b[K").and_then(|()| drawn.out.flush());
            }
        });
    }

    /// Whether there is a terminal that shows it.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Shows this text in the place of the last one.
    pub(crate) fn draw(&self, text: &str) {
        self.with(|drawn| {
            let text = cut(&clean(text), drawn.width.saturating_sub(1));
            // A line that can't be drawn is no loss.
            let _ = write!(drawn.out, "\r{text}\x1b[K").and_then(|()| drawn.out.flush());
            drawn.stands = true;
        });
    }

    fn with(&self, act: impl FnOnce(&mut Drawn)) {
        if let Some(drawn) = &self.0 {
            act(&mut lock(drawn));
        }
    }
}

/// Standard error for logs: whatever is written there first wipes the status line away.
#[derive(Clone)]
pub(crate) struct LogOutput(pub(crate) StatusLine);

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.wipe();
        io::stderr().lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// The calls under way, as the signals of a run tell of them.
#[derive(Clone)]
pub(crate) struct Progress {
    line: StatusLine,
    words: Words,
    calls: Arc<Mutex<BTreeMap<Arc<str>, Call>>>,
}

struct Call {
    purpose: &'static str,
    mind: String,
    since: Instant,
}

impl Progress {
    /// Nothing under way.
    pub(crate) fn new(line: StatusLine, words: Words) -> Self {
        Self {
            line,
            words,
            calls: Arc::default(),
        }
    }

    /// Takes note of a signal.
    pub(crate) fn note(&self, signal: Signal) {
        match signal {
            Signal::CallStarted {
                entity,
                purpose,
                mind,
            } => {
                tracing::debug!(%entity, purpose, mind, "call started");
                let since = now();
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
            } => {
                let ms = latency.as_millis() as u64;
                // A story marks such answers itself, where they are shown.
                match &by {
                    By::Fallback(reason) => {
                        tracing::info!(%entity, purpose, ms, reason, "the rules answered");
                    }
                    _ => tracing::info!(%entity, purpose, ms, ?by, "answered"),
                }
                lock(&self.calls).remove(&entity);
            }
            Signal::ToolCalled {
                entity,
                purpose,
                tool,
            } => tracing::info!(%entity, purpose, tool, "a tool is called"),
            Signal::LimitNear(what) => {
                let what = what.in_language(self.words.0);
                tracing::warn!("{}", self.words.cap_near(&what));
            }
        }
    }

    /// Draws the line again and again.
    pub(crate) async fn keep_drawing(self) {
        if self.line.0.is_none() {
            return;
        }
        let mut beats = tokio::time::interval(BEAT);
        for sign in SPINNER.into_iter().cycle() {
            beats.tick().await;
            match self.text(sign, now()) {
                Some(text) => self.line.draw(&text),
                None => self.line.wipe(),
            }
        }
    }

    /// The line: the longest thinker, and how many others think. Nothing while a person is asked on
    /// this very terminal.
    fn text(&self, sign: char, now: Instant) -> Option<String> {
        let calls = lock(&self.calls);
        if calls
            .values()
            .any(|call| call.mind == playhouse::mind::human::ALIAS)
        {
            return None;
        }
        let (who, call) = calls.iter().min_by_key(|(_, call)| call.since)?;
        let elapsed = now.saturating_duration_since(call.since);
        if elapsed < WORTH_SHOWING {
            return None;
        }
        let (purpose, seconds) = (call.purpose, elapsed.as_secs_f64());
        let mut text = format!("{sign} {}", self.words.thinking(who, purpose, seconds));
        if calls.len() > 1 {
            text.push_str(&self.words.waiting(calls.len() - 1));
        }
        Some(text)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now() -> Instant {
    #[expect(
        clippy::disallowed_methods,
        reason = "people are told how long a call takes"
    )]
    Instant::now()
}

/// As much of a text as fits into a row.
fn cut(text: &str, width: usize) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        let longer = cells(&out) + cells(letter.encode_utf8(&mut [0; 4]));
        if longer > width {
            break;
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse::mind::Language;

    fn started(entity: &str, mind: &str) -> Signal {
        Signal::CallStarted {
            entity: entity.into(),
            purpose: "home.plan",
            mind: mind.into(),
        }
    }

    #[test]
    fn the_longest_thinker_is_named() {
        let progress = Progress::new(StatusLine::default(), Words(Language::Zh));
        progress.note(started("米拉", "m"));
        progress.note(started("托宾", "m"));
        assert_eq!(progress.text('|', now()), None);
        let later = now() + Duration::from_secs(3);
        let text = progress.text('|', later).unwrap();
        assert!(text.starts_with("| 米拉正在思考（home.plan）3."), "{text}");
        assert!(text.ends_with("另有 1 个"), "{text}");
        progress.note(started("你", playhouse::mind::human::ALIAS));
        assert_eq!(progress.text('|', later), None);
    }

    #[test]
    fn a_row_is_cut_by_cells() {
        assert_eq!(cut("米拉在想", 5), "米拉");
        assert_eq!(cut("abc", 5), "abc");
    }
}
