//! Tool calls and their results.

use crate::message::Body;

/// Tools that a mind called while it answered, and what they returned.
#[derive(Clone, Debug)]
pub struct ToolRound {
    /// The mind's message: its reasoning and text, if any, and its tool-use blocks.
    pub called: Body,
    /// The tool message: one tool-result block for each call, in the order of the calls.
    pub returned: Body,
}
