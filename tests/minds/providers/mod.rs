//! Each provider's interface, played by a server on loopback, with its faults.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic and look at the clock"
)]

mod anthropic;
mod dashscope;
mod everybody;
mod gemini;
mod ollama;

use crate::question::Question;
use playhouse::mind::Completion;

/// The four figures of a completion's usage: input, output, cached, reasoning.
fn figures(completion: &Completion) -> [u64; 4] {
    let usage = completion.usage.unwrap();
    [usage.input, usage.output, usage.cached, usage.reasoning]
}
