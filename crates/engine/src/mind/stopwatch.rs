//! The clock of the computer.

use std::time::Instant;

/// Milliseconds since it was made. What a world learns of it must be recorded like an answer.
pub fn stopwatch() -> impl Fn() -> u64 + Send + Sync {
    let start = now();
    move || now().duration_since(start).as_millis() as u64
}

#[expect(
    clippy::disallowed_methods,
    reason = "what a world learns of it is recorded"
)]
fn now() -> Instant {
    Instant::now()
}
