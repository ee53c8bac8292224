//! What comes back from a mind.

use std::time::Duration;

use thiserror::Error;

use crate::message::{Block, Finish, TokenUsage};
use crate::tool::ToolCall;

/// A mind's answer, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The words, without any reasoning.
    pub text: String,
    /// The reasoning, where the mind showed it.
    pub thinking: Option<String>,
    /// The same as its provider wants it back while tools are called: thoughts with their signatures. Empty
    /// where the provider signs none.
    pub signed: Vec<Block>,
    /// The tools it wants called, in its order. Where there are any, `text` is what it said beside
    /// them and no answer yet.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub finish: Finish,
    /// The tokens of this call and of its failed attempts, where the provider reported them.
    pub usage: Option<TokenUsage>,
    /// The model that answered, in its provider's words.
    pub model: String,
    /// Failed attempts before this answer.
    pub retries: u32,
    /// From the first byte sent to the last received. For people; never reaches the world.
    pub latency: Duration,
}

impl Completion {
    /// An answer that cost nothing and took no time; for minds inside this process.
    pub fn instant(model: &str, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            thinking: None,
            signed: Vec::new(),
            calls: Vec::new(),
            finish: Finish::Stop,
            usage: None,
            model: model.into(),
            retries: 0,
            latency: Duration::ZERO,
        }
    }

    /// What it says as a message keeps it: reasoning, words, and calls of tools.
    pub fn to_blocks(&self) -> Vec<Block> {
        let plain = self.thinking.as_deref().map(Block::thinking);
        let plain = plain.filter(|_| self.signed.is_empty());
        let thinking = self.signed.iter().cloned().chain(plain);
        let text = (!self.text.is_empty()).then(|| Block::text(self.text.as_str()));
        let calls = self.calls.iter().map(Block::from);
        thinking.chain(text).chain(calls).collect()
    }

    /// A wish to call tools that cost nothing and took no time.
    pub fn calling(model: &str, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            finish: Finish::ToolCalls,
            ..Self::instant(model, "")
        }
    }
}

/// A call that came to nothing, and what it cost all the same.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{error}")]
pub struct FailedCall {
    /// Why.
    pub error: MindError,
    /// The tokens of all attempts, where the provider reported any.
    pub usage: Option<TokenUsage>,
    /// Attempts after the first.
    pub retries: u32,
    /// How long the last attempt took. For people; never reaches the world.
    pub latency: Duration,
}

impl From<MindError> for FailedCall {
    /// A failure that cost nothing.
    fn from(error: MindError) -> Self {
        Self {
            error,
            usage: None,
            retries: 0,
            latency: Duration::ZERO,
        }
    }
}

/// Why a mind has no answer, after all its own retries.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MindError {
    /// No connection.
    #[error("can't reach {server}: {reason}")]
    Unreachable {
        /// The server's address, without any key.
        server: String,
        /// What the system said.
        reason: String,
    },
    /// The key or the account was refused; trying again is of no use.
    #[error("{server} refused access ({status}): {reason}; {}", access_advice(*status))]
    Denied {
        /// The server's address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// The server's words, keys masked.
        reason: String,
    },
    /// The server asks for patience, and patience ran out.
    #[error(
        "{server} is overloaded or limits our rate ({status}): {reason}; resume later, or with a smaller `width` in the model file"
    )]
    Busy {
        /// The server's address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// The server's words, keys masked.
        reason: String,
    },
    /// The server did not understand the request.
    #[error("{server} rejected the request ({status}): {reason}; {}", rejection_advice(*status))]
    Rejected {
        /// The server's address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// The server's words, keys masked.
        reason: String,
    },
    /// The server failed.
    #[error("{server} failed ({status}): {reason}; resume later")]
    ServerFailed {
        /// The server's address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// The server's words, keys masked.
        reason: String,
    },
    /// Something that the request needs can't be sent; nothing was.
    #[error("nothing was sent to '{alias}': {reason}")]
    Unsendable {
        /// The model that was to be asked.
        alias: String,
        /// What can't be sent, and why.
        reason: String,
    },
    /// The prompt does not fit into the model's window.
    #[error("{server} finds the prompt too long ({status}): {reason}; {}", length_advice(*window))]
    TooLong {
        /// The server's address; a short type, so that errors stay small.
        server: Box<str>,
        /// The HTTP status.
        status: u16,
        /// What the server said.
        reason: Box<str>,
        /// The window in tokens, where the server told it.
        window: Option<u64>,
    },
    /// Silence for longer than allowed.
    #[error("{server} was silent for {seconds} s while we waited for {waiting_for}")]
    Silent {
        /// The server's address.
        server: String,
        /// How long we waited.
        seconds: u64,
        /// What we waited for: the connection, the first byte, the next byte.
        waiting_for: &'static str,
    },
    /// The answer broke off or was no answer.
    #[error("{server} sent no usable answer: {reason}")]
    Unreadable {
        /// The server's address.
        server: String,
        /// What was wrong with it.
        reason: String,
    },
    /// A script has no further line for this entity.
    #[error("the script holds no answer for '{entity}' (ask {number})")]
    ScriptOver {
        /// The entity.
        entity: String,
        /// The number of its ask.
        number: u32,
    },
    /// A recording holds no outcome for this ask.
    #[error("the journal holds no outcome for ask {number} of '{entity}'")]
    NotRecorded {
        /// The entity.
        entity: String,
        /// The number of its ask.
        number: u32,
    },
    /// A person left the seat.
    #[error("nobody sits at '{entity}'")]
    SeatEmpty {
        /// The seat's entity.
        entity: String,
    },
    /// The answer was given up because the run stops.
    #[error("the call was cancelled")]
    Cancelled,
}

/// What to do about a key or an account that was refused.
fn access_advice(status: u16) -> &'static str {
    match status {
        402 | 429 => "the account has no money or no quota left",
        _ => "`playhouse config` shows which variable holds its key, `playhouse doctor` tests it",
    }
}

/// What to do about a request that was not understood.
fn rejection_advice(status: u16) -> &'static str {
    match status {
        300..=399 => "correct `base_url` in the model file",
        404 | 405 => "correct `base_url` or `model` in the model file",
        _ => "correct the model's settings in the model file; `playhouse doctor` tests them",
    }
}

/// What to do about a prompt that was too long.
fn length_advice(window: Option<u64>) -> String {
    match window {
        Some(tokens) => format!(
            "set the model's `window` in the model file to {tokens}, so that old messages are folded in time"
        ),
        None => {
            "set the model's `window` in the model file, so that old messages are folded in time"
                .into()
        }
    }
}

impl MindError {
    /// Whether the same call may succeed a little later.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Busy { .. }
                | Self::ServerFailed { .. }
                | Self::Silent { .. }
                | Self::Unreadable { .. }
        )
    }
}
