//! The answers that a conversation takes.

use bevy_ecs::system::SystemParam;
use playhouse_engine::exchange::{Answers, Prose};

use super::ledger::{Analysis, Progress};
use super::pick::Pick;
use super::replies::{Approval, MessageReply, Say, StructuredReply, TextReply};
use super::user_input::{ControlMessage, UserInput};

/// The answers that a conversation takes, by type.
#[derive(SystemParam)]
pub(super) struct ChatAnswers<'w, 's> {
    pub(super) user_inputs: Answers<'w, 's, UserInput>,
    pub(super) controls: Answers<'w, 's, ControlMessage>,
    pub(super) picks: Answers<'w, 's, Pick>,
    pub(super) texts: Answers<'w, 's, TextReply>,
    pub(super) structured: Answers<'w, 's, StructuredReply>,
    pub(super) messages: Answers<'w, 's, MessageReply>,
    pub(super) says: Answers<'w, 's, Say>,
    pub(super) approvals: Answers<'w, 's, Approval>,
    pub(super) analyses: Answers<'w, 's, Analysis>,
    pub(super) progress: Answers<'w, 's, Progress>,
    pub(super) conclusions: Answers<'w, 's, Prose>,
}
