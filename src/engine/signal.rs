//! What a run says about itself while it goes on, and how to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::event::By;

/// News of the run, for progress displays and logs. Never reaches the world.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A mind was asked.
    CallStarted {
        /// Who.
        entity: Arc<str>,
        /// What for.
        purpose: &'static str,
        /// The mind's alias.
        mind: String,
    },
    /// A mind called a tool.
    ToolCalled {
        /// Who.
        entity: Arc<str>,
        /// What for.
        purpose: &'static str,
        /// The tool, by the name that minds know.
        tool: String,
    },
    /// An ask has its outcome.
    CallEnded {
        /// Who.
        entity: Arc<str>,
        /// What for.
        purpose: &'static str,
        /// Who made the answer.
        by: By,
        /// How long its calls took.
        latency: Duration,
    },
    /// Four fifths of a cap are spent.
    CapNear(String),
}

/// Stops a run between commits. Clones pull the same brake.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<(AtomicBool, Notify)>);

impl CancellationToken {
    /// Stops the run: no call starts after this; calls under way are given up.
    pub fn pull(&self) {
        self.0.0.store(true, Ordering::SeqCst);
        self.0.1.notify_waiters();
        self.0.1.notify_one();
    }

    /// Whether it was pulled.
    pub fn is_pulled(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }

    /// Waits until it is pulled.
    pub async fn pulled(&self) {
        while !self.is_pulled() {
            self.0.1.notified().await;
        }
    }
}
