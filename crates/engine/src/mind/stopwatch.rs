//! The clock of the computer.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since it was made. What a world learns of it must be recorded like an answer.
pub fn stopwatch() -> impl Fn() -> u64 + Send + Sync {
    let start = now();
    move || now().duration_since(start).as_millis() as u64
}

/// Milliseconds since 1970. What readers learn of it must be recorded with an answer.
pub fn unix_time() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "for people who read along")]
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as u64
}

#[expect(
    clippy::disallowed_methods,
    reason = "what a world learns of it is recorded"
)]
fn now() -> Instant {
    Instant::now()
}
