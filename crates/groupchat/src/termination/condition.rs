//! Termination conditions as data.

use playhouse_engine::locale::{UiText, text};
use serde::{Deserialize, Serialize};

/// The text with which agents usually say that they are done.
const TERMINATE: &str = "TERMINATE";

/// When a run ends, as a team file says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub enum Termination {
    MaxMessages {
        max: u32,
        #[serde(default)]
        include_events: bool,
    },
    StopMessage {
        /// A text that ends the run like one if the last message of a delta contains it, in upper
        /// or lower case; none if empty.
        #[serde(default)]
        text: String,
    },
    TextMention {
        /// The text; `TERMINATE` by default.
        #[serde(default = "terminate")]
        text: String,
        /// Only messages of these participants count; if empty, of all.
        #[serde(default)]
        sources: Vec<String>,
        /// Whether upper and lower case are the same.
        #[serde(default)]
        ignore_case: bool,
        /// Whether only the last message of each delta counts.
        #[serde(default)]
        last_only: bool,
    },
    /// A number of tokens was used.
    TokenUsage {
        /// The maximum of prompt and completion tokens together.
        #[serde(default)]
        total: Option<u64>,
        #[serde(default)]
        prompt: Option<u64>,
        #[serde(default)]
        completion: Option<u64>,
    },
    /// Time has passed since the run began.
    Timeout {
        /// Logical time: turns of the conversation.
        #[serde(default)]
        turns: Option<u32>,
        /// Wall-clock seconds. Each reading of the clock is recorded like an answer.
        #[serde(default)]
        seconds: Option<f64>,
    },
    Handoff {
        target: String,
    },
    /// One of these participants has answered.
    SourceMatch {
        sources: Vec<String>,
    },
    TextMessage {
        /// From whom; from anybody if absent.
        #[serde(default)]
        source: Option<String>,
    },
    /// A function was executed.
    FunctionCall {
        name: String,
    },
    /// The run is stopped from outside.
    External,
    /// A function that the user of the library provides.
    Function {
        /// Its name in [`Functions`](crate::Functions).
        name: String,
    },
    /// All of these have been met, not necessarily at the same time.
    All(Vec<Termination>),
    Any(Vec<Termination>),
}

fn terminate() -> String {
    TERMINATE.into()
}

impl Termination {
    pub fn terminate() -> Self {
        Self::mention(TERMINATE)
    }

    /// A text in any message.
    pub fn mention(text: impl Into<String>) -> Self {
        Self::TextMention {
            text: text.into(),
            sources: Vec::new(),
            ignore_case: false,
            last_only: false,
        }
    }

    /// A number of messages, without events.
    pub fn max_messages(max: u32) -> Self {
        Self::MaxMessages {
            max,
            include_events: false,
        }
    }

    pub fn and(self, other: Self) -> Self {
        match self {
            Self::All(mut parts) => {
                parts.push(other);
                Self::All(parts)
            }
            single => Self::All(vec![single, other]),
        }
    }

    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Any(mut parts) => {
                parts.push(other);
                Self::Any(parts)
            }
            single => Self::Any(vec![single, other]),
        }
    }

    pub(crate) fn nested(&self) -> Vec<&Self> {
        let mut nested = vec![self];
        if let Self::All(parts) | Self::Any(parts) = self {
            nested.extend(parts.iter().flat_map(Self::nested));
        }
        nested
    }

    /// Whether it is met sooner or later, whatever is said.
    pub(crate) fn is_certain(&self) -> bool {
        match self {
            Self::MaxMessages { max, .. } => *max > 0,
            Self::Timeout { turns, seconds } => turns.is_some() || seconds.is_some(),
            Self::All(parts) => !parts.is_empty() && parts.iter().all(Self::is_certain),
            Self::Any(parts) => parts.iter().any(Self::is_certain),
            _ => false,
        }
    }

    /// The mistake of the condition itself, and how to fix it; nested conditions are not looked
    /// at.
    pub fn mistake(&self) -> Option<(UiText, UiText)> {
        match self {
            Self::MaxMessages { max: 0, .. } => Some((
                text!(groupchat_condition_no_messages),
                text!(groupchat_help_at_least_one),
            )),
            Self::TextMention { text, .. } if text.is_empty() => Some((
                text!(groupchat_condition_empty_text),
                text!(groupchat_help_text),
            )),
            Self::TokenUsage {
                total: None,
                prompt: None,
                completion: None,
            } => Some((
                text!(groupchat_condition_no_token_limit),
                text!(groupchat_help_token_limit),
            )),
            Self::Timeout {
                turns: None,
                seconds: None,
            } => Some((
                text!(groupchat_condition_no_time),
                text!(groupchat_help_time),
            )),
            Self::Timeout {
                seconds: Some(seconds),
                ..
            } if !(*seconds > 0.0 && seconds.is_finite()) => Some((
                text!(groupchat_condition_bad_seconds),
                text!(groupchat_help_positive_seconds),
            )),
            Self::SourceMatch { sources } if sources.is_empty() => Some((
                text!(groupchat_condition_no_sources),
                text!(groupchat_help_sources),
            )),
            Self::All(parts) | Self::Any(parts) if parts.is_empty() => Some((
                text!(groupchat_condition_no_parts),
                text!(groupchat_help_condition),
            )),
            _ => None,
        }
    }

    /// The name that AutoGen users know.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::MaxMessages { .. } => "MaxMessageTermination",
            Self::StopMessage { .. } => "StopMessageTermination",
            Self::TextMention { .. } => "TextMentionTermination",
            Self::TokenUsage { .. } => "TokenUsageTermination",
            Self::Timeout { .. } => "TimeoutTermination",
            Self::Handoff { .. } => "HandoffTermination",
            Self::SourceMatch { .. } => "SourceMatchTermination",
            Self::TextMessage { .. } => "TextMessageTermination",
            Self::FunctionCall { .. } => "FunctionCallTermination",
            Self::External => "ExternalTermination",
            Self::Function { .. } => "FunctionalTermination",
            Self::All(_) => "AndTermination",
            Self::Any(_) => "OrTermination",
        }
    }
}
