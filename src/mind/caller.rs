//! No mind at all: calls of tools that code chose.

use super::{Answering, Completion, Mind, MindInfo, Prompt};
use crate::tool::ToolCall;

/// Answers an ask with the calls that its system chose, so that they run, and are recorded, as
/// those of a mind are.
pub(crate) struct Caller {
    info: MindInfo,
    calls: Vec<ToolCall>,
}

impl Caller {
    /// Whoever makes these calls.
    pub(crate) fn new(calls: Vec<ToolCall>) -> Self {
        Self {
            info: MindInfo::unmetered("code"),
            calls,
        }
    }
}

impl Mind for Caller {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, _prompt: &Prompt<'_>) -> Answering {
        let said = Completion::calling("code", self.calls.iter().cloned());
        Box::pin(std::future::ready(Ok(said)))
    }
}
