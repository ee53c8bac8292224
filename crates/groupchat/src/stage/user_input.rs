//! What comes from outside the team: the user's input, and control of a run.

use playhouse_engine::exchange::{Reply, Violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{ChatMessage, MessageFactory};

use super::replies::MessageFault;

/// The name of the entity that controls a run from outside.
pub const CONTROLLER: &str = "(controller)";

/// The user's input: a task as text, or this struct as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserInput {
    /// Text of the user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Messages from anybody.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Value>")]
    pub messages: Vec<ChatMessage>,
    /// Whether everybody forgets the conversation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
    /// Whether the conversation continues without a new task.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
}

impl UserInput {
    pub fn task(text: impl Into<String>) -> Self {
        Self {
            words: text.into(),
            ..Self::default()
        }
    }

    /// The conversation continues without a new task.
    pub fn continue_run() -> Self {
        Self {
            continues: true,
            ..Self::default()
        }
    }

    /// The messages of a task, in order.
    pub(crate) fn into_messages(self, user: &str) -> Vec<ChatMessage> {
        let text = Some(self.words)
            .filter(|text| !text.trim().is_empty())
            .map(|text| ChatMessage::text(user, text));
        text.into_iter().chain(self.messages).collect()
    }

    /// The input as an answer: plain text as it is, anything else as JSON.
    pub(crate) fn to_answer(&self) -> String {
        if self.words.is_empty() || self.words.trim_start().starts_with('{') {
            serde_json::to_string(self).unwrap_or_default()
        } else {
            self.words.clone()
        }
    }
}

impl Reply for UserInput {
    type Constraints = MessageFactory;
    const NAME: &'static str = "order";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        let raw = raw.trim();
        if !raw.starts_with('{') {
            return Ok(Self::task(raw));
        }
        serde_json::from_str(raw).map_err(|error| vec![MessageFault::Order((&error).into()).at("")])
    }

    fn check(&self, factory: &MessageFactory) -> Vec<Violation> {
        let messages = self.messages.iter().enumerate();
        let violations = messages.filter_map(|(index, message)| {
            let error = factory.create(message.dump()).err()?;
            Some(MessageFault::from(error).at(format!("messages[{index}]")))
        });
        violations.collect()
    }

    fn to_text(&self) -> String {
        self.to_answer()
    }
}

/// What happened outside since the controller was last asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ControlMessage {
    /// Whether to end the run.
    pub(crate) stop: bool,
    /// Milliseconds since the controller was last asked in this run, or since it began.
    pub(crate) elapsed_ms: u64,
    /// Participants that join.
    pub(crate) join: Vec<String>,
    /// Participants that leave.
    pub(crate) leave: Vec<String>,
    /// Messages to everybody.
    #[schemars(with = "Vec<Value>")]
    pub(crate) say: Vec<ChatMessage>,
}

impl Reply for ControlMessage {
    type Constraints = ();
    const NAME: &'static str = "bell";
}

/// Says that a participant who left the team is not heard.
pub(crate) fn warn_absent(name: &str) {
    tracing::warn!("'{name}' is not heard: it has left the team, or has not joined it");
}
