//! Writing a conversation as the messages that a model provider expects.
//!
//! A [`Format`] combines the provider's [`Api`], a [`Style`] (how turns become messages) and
//! [`FormatOptions`] (the details). [`Format::render`] makes JSON of a list of turns. Requests use
//! the writer behind it, which writes the bytes turn by turn.
//!
//! Tool calls are sent together with their results or not at all, media as their provider accepts
//! them, thoughts only where they are wanted back. Nothing that a speaker says can look like the
//! text around it. What is not sent is reported as an [`Omission`], never in the prompt.
//! Start reading at [`Format`].

#[cfg(test)]
mod every_api;
mod folder;
mod guard;
mod media;
mod message_list;
mod names;
mod omission;
mod options;
mod pairing;
mod render;
#[cfg(test)]
mod tests;
mod wire;
mod writer;

pub use folder::MediaFolder;
pub use media::{MAX_FILE_BYTES, MediaError, MediaFiles, NoFiles};
pub use message_list::ListEnd;
pub use names::alias;
pub use omission::Omission;
pub use options::{
    Api, EmptyContent, Format, FormatOptions, Style, SystemPlace, ThinkingPolicy, ToolNameField,
};
pub use playhouse_engine::mind::{Turn, TurnContent};
pub use render::Rendered;
pub use writer::{MessageWriter, Written};
