//! Other people's message forms: reading them liberally, writing them by named profile.
//!
//! Pure functions between text or JSON and [`Message`](crate::message::Message)s. [`read`](read())
//! tells a conversation's form or is told it; [`write`](write()) writes one [`Profile`]. What a
//! form has no place for is kept where it can be (see `leftovers.rs`), so that a message finds back
//! what it brought. [`thinking`] parts what a model thought from what it said, [`Arguments`] mends
//! the arguments of calls, [`Memory`] answers as AgentScope's memories do. [`format`](mod@format)
//! makes a conversation into what each model provider wants to be sent. This room may touch
//! `message/` alone; start reading at [`Profile`].

mod agentscope;
mod arguments;
mod blocks;
mod detect;
mod document;
pub mod format;
mod langchain;
mod leftovers;
mod media;
mod memory;
mod neutral;
mod openai;
mod playhouse;
mod profile;
#[cfg(test)]
mod properties;
pub mod thinking;
mod timestamp;

pub use arguments::{Arguments, Mending};
pub use document::{Conversation, DialectError, Reading, read, read_value, write, write_value};
pub use memory::{Marks, Memory, message_id};
pub use profile::Profile;
