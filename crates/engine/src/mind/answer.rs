//! What every mind does.

use std::pin::Pin;

use super::completion::{Completion, FailedCall};
use super::info::MindInfo;
use super::prompt::Prompt;
use bytes::Bytes;

/// The future of an answer. It owns everything it needs.
pub type Answering = Pin<Box<dyn Future<Output = Result<Completion, FailedCall>> + Send + 'static>>;

/// Answers asks: a model, a person, a script. To systems they are all the same.
pub trait Mind: Send + Sync {
    /// What is known about this mind before it is asked.
    fn info(&self) -> &MindInfo;

    /// Starts answering. The prompt is read before this returns. Retries happen inside the future
    /// and are bounded. If the prompt has a [`stream`](Prompt::stream), the future sends the answer
    /// there while it is written, and nothing once it is dropped.
    fn answer(&self, prompt: &Prompt<'_>) -> Answering;

    /// The body of the request that it sends for this prompt; `None` if it sends none.
    fn request(&self, _prompt: &Prompt<'_>) -> Option<Bytes> {
        None
    }
}
