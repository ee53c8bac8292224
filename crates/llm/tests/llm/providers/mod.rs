//! Each provider's interface, played by a server on loopback, with its faults.
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

use crate::has;
use crate::openai::{Script, Server};
use crate::question::Question;
use playhouse_engine::mind::{Completion, FinishReason, MindError};

/// The four figures of a completion's usage: input, output, cached, reasoning.
fn figures(completion: &Completion) -> [u64; 4] {
    let usage = completion.usage.unwrap();
    [usage.input, usage.output, usage.cached, usage.reasoning]
}

/// The ids and the arguments of an answer's calls.
fn called(completion: &Completion) -> Vec<(&str, &str)> {
    let calls = completion.calls.iter();
    calls.map(|call| (&*call.id, &*call.arguments)).collect()
}

/// What becomes of a question that a server first answers with an error, and then with “Yes.”.
#[derive(Debug)]
enum Becomes {
    /// The key or the account is refused.
    Denied,
    /// The window is told.
    TooLong(u64),
    Filtered,
    Error(&'static str),
    /// The answer, after so many attempts more.
    Yes(u32),
}

async fn assert_becomes(settings: &str, answers: [Script; 2], wanted: Becomes) {
    let server = Server::start(answers).await;
    let answered = Question::default().answered(&*server.mind(settings)).await;
    let is_so = match (&answered, &wanted) {
        (Err(MindError::Denied { .. }), Becomes::Denied) => true,
        (Err(MindError::PromptTooLong { window, .. }), Becomes::TooLong(told)) => {
            *window == Some(*told)
        }
        (Ok(cut), Becomes::Filtered) => cut.finish == FinishReason::ContentFilter,
        (Err(error), Becomes::Error(words)) => error.to_string().contains(words),
        (Ok(yes), Becomes::Yes(retries)) => yes.text == "Yes." && yes.retries == *retries,
        _ => false,
    };
    assert!(is_so, "{wanted:?}: {answered:?}");
}
