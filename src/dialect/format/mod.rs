//! Making a conversation into what a model provider wants to be sent.
//!
//! A [`Format`] says for whose interface ([`Api`]), how turns become messages ([`Style`]), and in
//! which details ([`Shape`]). [`Format::render`] makes JSON of a list of turns; [`MessageWriter`]
//! writes bytes turn by turn and can go on later where a conversation only grew. Calls are sent
//! with their results or not at all, media as their provider takes them, thoughts only where they
//! are wanted back, and nothing that anybody says can look like the frame it stands in. What is not
//! sent is told in the result, as [`LeftOut`], never in the prompt. [`truncate`](truncate()) drops
//! the oldest turns to keep within a limit.

#[cfg(test)]
mod every_api;
mod folder;
mod frames;
mod guard;
mod left_out;
mod media;
mod message_writer;
mod names;
mod pairing;
mod shape;
mod telling;
#[cfg(test)]
mod tests;
mod truncate;
mod turn;

pub use folder::MediaFolder;
pub use left_out::LeftOut;
pub use media::{LONGEST_FILE, MediaError, MediaFiles, NoFiles};
pub use message_writer::{Mark, MessageWriter, Progress, Written};
pub use names::alias;
pub use shape::{Api, NoWords, ResultName, Shape, Style, SystemPlace, Thinking};
pub use truncate::{Truncated, truncate};
pub use turn::{Said, Turn};

use std::sync::Arc;

use bytes::BytesMut;
use serde_json::Value;

/// How conversations are written for a model.
#[derive(Clone, Debug)]
pub struct Format {
    /// For whose interface.
    pub api: Api,
    /// How turns become messages.
    pub style: Style,
    /// In which details.
    pub shape: Shape,
    /// Where media files are.
    pub files: Arc<dyn MediaFiles>,
}

/// A conversation as a provider wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// What opens the conversation, where the provider wants that beside the messages.
    pub system: Option<Value>,
    /// The messages, or Gemini's contents.
    pub messages: Value,
    /// What was not sent.
    pub left_out: Vec<LeftOut>,
}

impl Format {
    /// A format without media files.
    pub fn new(api: Api, style: Style, shape: Shape) -> Self {
        Self {
            api,
            style,
            shape,
            files: Arc::new(NoFiles),
        }
    }

    /// The same format with media files from this place.
    #[must_use]
    pub fn with_files(self, files: Arc<dyn MediaFiles>) -> Self {
        Self { files, ..self }
    }

    /// The messages of a conversation. `me` is whose conversation it is.
    ///
    /// # Errors
    /// A media file can't be sent; the error names it.
    pub fn render(&self, me: Option<&str>, turns: &[Turn<'_>]) -> Result<Rendered, MediaError> {
        let begin = BytesMut::from(&b"{"[..]);
        let mut script = MessageWriter::new(self, me, begin, Progress::default());
        script.remember(turns.iter().copied())?;
        let Written {
            mut bytes,
            progress,
            left_out,
            ..
        } = script.finish();
        self.close(&mut bytes, &progress, "");
        bytes.extend_from_slice(b"}");
        let mut members: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let mut member = |name: &str| Some(members.get_mut(name)?.take());
        Ok(Rendered {
            system: member("system").or_else(|| member("system_instruction")),
            messages: member("messages")
                .or_else(|| member("contents"))
                .unwrap_or_default(),
            left_out,
        })
    }

    /// Ends the messages that were written up to `progress`. `words`, if any, are the last that the
    /// mind reads.
    pub fn close(&self, out: &mut BytesMut, progress: &Progress, words: &str) {
        let bytes = std::mem::take(out);
        let script = MessageWriter::new(self, None, bytes, progress.clone());
        *out = script.close(words);
    }
}
