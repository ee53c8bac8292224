//! How long a call may take and how slow its answer may be.

use std::time::{Duration, Instant};

use playhouse_engine::mind::Awaited;

use super::settings::{Timeouts, seconds};

#[expect(
    clippy::disallowed_methods,
    reason = "latencies and deadlines never reach the world"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// The deadline of a call, with all its attempts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    began: Instant,
    whole: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wait {
    /// How long it may be.
    pub(super) time: Duration,
    /// How long the server has taken then, and for what.
    pub(super) limit: Duration,
    pub(super) awaited: Awaited,
}

impl Deadline {
    /// The deadline of a call that begins now.
    pub(super) fn new(timeouts: &Timeouts) -> Self {
        Self {
            began: now(),
            whole: seconds(timeouts.whole),
        }
    }

    pub(super) fn remaining(&self) -> Duration {
        self.whole.saturating_sub(self.began.elapsed())
    }

    /// A wait of at most this many seconds that ends with the call.
    pub(super) fn wait(&self, longest: f64, awaited: Awaited) -> Wait {
        let (longest, remaining) = (seconds(longest), self.remaining());
        if longest < remaining {
            Wait {
                time: longest,
                limit: longest,
                awaited,
            }
        } else {
            Wait {
                time: remaining,
                limit: self.whole,
                awaited: Awaited::WholeAnswer,
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    min: f64,
    /// Over how long it is measured.
    window: Duration,
    began: Instant,
    received: usize,
}

impl Rate {
    /// The rate of an answer that begins now.
    pub(super) fn new(timeouts: &Timeouts) -> Self {
        Self {
            min: timeouts.min_rate,
            window: seconds(timeouts.between_bytes),
            began: now(),
            received: 0,
        }
    }

    /// Counts bytes that arrived. Returns how long they took if that was too long.
    pub(super) fn too_slow_after(&mut self, received: usize) -> Option<Duration> {
        self.received = self.received.saturating_add(received);
        let took = self.began.elapsed();
        if took < self.window {
            return None;
        }
        let is_slow = (self.received as f64) < self.min * took.as_secs_f64();
        (self.began, self.received) = (now(), 0);
        is_slow.then_some(took)
    }
}
