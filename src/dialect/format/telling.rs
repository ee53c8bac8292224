//! Telling one mind what everybody said, in one text.

use std::borrow::Cow;

use super::frames::{Speaker, escaped};
use super::guard::Guard;
use super::media::{Media, MediaError};
use super::message_writer::{Content, MessageWriter};
use super::names::label;
use super::shape::Style;
use super::turn::{Said, Turn};
use crate::message::Text;

impl MessageWriter<'_> {
    /// Tells a turn within a history.
    pub(super) fn tell(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        self.tell_blocks(turn, |script, turn, first| script.begin_line(turn, first))
    }

    /// Tells a turn in a message of its own.
    pub(super) fn tell_alone(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        self.begin(Speaker::User, None, None);
        self.tell_blocks(turn, |script, turn, first| {
            let name = match turn.speaker {
                Some(name) if first => format!("[{}]: ", escaped(&label(name))),
                _ => String::new(),
            };
            script.words(if first { "\\n\\n" } else { "\\n" }, &[&name]);
        })
    }

    /// Tells the words and media of a turn. `begin` begins its first and its later texts, up to the
    /// words.
    fn tell_blocks(
        &mut self,
        turn: Turn<'_>,
        begin: impl Fn(&mut Self, Turn<'_>, bool),
    ) -> Result<(), MediaError> {
        let blocks = match turn.said {
            Said::Text(text) => {
                begin(self, turn, true);
                self.put_opening(turn);
                self.put_text(turn, text);
                return Ok(());
            }
            Said::Blocks(blocks) => blocks,
        };
        let mut first = true;
        for block in blocks {
            if let Some(text) = block.as_text() {
                if self.refuses(text) {
                    continue;
                }
                begin(self, turn, first);
                if first {
                    self.put_opening(turn);
                }
                let clear = escaped(&self.clear(turn, text));
                self.put(&clear);
            } else if let Some(media) = Media::of(block) {
                let heads = first && self.has_heading(turn);
                if heads {
                    // Whose they are.
                    begin(self, turn, true);
                    self.put_opening(turn);
                }
                if let Some(lost) = self.media(media)? {
                    if !heads {
                        begin(self, turn, first);
                    }
                    let clear = escaped(&self.clear(turn, &lost));
                    self.put(&clear);
                }
            } else {
                self.note_unknown(block);
                continue;
            }
            first = false;
        }
        if first {
            begin(self, turn, true);
            self.put_opening(turn);
        }
        Ok(())
    }

    /// Whether words stand before the first media of a turn.
    fn has_heading(&self, turn: Turn<'_>) -> bool {
        let begins = self.format.style == Style::History && !self.now.telling;
        begins || turn.speaker.is_some() || turn.shared_prefix.is_some()
    }

    /// Begins a line of a history, and the history itself where none is open.
    fn begin_line(&mut self, turn: Turn<'_>, _: bool) {
        let shape = &self.format.shape;
        if !self.now.telling {
            let header = if self.now.told { "" } else { &*shape.header };
            let begin = escaped(&format!("{header}{}", shape.history_begin));
            self.begin(Speaker::User, None, None);
            self.words("\\n\\n", &[&begin]);
            (self.now.telling, self.now.told) = (true, true);
        } else if self.content() == Content::Part {
            self.words("", &[]);
        } else {
            self.put("\\n");
        }
        if let Some(name) = turn.speaker {
            let name = format!("{}: ", escaped(&label(name)));
            self.put(&name);
        }
    }

    /// Ends the history that is told, if one is.
    pub(super) fn end_telling(&mut self) {
        if !self.now.telling {
            return;
        }
        let end = escaped(&self.format.shape.history_end);
        match self.content() {
            Content::Part => self.words("", &[&end]),
            _ => {
                self.put("\\n");
                self.put(&end);
            }
        }
        self.now.telling = false;
    }

    fn put_opening(&mut self, turn: Turn<'_>) {
        if let Some(shared_prefix) = turn.shared_prefix {
            self.put_text(turn, shared_prefix);
        }
    }

    /// Writes a text, whose escaped form is known already, unless something in it must be cleared.
    fn put_text(&mut self, turn: Turn<'_>, text: &Text) {
        match self.clear(turn, text.as_str()) {
            Cow::Borrowed(_) => self.put(text.escaped()),
            Cow::Owned(clear) => self.put(&escaped(&clear)),
        }
    }

    /// What a turn says without anything that looks like a mark of ours.
    fn clear<'t>(&self, turn: Turn<'_>, text: &'t str) -> Cow<'t, str> {
        let guard = Guard {
            header: &self.format.shape.header,
            brackets: self.format.style == Style::Brackets,
        };
        guard.clear(text, turn.speaker.is_none())
    }
}
