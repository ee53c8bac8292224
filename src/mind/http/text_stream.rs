//! Showing the text of an answer while it arrives.

use crate::dialect::thinking::StreamSplitter;
use crate::mind::stream::AnswerStream;

/// Shows the text of an answer, without its thoughts.
pub(super) struct TextStream<'a> {
    stream: &'a AnswerStream,
    splitter: StreamSplitter,
    /// How many bytes of the answer were read.
    read: usize,
    /// The text that was shown.
    shown: String,
}

impl<'a> TextStream<'a> {
    pub(super) fn new(stream: &'a AnswerStream) -> Self {
        Self {
            stream,
            splitter: StreamSplitter::default(),
            read: 0,
            shown: String::new(),
        }
    }

    /// Shows what is new in an answer, given as far as it has arrived.
    pub(super) fn show(&mut self, answer: &str) {
        let new = answer.get(self.read..).unwrap_or_default();
        self.read = answer.len();
        let delta = self.splitter.push(new);
        if delta.was_thought {
            self.stream.retract();
            self.shown.clear();
        }
        self.stream.text(&delta.text);
        self.shown.push_str(&delta.text);
    }

    /// Shows the rest of the text, whose end may have looked like the start of a tag.
    pub(super) fn finish(self, text: &str) {
        if let Some(rest) = text.trim_start().strip_prefix(&*self.shown) {
            self.stream.text(rest);
        }
    }
}
