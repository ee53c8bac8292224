//! The words of an answer, shown while they arrive.

use crate::dialect::thinking::StreamSplitter;
use crate::mind::AnswerStream;

/// Shows what is said of an answer, and nothing of what is thought.
pub(super) struct SpokenPieces<'a> {
    stream: &'a AnswerStream,
    splitter: StreamSplitter,
    /// How many bytes of the words were looked at.
    seen: usize,
    /// The text that was shown.
    shown: String,
}

impl<'a> SpokenPieces<'a> {
    /// Shows an answer of which nothing has come.
    pub(super) fn new(stream: &'a AnswerStream) -> Self {
        Self {
            stream,
            splitter: StreamSplitter::default(),
            seen: 0,
            shown: String::new(),
        }
    }

    /// Shows what is new in these words, the answer's as far as they have come.
    pub(super) fn show(&mut self, words: &str) {
        let new = words.get(self.seen..).unwrap_or_default();
        self.seen = words.len();
        let piece = self.splitter.push(new);
        if piece.was_thought {
            self.stream.retract();
            self.shown.clear();
        }
        self.give(&piece.text);
    }

    /// Shows what is left of the answer: its end may have looked like the begin of a tag.
    pub(super) fn finish(self, text: &str) {
        if let Some(rest) = text.trim_start().strip_prefix(&*self.shown) {
            self.stream.text(rest);
        }
    }

    fn give(&mut self, text: &str) {
        self.stream.text(text);
        self.shown.push_str(text);
    }
}
