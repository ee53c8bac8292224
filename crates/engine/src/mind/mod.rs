//! Who answers asks: the improviser, a person at a seat, scripts, and whatever else is a [`Mind`].
//!
//! A [`Mind`] gets one [`Prompt`] and answers with one [`Completion`] or [`FailedCall`]. It sees
//! the prompt and nothing else: no world, no other entity. A request is built synchronously, so
//! that it may borrow the context of the entity that is asked; the future of the answer owns all it
//! needs. Start reading at [`Mind`].

mod answer;
mod completion;
mod embedder;
mod fixed_calls;
pub mod human;
pub mod improviser;
mod info;
mod json_words;
mod minds;
mod notes;
mod prompt;
mod prompted_tools;
mod script;
pub mod splitmix;
mod stopwatch;
mod stream;
mod tool_round;
mod turn;

pub use crate::message::{Cost, FinishReason, Language, Price};
pub use answer::{Answering, Mind};
pub use completion::{Awaited, Completion, FailedCall, LengthDoubt, MAX_CALLS, MindError};
pub use embedder::{Embedded, Embedder, Embedding};
pub(crate) use fixed_calls::FixedCalls;
pub use info::{MaxDefaults, MindInfo};
pub use minds::{MindAlias, Minds};
pub use notes::Notes;
pub use prompt::{AnswerForm, ExchangeRound, Prompt, Refused, Tools};
pub use prompted_tools::{PromptedTools, with_calls};
pub use script::{ScriptLine, ScriptMind, prompt_text};
pub use splitmix::SplitMix64;
pub use stopwatch::{stopwatch, unix_time};
pub use stream::{
    AnswerStream, StreamDelta, StreamDeltaKind, StreamReceiver, StreamSender, stream_channel,
};
pub use tool_round::ToolRound;
pub use turn::{Turn, TurnContent};
