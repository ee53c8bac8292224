//! Who answers: the improviser, models over HTTP, a person at a seat, scripts and cassettes.
//!
//! A [`Mind`] gets one [`Prompt`] and answers with one [`Completion`] or [`FailedCall`]. It sees the
//! prompt and nothing else: no world, no other entity. Building the request is synchronous, so that
//! it may borrow the asker's context; the future it returns owns all it needs. This room may touch
//! `message/`, `context/`, `journal/`, `tool/` and `world_data/`.

mod caller;
mod completion;
pub mod http;
pub mod human;
pub mod improviser;
mod in_words;
mod info;
mod minds;
pub mod models;
mod prompt;
mod script;
mod stream;

pub use crate::dialect::format::{Said, Turn};
pub use crate::message::{Cost, Finish, Language, Price};
pub(crate) use caller::Caller;
pub use completion::{Completion, FailedCall, MindError};
pub use in_words::{InWords, calls_in_words};
pub use info::MindInfo;
pub use minds::{MindAlias, Minds};
pub use prompt::{Form, Prompt, Refused, Round, ToolRound, Tools};
pub use script::{ScriptLine, ScriptMind, prompt_text};
pub use stream::{
    AnswerStream, StreamDelta, StreamDeltaKind, StreamReceiver, StreamSender, stream_channel,
};

use std::pin::Pin;

/// The answer on its way. It owns everything it needs.
pub type Answering = Pin<Box<dyn Future<Output = Result<Completion, FailedCall>> + Send + 'static>>;

/// Whoever answers asks: a model, a person, a script. To systems they are all the same kind of thing.
pub trait Mind: Send + Sync {
    /// What is known about this mind before it is asked: name, window, price, how many calls at once.
    fn info(&self) -> &MindInfo;

    /// Starts answering. Whatever it needs of the prompt is taken before this returns; retries of the
    /// transport happen inside the future, bounded. Where the prompt lends [`AnswerStream`], the future sends what the
    /// mind writes while it writes it, and nothing once it is dropped.
    fn answer(&self, prompt: &Prompt<'_>) -> Answering;
}
