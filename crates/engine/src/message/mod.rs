//! Messages: bodies, content blocks, tags, metadata, their JSON, usage and token estimates.
//!
//! A [`Body`] is immutable and shared: a broadcast to a thousand actors stores its text once. Role
//! and tags differ between contexts, so they belong to the entry of a context; a [`Message`] is
//! both together. Start reading at [`Body`].

mod block;
mod body;
mod content;
mod each_entry;
mod json;
mod metadata;
mod shown;
mod tag;
mod text;
pub mod tokens;
mod usage;
mod vector;

pub use crate::locale::Language;
pub use crate::wording::{Bigrams, FoldedText};
pub use block::{Block, MediaSource};
pub use body::{Body, BodyId, Content};
pub use content::{CallPair, CallPairs, MediaKind, ToolResult, ToolUse};
pub use each_entry::each_entry;
pub use json::with_condensed;
pub use json::{FormatError, message_from_json, message_to_json};
pub use metadata::ResponseMetadata;
pub use shown::shown;
pub use tag::RESERVED_MEMBERS;
pub use tag::{Tag, TagError, TagKey, Tags};
pub use text::{Digest, Text, escaped};
pub use text::{cut, one_line};
pub use usage::{Cost, FinishReason, Price, PromptBytes, TokenUsage};
pub use vector::{Vector, VectorError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The role of a message in a conversation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Role {
    /// The rules and the identity at the beginning of a conversation.
    System,
    /// What the entity is told or asked.
    Human,
    /// What the entity's own mind answered.
    Ai,
    /// What a tool returned.
    Tool,
}

impl Role {
    /// Its name in saves and JSON, as in LangChain.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Human => "human",
            Self::Ai => "ai",
            Self::Tool => "tool",
        }
    }
}

/// A message of one context: the shared body, and its role and tags there.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Message {
    pub role: Role,
    /// The body, shared with other contexts.
    pub body: Body,
    pub tags: Tags,
}

impl Message {
    /// A message without tags.
    pub fn new(role: Role, body: impl Into<Body>) -> Self {
        Self {
            role,
            body: body.into(),
            tags: Tags::new(),
        }
    }

    /// The same message with these tags.
    pub fn tagged(mut self, tags: Tags) -> Self {
        self.tags = tags;
        self
    }
}
