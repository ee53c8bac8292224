//! The message formats of other programs, and what each model provider is sent.
//!
//! ```
//! use playhouse_interop::{DialectError, Profile, read, write};
//!
//! let openai = r#"[{"role": "user", "content": "Good day."}]"#;
//! let imported = read(openai, None)?; // its format is detected
//! let langchain = write(&imported.conversations, Profile::LangChain);
//! assert!(langchain.contains("HumanMessage") || langchain.contains("human"));
//! # Ok::<(), DialectError>(())
//! ```
//!
//! Pure functions between text or JSON and [`Message`](playhouse_engine::message::Message)s.
//! [`read`](read()) reads any format liberally and detects which one it is; [`write`](write())
//! writes a named [`Profile`]. What a format has no members for is kept in its metadata if possible
//! (see `leftovers.rs`). [`thinking`] separates what a model thought from what it said,
//! [`Arguments`] repairs the arguments of tool calls, and [`format`](mod@format) writes a
//! conversation as each model provider expects it.
//! Start reading at [`Profile`].

mod agent_framework;
mod agentscope;
mod autogen;
mod blocks;
pub mod cards;
pub mod concordia;
mod detect;
mod document;
#[cfg(test)]
mod foreign_tests;
pub mod format;
mod gemini;
mod langchain;
mod leftovers;
pub mod lore;
mod macros;
mod media;
mod memory;
mod messages;
mod neutral;
mod openai;
mod playhouse;
mod profile;
#[cfg(test)]
mod properties;
mod responses;
mod roles;
mod sharegpt;
mod sillytavern;
mod stream;
pub mod thinking;
mod timestamp;

pub use autogen::{ALIASES, CHAT_TYPES, handoff_text, image_part};
pub use document::{
    Conversation, DialectError, Imported, losses, read, read_value, write, write_value,
};
pub use macros::Macros;
pub use messages::write_messages;
pub use playhouse_engine::reading::{Arguments, ArgumentsError, ArgumentsRepair};
pub use profile::{Profile, UnknownProfile};
pub use sillytavern::{Persona, personas};
