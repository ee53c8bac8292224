//! Typed messages and events, in the JSON form of AutoGen AgentChat.
//!
//! A [`ChatMessage`] has a head (id, source, usage, metadata, time) and [`ChatContent`]. Chat
//! messages are what participants say to each other; events report what a participant did on the
//! way to a message. [`MessageFactory`] creates messages from JSON by `type`. Plain data: nothing
//! here knows a world.

mod factory;
mod json;
mod text;

pub use factory::{FactoryError, MessageFactory};
pub use json::MessageError;
pub(super) use text::{fill, value_text};

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use humantime::format_rfc3339_millis;
use playhouse_engine::message::TokenUsage;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The `created_at` of messages that were created outside any world, in RFC 3339.
pub(super) const EPOCH: &str = "1970-01-01T00:00:00Z";

/// How times begin that a world made, which has no clock.
const LOGICAL: &str = "1970-01-";

/// The tokens of the model calls behind a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestUsage {
    #[serde(default)]
    pub prompt_tokens: u64,
    #[serde(default)]
    pub completion_tokens: u64,
}

impl RequestUsage {
    /// Prompt and completion tokens together.
    pub fn total_tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

impl std::ops::AddAssign for RequestUsage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self
            .completion_tokens
            .saturating_add(other.completion_tokens);
    }
}

impl From<TokenUsage> for RequestUsage {
    fn from(usage: TokenUsage) -> Self {
        Self {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
        }
    }
}

/// A model's request to call a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Matches the call with its result.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON, unless it made a mistake.
    pub arguments: String,
}

/// What a tool returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionResult {
    /// The result as text, or the error message.
    pub content: String,
    /// The name of the tool.
    #[serde(default)]
    pub name: String,
    pub call_id: String,
    #[serde(default)]
    pub is_error: bool,
}

/// One item from a participant's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryItem {
    /// Text, or any JSON.
    pub content: Value,
    /// The MIME type of the content.
    #[serde(default = "plain_text")]
    pub mime_type: String,
    #[serde(default)]
    pub metadata: Option<Value>,
}

fn plain_text() -> String {
    "text/plain".into()
}

/// A fenced block of code in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeBlock {
    pub code: String,
    /// Its language, such as `python`.
    pub language: String,
}

/// The result of running code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeResult {
    /// The exit code; 0 means success.
    pub exit_code: i32,
    /// What the code printed.
    pub output: String,
}

/// A part of a multimodal message: text, or an image such as `{"data": "<base64>"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MultiModalPart {
    Text(String),
    /// An image or other media.
    Image(Value),
}

/// A value of any serde type, with the name of the type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Structured {
    pub content: Value,
    /// The name of the type, which is that of its schema; empty if unknown.
    #[serde(default, deserialize_with = "null_as_default")]
    pub content_type: String,
    /// How to format it for people, such as `{title}: {reward}`; JSON if absent.
    pub format_string: Option<String>,
}

impl Structured {
    /// A value with the name of its type.
    pub fn new<T: Serialize + JsonSchema>(content: &T) -> Result<Self, serde_json::Error> {
        Ok(Self {
            content: serde_json::to_value(content)?,
            content_type: T::schema_name().into_owned(),
            format_string: None,
        })
    }
}

/// What a message says, by type. The variants are named like the `type` member without its suffix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ChatContent {
    #[serde(rename = "TextMessage", with = "json::content_member")]
    Text(String),
    #[serde(rename = "MultiModalMessage", with = "json::content_member")]
    MultiModal(Vec<MultiModalPart>),
    /// A value of a serde type.
    #[serde(rename = "StructuredMessage")]
    Structured(Structured),
    /// Text that ends the conversation.
    #[serde(rename = "StopMessage", with = "json::content_member")]
    Stop(String),
    /// Hands the conversation over to another participant.
    #[serde(rename = "HandoffMessage")]
    Handoff {
        /// The text of the message. If it is empty, everybody is told a default text.
        #[serde(default, deserialize_with = "null_as_default")]
        content: String,
        target: String,
        /// What the target alone is told before it: messages, or any JSON.
        #[serde(default = "empty_list")]
        context: Value,
    },
    /// The results of tools, as a reply.
    #[serde(rename = "ToolCallSummaryMessage")]
    ToolCallSummary {
        content: String,
        #[serde(default, deserialize_with = "null_as_default")]
        tool_calls: Vec<FunctionCall>,
        #[serde(default, deserialize_with = "null_as_default")]
        results: Vec<FunctionResult>,
    },
    /// Event: a model calls tools.
    #[serde(rename = "ToolCallRequestEvent", with = "json::content_member")]
    ToolCallRequest(Vec<FunctionCall>),
    /// Event: the results of the tools.
    #[serde(rename = "ToolCallExecutionEvent", with = "json::content_member")]
    ToolCallExecution(Vec<FunctionResult>),
    /// Event: a chunk of a message that is still being written.
    #[serde(rename = "ModelClientStreamingChunkEvent")]
    StreamingChunk {
        /// The text of the chunk.
        content: String,
        /// The id of the whole message.
        full_message_id: Option<String>,
    },
    /// Event: the reasoning of a model.
    #[serde(rename = "ThoughtEvent", with = "json::content_member")]
    Thought(String),
    /// Event: what was added from a participant's memory.
    #[serde(rename = "MemoryQueryEvent", with = "json::content_member")]
    MemoryQuery(Vec<MemoryItem>),
    /// Event: a person is asked for input.
    #[serde(rename = "UserInputRequestedEvent")]
    UserInputRequested {
        /// Matches the request with the input.
        request_id: String,
    },
    /// Event: who speaks next.
    #[serde(rename = "SelectSpeakerEvent", with = "json::content_member")]
    SelectSpeaker(Vec<String>),
    /// Event: the answer of the model that selects speakers.
    #[serde(rename = "SelectorEvent", with = "json::content_member")]
    Selector(String),
    /// Event: a model wrote code.
    #[serde(rename = "CodeGenerationEvent")]
    CodeGeneration {
        /// The reply that contains the code.
        content: String,
        /// The number of attempts before this one.
        #[serde(default, deserialize_with = "null_as_default")]
        retry_attempt: u32,
        code_blocks: Vec<CodeBlock>,
    },
    /// Event: code was run.
    #[serde(rename = "CodeExecutionEvent")]
    CodeExecution {
        /// The number of attempts before this one.
        #[serde(default, deserialize_with = "null_as_default")]
        retry_attempt: u32,
        result: CodeResult,
    },
    /// A type that a user registered.
    #[serde(skip)]
    Custom {
        name: String,
        /// All members except those of the head.
        members: Map<String, Value>,
    },
}

/// Reads null as if the member were absent.
fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn empty_list() -> Value {
    Value::Array(Vec::new())
}

impl ChatContent {
    pub fn type_name(&self) -> &str {
        match self {
            Self::Text(_) => "TextMessage",
            Self::MultiModal(_) => "MultiModalMessage",
            Self::Structured(_) => "StructuredMessage",
            Self::Stop(_) => "StopMessage",
            Self::Handoff { .. } => "HandoffMessage",
            Self::ToolCallSummary { .. } => "ToolCallSummaryMessage",
            Self::ToolCallRequest(_) => "ToolCallRequestEvent",
            Self::ToolCallExecution(_) => "ToolCallExecutionEvent",
            Self::StreamingChunk { .. } => "ModelClientStreamingChunkEvent",
            Self::Thought(_) => "ThoughtEvent",
            Self::MemoryQuery(_) => "MemoryQueryEvent",
            Self::UserInputRequested { .. } => "UserInputRequestedEvent",
            Self::SelectSpeaker(_) => "SelectSpeakerEvent",
            Self::Selector(_) => "SelectorEvent",
            Self::CodeGeneration { .. } => "CodeGenerationEvent",
            Self::CodeExecution { .. } => "CodeExecutionEvent",
            Self::Custom { name, .. } => name,
        }
    }

    /// Whether this only reports what a participant did, and is not part of the conversation. A
    /// custom type is an event if its name ends in `Event`.
    pub fn is_event(&self) -> bool {
        self.type_name().ends_with("Event")
    }

    /// The free text, if that is all.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text)
            | Self::Stop(text)
            | Self::Thought(text)
            | Self::Selector(text)
            | Self::Handoff { content: text, .. }
            | Self::ToolCallSummary { content: text, .. }
            | Self::CodeGeneration { content: text, .. }
            | Self::StreamingChunk { content: text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The member of a message's metadata that says why its model ended it.
const GENERATE_REASON: &str = "generate_reason";

/// Why a model ended a message, if it did not simply come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateReason {
    /// Tools returned what was wanted; the message consists of their results.
    ToolCalls,
    /// As before, but the participant could have gone on if it were allowed more rounds of calls.
    MaxIterations,
}

impl GenerateReason {
    pub const ALL: [Self; 2] = [Self::ToolCalls, Self::MaxIterations];

    /// The name in the metadata, as AgentScope has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCalls => "TOOL_CALLS",
            Self::MaxIterations => "MAX_ITERATIONS",
        }
    }
}

/// One message or event of a conversation.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct ChatMessage {
    /// Unique within the conversation.
    pub id: String,
    /// The name of the sender.
    pub source: String,
    /// The tokens of the model calls behind it.
    pub models_usage: Option<RequestUsage>,
    pub metadata: BTreeMap<String, String>,
    /// When it was said, in RFC 3339; within a world, which has no clock, logical time.
    pub created_at: String,
    /// Its type; beside it are the members of that type, such as `content`.
    #[schemars(rename = "type", with = "String")]
    pub content: ChatContent,
}

impl ChatMessage {
    /// A message without id and time; the conversation adds both.
    pub fn new(source: impl Into<String>, content: ChatContent) -> Self {
        Self {
            id: String::new(),
            source: source.into(),
            models_usage: None,
            metadata: BTreeMap::new(),
            created_at: EPOCH.into(),
            content,
        }
    }

    pub fn text(source: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(source, ChatContent::Text(text.into()))
    }

    /// A message that ends the conversation.
    pub fn stop(source: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(source, ChatContent::Stop(text.into()))
    }

    /// A message that hands the conversation over to `target`.
    pub fn handoff(
        source: impl Into<String>,
        target: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::new(
            source,
            ChatContent::Handoff {
                content: text.into(),
                target: target.into(),
                context: Value::Array(Vec::new()),
            },
        )
    }

    /// Sets the tokens of the model calls behind it.
    #[must_use]
    pub fn with_usage(mut self, usage: Option<RequestUsage>) -> Self {
        self.models_usage = usage;
        self
    }

    /// Sets when it was said, in milliseconds since 1970, unless whoever wrote it said so.
    pub(super) fn date(&mut self, said_at: Option<u64>) {
        if let Some(at) = said_at.filter(|_| self.created_at.starts_with(LOGICAL)) {
            let at = UNIX_EPOCH + Duration::from_millis(at);
            self.created_at = format_rfc3339_millis(at).to_string();
        }
    }

    /// Why its model ended it, if it did not simply come to an end.
    pub fn generate_reason(&self) -> Option<GenerateReason> {
        let reason = self.metadata.get(GENERATE_REASON)?;
        GenerateReason::ALL
            .into_iter()
            .find(|known| known.name() == reason)
    }

    /// Notes why its model ended it, in the `generate_reason` of its metadata.
    pub(super) fn set_generate_reason(&mut self, reason: GenerateReason) {
        let name = reason.name().to_owned();
        self.metadata.insert(GENERATE_REASON.to_owned(), name);
    }

    pub fn type_name(&self) -> &str {
        self.content.type_name()
    }

    /// Whether this only reports what a participant did, and is not part of the conversation.
    pub fn is_event(&self) -> bool {
        self.content.is_event()
    }

    /// The free text that a model or a person wrote, for guards to judge.
    pub(super) fn text_mut(&mut self) -> Option<&mut String> {
        match &mut self.content {
            ChatContent::Text(text)
            | ChatContent::Stop(text)
            | ChatContent::Thought(text)
            | ChatContent::Selector(text)
            | ChatContent::Handoff { content: text, .. }
            | ChatContent::ToolCallSummary { content: text, .. }
            | ChatContent::CodeGeneration { content: text, .. }
            | ChatContent::StreamingChunk { content: text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The id of the message with which a participant answers its `ask`-th ask. Known before the
/// answer, so that streamed chunks can name their message.
pub(super) fn message_id(participant: &str, ask: u32) -> String {
    format!("{participant}#{ask}")
}

/// The id of the `index`-th event on the way to that message.
pub(super) fn event_id(participant: &str, ask: u32, index: usize) -> String {
    format!("{participant}#{ask}.{index}")
}

#[cfg(test)]
mod tests;
