//! Showing the text of an answer while it arrives.

use playhouse_engine::mind::AnswerStream;
use playhouse_engine::reading::{OwnMarks, StreamSplitter, before_calls};
use playhouse_engine::secrets::{begun, redact};

/// Shows the text of an answer, without its thoughts, calls and secrets.
pub(super) struct TextStream<'a> {
    stream: &'a AnswerStream,
    splitter: StreamSplitter,
    /// Whether calls may be in the text.
    hides_calls: bool,
    /// How many bytes of the answer were read.
    read: usize,
    /// The text that may be shown, before secrets are masked.
    text: String,
    /// How many bytes of `text` were shown. What may begin a secret waits for its rest.
    shown: usize,
}

impl<'a> TextStream<'a> {
    pub(super) fn new(stream: &'a AnswerStream, marks: OwnMarks, hides_calls: bool) -> Self {
        Self {
            stream,
            splitter: StreamSplitter::with_marks(marks),
            hides_calls,
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
        let may_show = match self.hides_calls {
            true => waiting
                .get(..before_calls(waiting, self.shown == 0))
                .unwrap_or_default(),
            false => waiting,
        };
        let ready = may_show.len() - begun(may_show);
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
