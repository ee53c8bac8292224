//! What a format leaves out of a conversation.

use std::fmt;

/// Something that was not sent. It is reported beside the messages and never in the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Omission {
    UnknownBlock {
        kind: String,
    },
    /// A thought: thinking is private, and goes back to its own model only where that wants it.
    Thought,
    /// A tool call without a result; providers refuse them.
    UnansweredCall {
        id: String,
        tool: String,
    },
    /// A tool result without a call, or a second one for the same call; providers refuse them.
    OrphanResult {
        /// The id of the call it refers to.
        id: String,
    },
    /// A tool call of another speaker.
    CallOfAnother {
        id: String,
    },
    /// Media that the provider does not accept.
    Media {
        /// `image`, `audio` or `video`.
        kind: &'static str,
        /// The path, the URL or the media type.
        name: String,
    },
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownBlock { kind } => write!(f, "a block of the unknown type '{kind}'"),
            Self::Thought => f.write_str("a thought"),
            Self::UnansweredCall { id, tool } => {
                write!(
                    f,
                    "the call '{id}' of the tool '{tool}', which has no result"
                )
            }
            Self::OrphanResult { id } => {
                write!(
                    f,
                    "a result for the call '{id}', which is unknown or already answered"
                )
            }
            Self::CallOfAnother { id } => write!(f, "the call '{id}' of another speaker"),
            Self::Media { kind, name } => {
                write!(f, "the {kind} '{name}', which the provider does not accept")
            }
        }
    }
}
