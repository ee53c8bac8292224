//! What comes back from a mind.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::locale::{Localize, UiText, text};
use crate::message::{Block, FinishReason, TokenUsage};
use crate::secrets::{self, has_secret, redact_value, redacted};
use crate::tool::ToolCall;

/// The maximum number of tool calls that are read from an answer. Further ones are ignored; the
/// engine makes fewer still.
pub const MAX_CALLS: usize = 128;

/// A mind's answer, not checked yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The text, without reasoning.
    pub text: String,
    /// The reasoning, if the mind showed any.
    pub thinking: Option<String>,
    /// The reasoning as its provider expects it back while tools are called: thoughts with
    /// signatures. Empty if the provider signs none.
    pub signed: Vec<Block>,
    /// The tools that it wants to call, in order. If there are any, `text` is what it said beside
    /// them and not an answer.
    pub calls: Vec<ToolCall>,
    pub finish: FinishReason,
    /// The tokens of this call and of its failed attempts, if the provider reported any.
    pub usage: Option<TokenUsage>,
    /// The model that answered, as its provider names it.
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
            finish: FinishReason::Stop,
            usage: None,
            model: model.into(),
            retries: 0,
            latency: Duration::ZERO,
        }
    }

    /// Tool calls that cost nothing and took no time.
    pub fn calling(model: &str, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            finish: FinishReason::ToolCalls,
            ..Self::instant(model, "")
        }
    }

    /// The same without the secrets of this process, which a server or a tool may have echoed.
    #[must_use]
    pub(crate) fn without_secrets(mut self) -> Self {
        if !secrets::any() {
            return self;
        }
        for text in [&mut self.text, &mut self.model] {
            *text = redacted(std::mem::take(text));
        }
        self.thinking = self.thinking.map(redacted);
        for call in &mut self.calls {
            for text in [&mut call.id, &mut call.name, &mut call.arguments] {
                *text = redacted(std::mem::take(text));
            }
            call.signature.take_if(|signature| has_secret(signature));
        }
        // What is signed can't be changed, but left out.
        self.signed.retain(|block| match block {
            Block::Thinking {
                thinking,
                signature,
            } => !has_secret(thinking) && !signature.as_deref().is_some_and(has_secret),
            Block::Unknown(value) => !redact_value(&mut value.clone()),
            _ => true,
        });
        self
    }

    /// Its content as a message keeps it: reasoning, text and tool calls.
    pub fn to_blocks(&self) -> Vec<Block> {
        let unsigned = self
            .thinking
            .as_deref()
            .map(Block::thinking)
            .filter(|_| self.signed.is_empty());
        let thinking = self.signed.iter().cloned().chain(unsigned);
        let text = (!self.text.is_empty()).then(|| Block::text(self.text.as_str()));
        let calls = self.calls.iter().map(Block::from);
        thinking.chain(text).chain(calls).collect()
    }
}

/// A call without a result, and what it cost all the same.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{error}")]
pub struct FailedCall {
    pub error: MindError,
    /// The tokens of all attempts, if the provider reported any.
    pub usage: Option<TokenUsage>,
    /// Attempts after the first.
    pub retries: u32,
    /// How long the last attempt took. For people; never reaches the world.
    pub latency: Duration,
    /// Whether the last attempt may be billed all the same.
    pub billable: bool,
    /// When the server wants to be asked again, if it said that.
    pub retry_after: Option<Duration>,
    /// Whether a shorter prompt may succeed.
    pub length_doubt: LengthDoubt,
}

/// Whether a shorter prompt may succeed, though a server did not say that this one is too long.
/// Only one that is longer than all that were answered is in doubt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthDoubt {
    #[default]
    None,
    /// It is if nothing else helps.
    AtLast,
    /// It is, by how the server failed.
    AtOnce,
}

impl From<MindError> for FailedCall {
    /// A failure that cost nothing.
    fn from(error: MindError) -> Self {
        Self {
            error,
            usage: None,
            retries: 0,
            latency: Duration::ZERO,
            billable: false,
            retry_after: None,
            length_doubt: LengthDoubt::None,
        }
    }
}

/// Why a mind has no answer, after all its own retries. `server` is the model's alias and the
/// server's address, without any key; `reason` is mostly what the server said, with keys masked.
#[derive(Clone, Debug, Error, PartialEq, Localize)]
pub enum MindError {
    #[text(mind_unreachable)]
    Unreachable { server: Arc<str>, reason: UiText },
    /// The key or the account was refused; retrying is of no use.
    #[text(mind_denied)]
    Denied {
        server: Arc<str>,
        status: u16,
        reason: UiText,
        advice: UiText,
    },
    /// The provider will not have its models read, or write, what was asked.
    #[text(mind_moderated)]
    Moderated {
        server: Arc<str>,
        status: u16,
        reason: UiText,
    },
    /// The server is overloaded or limits our rate, and all retries failed.
    #[text(mind_busy)]
    Busy {
        server: Arc<str>,
        status: u16,
        reason: UiText,
    },
    /// The server did not accept the request.
    #[text(mind_rejected)]
    Rejected {
        server: Arc<str>,
        status: u16,
        reason: UiText,
        advice: UiText,
    },
    #[text(mind_server_failed)]
    ServerFailed {
        server: Arc<str>,
        status: u16,
        reason: UiText,
    },
    /// Something that the request needs can't be sent, so nothing was.
    #[text(mind_unsendable)]
    Unsendable {
        /// Whose request it is.
        entity: Arc<str>,
        alias: Arc<str>,
        /// What can't be sent, and why.
        reason: UiText,
    },
    /// The prompt does not fit into the model's context window.
    #[text(mind_prompt_too_long, server, status, reason, advice = match window {
        Some(window) => text!(mind_set_window_to, window),
        None => text!(mind_set_window),
    }, ..)]
    PromptTooLong {
        server: Arc<str>,
        status: u16,
        reason: UiText,
        /// The window in tokens, if the server named it.
        window: Option<u64>,
    },
    /// The server took longer than allowed.
    #[text(mind_no_connection, server, seconds, .. if *awaited == Awaited::Connection)]
    #[text(mind_no_first_byte, server, seconds, .. if *awaited == Awaited::FirstByte)]
    #[text(mind_no_next_bytes, server, seconds, .. if *awaited == Awaited::NextBytes)]
    #[text(mind_too_slow, server, seconds, .. if *awaited == Awaited::EnoughBytes)]
    #[text(mind_took_too_long, server, seconds, .. if *awaited == Awaited::WholeAnswer)]
    #[text(mind_vectors_too_slow, server, seconds, ..)]
    TimedOut {
        server: Arc<str>,
        /// How long it took.
        seconds: u64,
        /// What we waited for.
        awaited: Awaited,
    },
    /// The model answered with nothing.
    #[text(mind_empty)]
    Empty { server: Arc<str> },
    /// The response broke off or is not an answer.
    #[text(mind_invalid_response)]
    InvalidResponse { server: Arc<str>, reason: UiText },
    /// A script has no further line for this entity.
    #[text(mind_script_exhausted)]
    ScriptExhausted { entity: String, number: u32 },
    /// A recording holds no outcome for this ask.
    #[text(mind_not_recorded)]
    NotRecorded { entity: String, number: u32 },
    /// The person left the seat.
    #[text(mind_seat_empty)]
    SeatEmpty { entity: String },
    /// The person is elsewhere, and has not answered yet.
    #[text(mind_seat_awaited)]
    SeatAwaited { entity: String },
    /// The call was cancelled because the run stops.
    #[text(mind_cancelled)]
    Cancelled,
}

/// What a server was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    Connection,
    /// The first byte of a response.
    FirstByte,
    /// The next bytes of a response.
    NextBytes,
    /// More bytes: they came too slowly.
    EnoughBytes,
    /// The end of the call.
    WholeAnswer,
    /// The vectors of all texts.
    Vectors,
}

impl MindError {
    /// Whether the same call may succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Busy { .. }
                | Self::ServerFailed { .. }
                | Self::TimedOut { .. }
                | Self::InvalidResponse { .. }
        )
    }
}
