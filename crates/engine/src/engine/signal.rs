//! What a run reports while it is running, and how to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::gate::AnswerInReview;
use crate::event::AnsweredBy;
use crate::exchange::Spent;
use crate::locale::{Argument, UiText, text};

/// News of the run, for progress displays and logs. Never reaches the world.
#[derive(Clone, Debug)]
pub enum Signal {
    CallStarted {
        entity: Arc<str>,
        /// The number of the ask among those of the entity, from 1.
        number: u32,
        purpose: &'static str,
        mind: String,
    },
    ToolCalled {
        entity: Arc<str>,
        /// The number of the ask among those of the entity, from 1.
        number: u32,
        purpose: &'static str,
        /// The tool, by the name that minds know.
        tool: String,
    },
    /// An ask has its outcome.
    CallEnded {
        entity: Arc<str>,
        /// The number of the ask among those of the entity, from 1.
        number: u32,
        purpose: &'static str,
        by: AnsweredBy,
        /// How long its calls took.
        latency: Duration,
        spent: Spent,
    },
    /// An answer waits for the decision of the [`CallGate`](super::CallGate).
    AnswerHeld {
        entity: Arc<str>,
        /// The number of the ask among those of the entity, from 1.
        number: u32,
        /// The answer, and what is wrong with it if a person wrote it.
        answer: AnswerInReview,
    },
    /// Whether calls wait until the [`CallGate`](super::CallGate) lets them begin.
    CallsWait(bool),
    /// A server can't answer now and is waited for; other models go on.
    ServerAwaited {
        mind: String,
        /// Whose asks wait for it.
        entities: Vec<Arc<str>>,
        reason: UiText,
        /// The time until the next attempt.
        pause: Duration,
        /// How long it is waited for at most.
        patience: Duration,
        /// Whether it is the first that is waited for.
        is_first: bool,
    },
    /// A server that was waited for answers again.
    ServerBack { mind: String },
    /// The server of a model reads far less than it is sent. Sent once for a model.
    PromptsUnread {
        mind: String,
        /// The tokens of the last prompt that it read.
        read: u64,
        /// About how many it was sent.
        sent: u64,
    },
    /// Four fifths of a limit are spent.
    LimitNear(UiText),
    /// No vectors can be had, for this reason; recall continues by words alone. Sent once.
    RecallByWords(UiText),
}

impl Signal {
    /// What the host is told, if it is of concern.
    pub fn notice(&self) -> Option<UiText> {
        Some(match self {
            Self::ServerAwaited {
                mind,
                entities,
                reason,
                pause,
                patience,
                is_first: true,
            } => text!(
                engine_awaited,
                mind = mind.as_str(),
                entities = Argument::list(entities.iter().map(|name| &**name)),
                reason,
                pause = pause.as_secs(),
                patience = patience.as_secs()
            ),
            Self::ServerBack { mind } => text!(engine_answers_again, mind = mind.as_str()),
            Self::PromptsUnread { mind, read, sent } => {
                text!(engine_prompts_unread, mind = mind.as_str(), read, sent)
            }
            Self::LimitNear(what) => text!(engine_limit_near, what),
            Self::RecallByWords(reason) => text!(engine_recall_by_words, reason),
            _ => return None,
        })
    }
}

/// Stops a run between commits. Clones stop the same run.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<(AtomicBool, Notify)>);

impl CancellationToken {
    /// Stops the run: no call starts after this; running calls are dropped.
    pub fn cancel(&self) {
        self.0.0.store(true, Ordering::SeqCst);
        self.0.1.notify_waiters();
        self.0.1.notify_one();
    }

    /// Whether the run is being stopped.
    pub fn is_cancelled(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }

    /// Waits until the run is being stopped.
    pub async fn cancelled(&self) {
        while !self.is_cancelled() {
            self.0.1.notified().await;
        }
    }
}
