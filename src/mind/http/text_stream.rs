//! Showing the text of an answer while it arrives.

use crate::dialect::thinking::StreamSplitter;
use crate::mind::stream::AnswerStream;
use crate::secrets::{begun, redact};

/// Shows the text of an answer, without its thoughts and without secrets.
pub(super) struct TextStream<'a> {
    stream: &'a AnswerStream,
    splitter: StreamSplitter,
    /// How many bytes of the answer were read.
    read: usize,
    /// The text that may be shown, before secrets are masked.
    text: String,
    /// How many bytes of `text` were shown. What may begin a secret waits for its rest.
    shown: usize,
}

impl<'a> TextStream<'a> {
    pub(super) fn new(stream: &'a AnswerStream) -> Self {
        Self {
            stream,
            splitter: StreamSplitter::default(),
            read: 0,
            text: String::new(),
            shown: 0,
        }
    }

    /// Shows what is new in an answer, given as far as it has arrived.
    pub(super) fn show(&mut self, answer: &str) {
        let new = answer.get(self.read..).unwrap_or_default();
        self.read = answer.len();
        let delta = self.splitter.push(new);
        if delta.was_thought {
            self.stream.retract();
            self.text.clear();
            self.shown = 0;
        }
        self.text.push_str(&delta.text);
        let waiting = self.text.get(self.shown..).unwrap_or_default();
        let ready = waiting.len() - begun(waiting);
        self.stream
            .text(&redact(waiting.get(..ready).unwrap_or_default()));
        self.shown += ready;
    }

    /// Shows the rest of the text, whose end may have looked like the start of a tag.
    pub(super) fn finish(self, text: &str) {
        let shown = self.text.get(..self.shown).unwrap_or_default();
        if let Some(rest) = text.trim_start().strip_prefix(shown) {
            self.stream.text(&redact(rest));
        }
    }
}
