//! What is said: message bodies, content blocks, tags and metadata, their JSON, and token estimates.
//!
//! A [`Body`] is immutable and shared: a broadcast to a thousand actors stores its text once. What
//! differs from holder to holder (role, tags) lives in the entry of the context that holds it; a
//! [`Message`] is both together. Start reading at
//! [`Body`].

mod block;
mod body;
mod content;
mod json;
mod metadata;
mod reading;
mod shown;
mod tag;
mod text;
pub mod tokens;
mod usage;

pub use crate::locale::Language;
pub use block::{Block, Source};
pub use body::{Body, BodyId, Content};
pub(crate) use body::{BodyParts, Extra};
pub use content::{CallPair, CallPairs, MediaKind, ToolCall, ToolResult};
pub(crate) use json::with_condensed;
pub use json::{FormatError, message_from_json, message_to_json};
pub use metadata::ResponseMetadata;
pub use reading::{Pairs, Reading, is_invisible};
pub use shown::shown;
pub use tag::{RESERVED_MEMBERS, Tag, TagError, Tags};
pub use text::{Digest, Text};
pub use usage::{Cost, Finish, Price, TokenUsage};

use serde::{Deserialize, Serialize};

/// Whose turn a message is in the conversation that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Role {
    /// The rules and identity that open a conversation.
    System,
    /// What the entity is told or asked.
    Human,
    /// What the entity's own mind answered.
    Ai,
    /// What a tool returned.
    Tool,
}

impl Role {
    /// Its name in saves and JSON, which is LangChain's too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Human => "human",
            Self::Ai => "ai",
            Self::Tool => "tool",
        }
    }
}

/// A message as one context holds it: the shared body, and the role and tags given to it there.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Whose turn it is in this context.
    pub role: Role,
    /// What is said; shared with every other context that holds it.
    pub body: Body,
    /// The marks this context put on it.
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
    #[must_use]
    pub fn tagged(mut self, tags: Tags) -> Self {
        self.tags = tags;
        self
    }
}
