//! Watching answers while they are written.
//!
//! Deltas are for people alone: they never reach the world, the journal, or a prompt, and nothing
//! waits for viewers. A [`Prompt`](super::Prompt) has the [`AnswerStream`] of one answer;
//! all deltas of a run arrive at one [`StreamReceiver`]. Only the whole answer counts: if it breaks
//! off, fails its check, or turns out to be tool calls, [`StreamDeltaKind::Retract`] takes back
//! what was shown.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use unicode_width::UnicodeWidthChar;

use super::json_words::JsonWords;
use super::tool_round::ToolRound;

/// How many deltas may wait to be received. An answer that exceeds the queue is not shown any
/// further, so that a slow watcher costs neither time nor memory.
const MAX_QUEUE: usize = 4096;

/// A part of an answer that is being written.
#[derive(Clone, Debug)]
pub struct StreamDelta {
    pub entity: Arc<str>,
    /// The number of the ask among those of the entity, from 1.
    pub number: u32,
    pub kind: StreamDeltaKind,
}

/// What a part of an answer is.
#[derive(Clone, Debug)]
pub enum StreamDeltaKind {
    Text(String),
    /// Tool calls, and their results.
    Tools(ToolRound),
    /// The text since the last retraction will not be part of the answer.
    Retract,
}

pub fn stream_channel() -> (StreamSender, StreamReceiver) {
    let (sender, receiver) = channel(MAX_QUEUE);
    (StreamSender(sender), StreamReceiver(receiver))
}

/// Sends the deltas of all answers of a run.
#[derive(Clone, Debug)]
pub struct StreamSender(Sender<StreamDelta>);

impl StreamSender {
    /// The stream of one answer: of this entity, to the ask of this number.
    pub fn answer(&self, entity: Arc<str>, number: u32) -> AnswerStream {
        self.stream(entity, number, None)
    }

    /// As [`Self::answer`], for an answer in JSON: what is sent are the words in it, which are the
    /// values of members that may hold any text by this schema.
    pub fn words_of_answer(&self, entity: Arc<str>, number: u32, schema: &Value) -> AnswerStream {
        let words = JsonWords::of_schema(schema);
        self.stream(entity, number, Some(Mutex::new(words)))
    }

    fn stream(
        &self,
        entity: Arc<str>,
        number: u32,
        words: Option<Mutex<JsonWords>>,
    ) -> AnswerStream {
        AnswerStream(Arc::new(Sink {
            sender: self.0.clone(),
            entity,
            number,
            words,
            has_text: AtomicBool::new(false),
            is_lost: AtomicBool::new(false),
        }))
    }
}

/// Receives the deltas of all answers of a run.
#[derive(Debug)]
pub struct StreamReceiver(Receiver<StreamDelta>);

impl StreamReceiver {
    /// Waits for the next delta; `None` if there will be no more.
    pub async fn next(&mut self) -> Option<StreamDelta> {
        self.0.recv().await
    }

    /// The next delta, if there is one already.
    pub fn try_next(&mut self) -> Option<StreamDelta> {
        self.0.try_recv().ok()
    }

    /// Like [`Self::next`], for futures written by hand.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<StreamDelta>> {
        self.0.poll_recv(cx)
    }
}

/// Sends the deltas of one answer. Sending never waits and never fails: if a delta can't be sent,
/// it and the rest of the answer are lost. Clones belong to the same answer.
#[derive(Clone, Debug)]
pub struct AnswerStream(Arc<Sink>);

#[derive(Debug)]
struct Sink {
    sender: Sender<StreamDelta>,
    entity: Arc<str>,
    number: u32,
    /// Finds the words of an answer in JSON; `None` if all of it is words.
    words: Option<Mutex<JsonWords>>,
    /// Whether text was sent since the last retraction.
    has_text: AtomicBool,
    is_lost: AtomicBool,
}

impl AnswerStream {
    pub fn text(&self, text: &str) {
        let text = match self.words() {
            Some(mut words) => words.read(text),
            None => text.to_owned(),
        };
        if !text.is_empty() {
            self.0.has_text.store(true, Ordering::Relaxed);
            self.send(StreamDeltaKind::Text(text));
        }
    }

    fn words(&self) -> Option<MutexGuard<'_, JsonWords>> {
        let words = self.0.words.as_ref()?;
        Some(words.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends a text that is complete already, in parts as a model would.
    pub fn say(&self, text: &str) {
        parts(text).for_each(|part| self.text(part));
    }

    /// Sends tool calls and their results.
    pub fn tools(&self, round: ToolRound) {
        self.send(StreamDeltaKind::Tools(round));
    }

    /// Takes back the text that was sent, if there was any.
    pub fn retract(&self) {
        if let Some(mut words) = self.words() {
            words.restart();
        }
        if self.0.has_text.swap(false, Ordering::Relaxed) {
            self.send(StreamDeltaKind::Retract);
        }
    }

    fn send(&self, kind: StreamDeltaKind) {
        let sink = &*self.0;
        if sink.is_lost.load(Ordering::Relaxed) {
            return;
        }
        let delta = StreamDelta {
            entity: sink.entity.clone(),
            number: sink.number,
            kind,
        };
        if sink.sender.try_send(delta).is_err() {
            sink.is_lost.store(true, Ordering::Relaxed);
        }
    }
}

/// A text in parts: words with the white space after them, or a few characters if a script has no
/// white space.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    const MAX_CHARS: usize = 24;
    const MAX_WIDE_CHARS: usize = 4;
    let mut rest = text;
    std::iter::from_fn(move || {
        let (mut count, mut wide) = (0, 0);
        let end = rest.char_indices().find_map(|(start, character)| {
            count += 1;
            wide += usize::from(character.width() == Some(2));
            let is_full = count == MAX_CHARS || wide == MAX_WIDE_CHARS;
            (is_full || character.is_whitespace()).then(|| start + character.len_utf8())
        });
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The deltas that wait, in short.
    fn waiting(receiver: &mut StreamReceiver) -> Vec<String> {
        let deltas = std::iter::from_fn(|| receiver.try_next());
        let shown = deltas.map(|delta| match delta.kind {
            StreamDeltaKind::Text(text) => text,
            StreamDeltaKind::Tools(_) => "(tools)".into(),
            StreamDeltaKind::Retract => "(retract)".into(),
        });
        shown.collect()
    }

    #[test]
    fn a_text_is_cut_at_words_and_every_few_characters_of_chinese() {
        for (text, wanted) in [
            ("hello there friend", vec!["hello ", "there ", "friend"]),
            ("海边的雨停了，走吧。", vec!["海边的雨", "停了，走", "吧。"]),
            ("a\n\nb", vec!["a\n", "\n", "b"]),
            ("", vec![]),
        ] {
            let parts: Vec<_> = parts(text).collect();
            assert_eq!(parts, wanted);
            assert_eq!(parts.concat(), text);
        }
    }

    #[test]
    fn only_text_that_was_sent_can_be_retracted() {
        let (sender, mut receiver) = stream_channel();
        let answer = sender.answer("Mira".into(), 1);
        answer.retract();
        answer.text("");
        answer.retract();
        assert!(waiting(&mut receiver).is_empty());
        answer.text("a");
        answer.retract();
        answer.retract();
        answer.text("b");
        assert_eq!(waiting(&mut receiver), ["a", "(retract)", "b"]);
    }

    #[test]
    fn an_answer_that_exceeds_the_queue_is_not_shown_any_further() {
        let (sender, mut receiver) = stream_channel();
        let (long, short) = (
            sender.answer("Mira".into(), 1),
            sender.answer("Tobin".into(), 1),
        );
        (0..=MAX_QUEUE).for_each(|_| long.text("x"));
        assert_eq!(waiting(&mut receiver).len(), MAX_QUEUE);
        long.text("a gap would stand before this");
        short.text("y");
        assert_eq!(waiting(&mut receiver), ["y"]);
    }
}
