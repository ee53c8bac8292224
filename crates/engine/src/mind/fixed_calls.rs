//! Tool calls that a system chose instead of a mind.

use super::answer::{Answering, Mind};
use super::completion::Completion;
use super::info::MindInfo;
use super::prompt::Prompt;
use crate::tool::ToolCall;

/// Answers an ask with the calls that its system chose, so that they run and are recorded like
/// those of a mind.
pub(crate) struct FixedCalls {
    info: MindInfo,
    calls: Vec<ToolCall>,
}

impl FixedCalls {
    pub(crate) fn new(calls: Vec<ToolCall>) -> Self {
        Self {
            info: MindInfo::unmetered("code"),
            calls,
        }
    }
}

impl Mind for FixedCalls {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, _prompt: &Prompt<'_>) -> Answering {
        let completion = Completion::calling("code", self.calls.iter().cloned());
        Box::pin(std::future::ready(Ok(completion)))
    }
}
