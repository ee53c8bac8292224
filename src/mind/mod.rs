//! Who answers asks: the improviser, models over HTTP, a person at a seat, scripts and recordings.
//!
//! A [`Mind`] gets one [`Prompt`] and answers with one [`Completion`] or [`FailedCall`]. It sees
//! the prompt and nothing else: no world, no other entity. A request is built synchronously, so
//! that it may borrow the context of the entity that is asked; the future of the answer owns all it
//! needs. Start reading at [`Mind`].

mod answer;
mod completion;
mod embedder;
mod fixed_calls;
#[cfg(feature = "http")]
pub mod http;
pub mod human;
pub mod improviser;
mod info;
mod json_words;
mod minds;
#[cfg(feature = "http")]
pub mod models;
mod notes;
mod prompt;
mod prompted_tools;
mod script;
pub(crate) mod splitmix;
mod stopwatch;
mod stream;
#[cfg(feature = "http")]
pub mod survey;
mod tool_round;

pub use crate::dialect::format::{Turn, TurnContent};
pub use crate::message::{Cost, FinishReason, Language, Price};
pub use answer::{Answering, Mind};
pub use completion::{Awaited, Completion, FailedCall, LengthDoubt, MindError};
pub use embedder::{Embedded, Embedder, Embedding};
pub(crate) use fixed_calls::FixedCalls;
pub use info::{MaxDefaults, MindInfo};
pub use minds::{MindAlias, Minds};
pub use notes::Notes;
pub use prompt::{AnswerForm, ExchangeRound, Prompt, Refused, Tools};
pub use prompted_tools::PromptedTools;
pub use script::{ScriptLine, ScriptMind, prompt_text};
pub use splitmix::SplitMix64;
pub(crate) use stopwatch::stopwatch;
pub use stream::{
    AnswerStream, StreamDelta, StreamDeltaKind, StreamReceiver, StreamSender, stream_channel,
};
pub use tool_round::ToolRound;
