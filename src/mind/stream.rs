//! What a mind writes, shown while it writes it.
//!
//! Pieces are for people's eyes alone: they never reach the world, the journal, or a prompt, and
//! nothing waits for whoever watches. A [`Prompt`](super::Prompt) lends its mind the
//! [`AnswerStream`] of one answer, and all pieces of a run come out of one [`StreamReceiver`]. What
//! is shown is a promise that may be broken: an answer that breaks off, fails its check, or turns
//! out to be calls of tools was shown in vain, and [`StreamDeltaKind::Retract`] says so. The whole
//! answer alone counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use unicode_width::UnicodeWidthChar;

use super::ToolRound;

/// The most pieces that wait for a watcher. Of an answer that overfills the queue no more is shown,
/// so that a slow watcher costs neither time nor memory.
const LONGEST_QUEUE: usize = 4096;

/// One thing that is shown of an answer on its way.
#[derive(Clone, Debug)]
pub struct StreamDelta {
    /// Who answers.
    pub entity: Arc<str>,
    /// The number of the ask among all of its entity, from 1.
    pub number: u32,
    /// What is shown.
    pub kind: StreamDeltaKind,
}

/// What is shown of an answer on its way.
#[derive(Clone, Debug)]
pub enum StreamDeltaKind {
    /// More of its text.
    Text(String),
    /// Its mind called tools before it goes on.
    Tools(ToolRound),
    /// The text that was shown since the last such piece will not be the answer.
    Retract,
}

/// A queue of pieces: where they come from, and where they are watched.
pub fn stream_channel() -> (StreamSender, StreamReceiver) {
    let (sender, receiver) = channel(LONGEST_QUEUE);
    (StreamSender(sender), StreamReceiver(receiver))
}

/// Where the pieces of all answers of a run come from.
#[derive(Clone, Debug)]
pub struct StreamSender(Sender<StreamDelta>);

impl StreamSender {
    /// The pieces of one answer: of the ask of this number, by this entity.
    pub fn of(&self, entity: Arc<str>, number: u32) -> AnswerStream {
        AnswerStream(Arc::new(Sink {
            sender: self.0.clone(),
            entity,
            number,
            shown: AtomicBool::new(false),
            lost: AtomicBool::new(false),
        }))
    }
}

/// Where the pieces of all answers of a run are watched.
#[derive(Debug)]
pub struct StreamReceiver(Receiver<StreamDelta>);

impl StreamReceiver {
    /// The next piece, as soon as there is one; nothing where none can come any more.
    pub async fn next(&mut self) -> Option<StreamDelta> {
        self.0.recv().await
    }

    /// The next piece, if one is there already.
    pub fn next_now(&mut self) -> Option<StreamDelta> {
        self.0.try_recv().ok()
    }

    /// As [`Self::next`], for futures written by hand.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<StreamDelta>> {
        self.0.poll_recv(cx)
    }
}

/// The pieces of one answer. Sending never waits and never fails: a piece that nobody can take is
/// lost, and with it all that follows of the answer. Clones are of the same answer.
#[derive(Clone, Debug)]
pub struct AnswerStream(Arc<Sink>);

#[derive(Debug)]
struct Sink {
    sender: Sender<StreamDelta>,
    entity: Arc<str>,
    number: u32,
    /// Whether text was shown that is not void.
    shown: AtomicBool,
    /// Whether a piece was lost.
    lost: AtomicBool,
}

impl AnswerStream {
    /// Shows more of the text, as it came.
    pub fn text(&self, text: &str) {
        if !text.is_empty() {
            self.0.shown.store(true, Ordering::Relaxed);
            self.send(StreamDeltaKind::Text(text.to_owned()));
        }
    }

    /// Shows a text that is whole already, in pieces as a model writes them.
    pub fn say(&self, text: &str) {
        in_pieces(text).for_each(|piece| self.text(piece));
    }

    /// Shows a round of calls of tools.
    pub fn tools(&self, round: ToolRound) {
        self.send(StreamDeltaKind::Tools(round));
    }

    /// Says that the text that was shown will not be the answer; nothing where none was.
    pub fn retract(&self) {
        if self.0.shown.swap(false, Ordering::Relaxed) {
            self.send(StreamDeltaKind::Retract);
        }
    }

    fn send(&self, kind: StreamDeltaKind) {
        let sink = &*self.0;
        if sink.lost.load(Ordering::Relaxed) {
            return;
        }
        let piece = StreamDelta {
            entity: sink.entity.clone(),
            number: sink.number,
            kind,
        };
        if sink.sender.try_send(piece).is_err() {
            sink.lost.store(true, Ordering::Relaxed);
        }
    }
}

/// A text in pieces: words with the blanks behind them, and a few characters at a time where a
/// script has no blanks.
fn in_pieces(text: &str) -> impl Iterator<Item = &str> {
    /// The most characters of a piece, and the most wide ones.
    const LONGEST: (usize, usize) = (24, 4);
    let mut rest = text;
    std::iter::from_fn(move || {
        let (mut count, mut wide) = (0, 0);
        let end = rest.char_indices().find_map(|(at, character)| {
            count += 1;
            wide += usize::from(character.width() == Some(2));
            let ends = character.is_whitespace() || count == LONGEST.0 || wide == LONGEST.1;
            ends.then(|| at + character.len_utf8())
        });
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What waits to be seen, in short.
    fn waiting(receiver: &mut StreamReceiver) -> Vec<String> {
        let all = std::iter::from_fn(|| receiver.next_now());
        let all = all.map(|piece| match piece.kind {
            StreamDeltaKind::Text(text) => text,
            StreamDeltaKind::Tools(_) => "(tools)".into(),
            StreamDeltaKind::Retract => "(retract)".into(),
        });
        all.collect()
    }

    #[test]
    fn a_text_is_cut_at_words_and_every_few_characters_of_chinese() {
        for (text, wanted) in [
            ("hello there friend", vec!["hello ", "there ", "friend"]),
            ("海边的雨停了，走吧。", vec!["海边的雨", "停了，走", "吧。"]),
            ("a\n\nb", vec!["a\n", "\n", "b"]),
            ("", vec![]),
        ] {
            let pieces: Vec<_> = in_pieces(text).collect();
            assert_eq!(pieces, wanted);
            assert_eq!(pieces.concat(), text);
        }
    }

    #[test]
    fn only_what_was_shown_can_be_void() {
        let (sender, mut receiver) = stream_channel();
        let pieces = sender.of("Mira".into(), 1);
        pieces.retract();
        pieces.text("");
        pieces.retract();
        assert!(waiting(&mut receiver).is_empty());
        pieces.text("a");
        pieces.retract();
        pieces.retract();
        pieces.text("b");
        assert_eq!(waiting(&mut receiver), ["a", "(retract)", "b"]);
    }

    #[test]
    fn of_an_answer_that_overfills_the_queue_no_more_is_shown() {
        let (sender, mut receiver) = stream_channel();
        let (long, short) = (sender.of("Mira".into(), 1), sender.of("Tobin".into(), 1));
        (0..=LONGEST_QUEUE).for_each(|_| long.text("x"));
        assert_eq!(waiting(&mut receiver).len(), LONGEST_QUEUE);
        long.text("a gap would stand before this");
        short.text("y");
        assert_eq!(waiting(&mut receiver), ["y"]);
    }

    #[test]
    fn nobody_needs_to_watch() {
        let (sender, receiver) = stream_channel();
        drop(receiver);
        sender.of("Mira".into(), 1).say("to nobody");
    }
}
