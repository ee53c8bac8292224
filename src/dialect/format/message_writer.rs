//! Writing the messages of a request, one turn after the other.

use bytes::BytesMut;

use super::Format;
use super::frames::{
    MediaPart, Pair, Speaker, escaped, is_closed_thought, media_part, thought_part, thoughts,
    unclosed,
};
use super::left_out::LeftOut;
use super::media::{Media, MediaError};
use super::pairing::{Calls, calls_tools};
use super::shape::{Api, Style, SystemPlace, Thinking};
use super::turn::{Said, Turn};
use crate::message::{Block, Role};

/// Anthropic looks back 20 blocks from a mark for what it has cached, so marks stand a little
/// closer.
const CACHE_STRIDE: usize = 16;
const CACHE_MARK: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";

/// Where the writing of messages stands; enough to go on from these bytes later.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Turns of the history that were taken.
    turns: usize,
    /// Whether the list of messages is open.
    listed: bool,
    pub(super) open: Option<Open>,
    /// Whether the open message tells a history that is not closed.
    pub(super) telling: bool,
    /// Whether a history was begun before.
    pub(super) told: bool,
    /// Whether the part that closes next gets a mark for the cache.
    marked: bool,
    /// Media that join the open message when it closes.
    media: Vec<String>,
    /// Calls whose results were written with them and stand later.
    written: Vec<Box<str>>,
}

/// A message that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    speaker: Speaker,
    content: Content,
    /// Where its content begins.
    at: usize,
}

/// What the content of the open message ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing is written yet.
    Nothing,
    /// A string that is open.
    Words,
    /// A list whose last part is words that are open.
    PartWords,
    /// A list whose last part lacks its brace.
    Part,
}

/// A place up to which a later request of a conversation that only grew has the same bytes.
#[derive(Clone, Debug)]
pub struct Mark {
    /// How many bytes stand before it.
    pub at: usize,
    /// Where the writing stood.
    pub progress: Progress,
}

impl Progress {
    /// How many turns of the history stand before it.
    pub fn turns(&self) -> usize {
        self.turns
    }
}

/// What came of writing.
#[derive(Debug)]
pub struct Written {
    /// The bytes, with the last message still open.
    pub bytes: BytesMut,
    /// Where the writing stands.
    pub progress: Progress,
    /// What later requests of the conversation may begin with.
    pub mark: Option<Mark>,
    /// What was not sent.
    pub left_out: Vec<LeftOut>,
}

/// The messages of one request while they are written. Old turns first, by [`Self::remember`], then
/// those of the open question, by [`Self::ask`]; [`Format::close`] ends what was written.
#[derive(Debug)]
pub struct MessageWriter<'f> {
    pub(super) format: &'f Format,
    /// Who the conversation belongs to.
    me: Option<&'f str>,
    out: BytesMut,
    pub(super) now: Progress,
    mark: Option<Mark>,
    /// Whether bytes before a mark changed after all.
    unmarked: bool,
    left_out: Vec<LeftOut>,
    /// Whether the turns are those of the open question.
    asking: bool,
}

impl<'f> MessageWriter<'f> {
    /// Writes on behind what `out` holds. `me` is the entity that is asked.
    pub fn new(format: &'f Format, me: Option<&'f str>, out: BytesMut, from: Progress) -> Self {
        Self {
            format,
            me,
            out,
            now: from,
            mark: None,
            unmarked: false,
            left_out: Vec::new(),
            asking: false,
        }
    }

    /// Takes the turns of the history that are not taken yet.
    ///
    /// # Errors
    /// A media file can't be sent.
    pub fn remember<'t, I>(&mut self, mut turns: I) -> Result<(), MediaError>
    where
        I: ExactSizeIterator<Item = Turn<'t>> + Clone,
    {
        let all = self.now.turns + turns.len();
        loop {
            if self.format.shape.cache_marks && has_cache_mark(self.now.turns, all) {
                // A longer history has its marks elsewhere.
                self.keep_mark();
                self.now.marked = self.now.open.is_some();
            }
            let Some(turn) = turns.next() else {
                break;
            };
            self.add(turn, turns.clone())?;
            self.now.turns += 1;
        }
        self.keep_mark();
        Ok(())
    }

    /// Takes the question and what went back and forth on it.
    ///
    /// # Errors
    /// A media file can't be sent.
    pub fn ask<'t, I>(&mut self, mut turns: I) -> Result<(), MediaError>
    where
        I: Iterator<Item = Turn<'t>> + Clone,
    {
        self.asking = true;
        self.now.marked = self.format.shape.cache_marks && self.now.open.is_some();
        if self.now.telling {
            self.end();
        }
        while let Some(turn) = turns.next() {
            self.add(turn, turns.clone())?;
        }
        Ok(())
    }

    /// What came of it.
    pub fn finish(self) -> Written {
        Written {
            bytes: self.out,
            progress: self.now,
            mark: self.mark.filter(|_| !self.unmarked),
            left_out: self.left_out,
        }
    }

    /// Says `words` to the mind, if there are any, and ends the list of messages.
    pub(super) fn close(mut self, words: &str) -> BytesMut {
        if !words.is_empty() {
            let goes_on = |open: Open| open.speaker == Speaker::User;
            if self.now.telling || !self.now.open.is_some_and(goes_on) {
                self.begin(Speaker::User, None, None);
            }
            self.words("\\n\\n", &[&escaped(words)]);
        }
        self.end();
        if !self.now.listed {
            self.put(self.format.api.list());
        }
        self.put("]");
        self.out
    }

    /// Marks this place, unless an earlier one is marked already.
    fn keep_mark(&mut self) {
        if self.mark.is_none() {
            self.mark = Some(Mark {
                at: self.out.len(),
                progress: self.now.clone(),
            });
        }
    }

    fn add<'t>(
        &mut self,
        turn: Turn<'t>,
        after: impl Iterator<Item = Turn<'t>>,
    ) -> Result<(), MediaError> {
        self.note_results(turn);
        if calls_tools(&turn) {
            self.add_calls(turn, after)
        } else if self.says_nothing(turn) {
            Ok(())
        } else if turn.role == Role::System && self.opens() {
            self.add_system(turn)
        } else {
            self.add_words(turn)
        }
    }

    /// Whether nothing but the system's words was written.
    fn opens(&self) -> bool {
        match self.now.open {
            Some(open) => open.speaker == Speaker::System,
            None => !self.now.listed,
        }
    }

    fn add_words(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        match self.format.style {
            Style::History if !self.asking => self.tell(turn),
            Style::Brackets if !self.asking => self.tell_alone(turn),
            _ => self.say(turn, self.speaker_of(turn)),
        }
    }

    /// Whether nothing of a turn would be sent: only blocks that aren't, or empty words where those
    /// are refused.
    fn says_nothing(&mut self, turn: Turn<'_>) -> bool {
        let has_opening = turn
            .shared_prefix
            .is_some_and(|text| !self.refuses(text.as_str()));
        let says = match turn.said {
            Said::Text(text) => !self.refuses(text.as_str()),
            Said::Blocks(blocks) => blocks.iter().any(|block| match block {
                Block::Text { text } => !self.refuses(text),
                block => Media::of(block).is_some(),
            }),
        };
        let nothing = !says && !has_opening;
        if nothing {
            let blocks = turn.blocks().iter();
            blocks.for_each(|block| self.note_unknown(block));
        }
        nothing
    }

    /// Whether words are empty, where empty parts are refused.
    pub(super) fn refuses(&self, words: &str) -> bool {
        self.format.api.has_parts() && words.trim().is_empty()
    }

    fn is_own(&self, turn: Turn<'_>) -> bool {
        let by_me = turn.speaker.is_none() || self.me.is_none() || turn.speaker == self.me;
        turn.role == Role::Ai && (by_me || self.asking)
    }

    fn speaker_of(&self, turn: Turn<'_>) -> Speaker {
        let as_stored = self.format.style == Style::AsStored;
        match turn.role {
            Role::System if as_stored && self.format.shape.system == SystemPlace::Message => {
                Speaker::System
            }
            Role::Ai if as_stored || self.is_own(turn) => Speaker::Assistant,
            // Words of a tool without the id of a call would be refused as a tool's message.
            _ => Speaker::User,
        }
    }

    // --- Turns as messages -----------------------------------------------------------------------

    fn add_system(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        let name = turn.speaker.filter(|_| !self.format.style.is_told());
        match (self.format.shape.system, self.now.open) {
            (SystemPlace::Member, Some(_)) => {}
            (SystemPlace::Member, None) => {
                self.put(self.format.api.system_member().0);
                self.open(Speaker::System);
            }
            (SystemPlace::Message, _) => self.begin(Speaker::System, name, None),
            (SystemPlace::User, _) => self.begin(Speaker::User, name, None),
        }
        self.words_and_media(turn)
    }

    fn say(&mut self, turn: Turn<'_>, speaker: Speaker) -> Result<(), MediaError> {
        let thoughts = match speaker {
            Speaker::Assistant => self.thoughts(turn),
            Speaker::System | Speaker::User => Vec::new(),
        };
        self.begin_thinking(speaker, turn.speaker, &thoughts);
        self.words_and_media(turn)
    }

    /// The thoughts of a turn that are sent back.
    fn thoughts<'t>(&self, turn: Turn<'t>) -> Vec<&'t Block> {
        let wanted = match self.format.shape.thinking {
            Thinking::Never => false,
            Thinking::Rounds => self.asking,
            Thinking::Always => true,
        };
        let own = self.format.style == Style::AsStored || self.is_own(turn);
        match wanted && own {
            true => thoughts(turn, &self.format.shape),
            false => Vec::new(),
        }
    }

    /// Opens a message with what was thought before it.
    fn begin_thinking(&mut self, speaker: Speaker, name: Option<&str>, thoughts: &[&Block]) {
        if self.format.api.has_parts() {
            self.begin(speaker, name, None);
            // Gemini wants its signatures back with the calls alone.
            let parts = thoughts
                .iter()
                .filter(|_| self.format.api == Api::Anthropic);
            for part in parts.filter_map(|block| thought_part(block)) {
                self.part(unclosed(&part));
            }
            return;
        }
        let texts = thoughts.iter().filter_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(&**thinking),
            _ => None,
        });
        let reasoning = texts.collect::<Vec<_>>().join("\n");
        let reasoning = Some(&*reasoning).filter(|reasoning| !reasoning.is_empty());
        self.begin(speaker, name, reasoning);
    }

    /// Writes the words and media of a turn into the open message.
    fn words_and_media(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        let shared_prefix = turn.shared_prefix.map(|text| text.escaped());
        let blocks = match turn.said {
            Said::Text(text) => {
                self.words(
                    "\\n\\n",
                    &[shared_prefix.unwrap_or_default(), text.escaped()],
                );
                return Ok(());
            }
            Said::Blocks(blocks) => blocks,
        };
        let (mut shared_prefix, mut join) = (shared_prefix.unwrap_or_default(), "\\n\\n");
        for block in blocks {
            if let Some(text) = block.as_text() {
                if shared_prefix.is_empty() && self.refuses(text) {
                    continue;
                }
                self.words(join, &[std::mem::take(&mut shared_prefix), &escaped(text)]);
            } else if let Some(media) = Media::of(block) {
                if !shared_prefix.is_empty() {
                    self.words(join, &[std::mem::take(&mut shared_prefix)]);
                    join = "\\n";
                }
                if let Some(lost) = self.media(media)? {
                    self.words(join, &[&escaped(&lost)]);
                }
            } else {
                self.note_unknown(block);
                continue;
            }
            join = "\\n";
        }
        if !shared_prefix.is_empty() {
            self.words(join, &[shared_prefix]);
        }
        Ok(())
    }

    /// Adds media to the open message. Where there is no place for them, gives the words that tell
    /// of them, if any do.
    pub(super) fn media(&mut self, media: Media<'_>) -> Result<Option<String>, MediaError> {
        let api = self.format.api;
        let by_user = self
            .now
            .open
            .is_some_and(|open| open.speaker == Speaker::User);
        // An assistant's or system's message has no place for them, but in a list of parts.
        let has_place = (by_user || api.has_parts()) && api.has_place_for(media.kind);
        let form = match has_place {
            true => media_part(api, media.kind, media.data(&*self.format.files)?),
            false => None,
        };
        match form {
            // OpenAI's form has all words of a history before its media.
            Some(MediaPart::Part(part)) if self.now.telling && api == Api::OpenAi => {
                self.make_list();
                self.now.media.push(part.to_string());
            }
            Some(MediaPart::Part(part)) => self.part(unclosed(&part)),
            Some(MediaPart::Image(image)) => self.now.media.push(image),
            None => {
                let (kind, name) = (media.kind.name(), media.name());
                let words = format!("[{kind}: {name}]");
                let name = name.into();
                self.left_out.push(LeftOut::Media { kind, name });
                return Ok(Some(words).filter(|_| self.format.shape.tell_lost_media));
            }
        }
        Ok(None)
    }

    pub(super) fn note_unknown(&mut self, block: &Block) {
        if let Block::Unknown(value) = block
            && !is_closed_thought(block)
        {
            let kind = value["type"].as_str().unwrap_or("?").into();
            self.left_out.push(LeftOut::UnknownBlock { kind });
        }
    }

    // --- Calls and results ---

    fn add_calls<'t>(
        &mut self,
        turn: Turn<'t>,
        after: impl Iterator<Item = Turn<'t>>,
    ) -> Result<(), MediaError> {
        let calls = Calls::of(turn, after);
        if self.format.style == Style::Perspective && !self.is_own(turn) {
            self.leave_out_calls_of_another(&calls);
            return self.add_beside_calls(turn);
        }
        if calls.open {
            // A later turn may bring the result, and then this one is another.
            self.keep_mark();
        }
        for call in &calls.unanswered {
            let (id, tool) = (call.id.into(), call.name.into());
            self.left_out.push(LeftOut::Unanswered { id, tool });
        }
        if calls.answered.is_empty() {
            return self.add_beside_calls(turn);
        }
        let thoughts = self.thoughts(turn);
        self.begin_thinking(Speaker::Assistant, turn.speaker, &thoughts);
        if !self.says_nothing(turn) {
            self.words_and_media(turn)?;
        }
        match self.format.api.has_parts() {
            true => self.calls_as_parts(&calls.answered),
            false => self.calls_as_members(&calls.answered),
        }
        let ids = calls.answered.iter().map(|pair| pair.call.id.into());
        self.now.written.extend(ids);
        Ok(())
    }

    /// Adds what a turn says beside calls that are not sent.
    fn add_beside_calls(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        match self.says_nothing(turn) {
            true => Ok(()),
            false => self.add_words(turn),
        }
    }

    fn leave_out_calls_of_another(&mut self, calls: &Calls<'_>) {
        let answered = calls.answered.iter().map(|pair| pair.call.id);
        let unanswered = calls.unanswered.iter().map(|call| call.id);
        for id in answered.clone().chain(unanswered) {
            self.left_out.push(LeftOut::CallOfAnother { id: id.into() });
        }
        self.now.written.extend(answered.map(Into::into));
    }

    fn calls_as_parts(&mut self, pairs: &[Pair<'_>]) {
        let (api, shape) = (self.format.api, &self.format.shape);
        for pair in pairs {
            self.part(unclosed(&pair.call(api)));
        }
        self.begin(Speaker::User, None, None);
        for pair in pairs {
            self.part(unclosed(&pair.result(api, shape)));
        }
    }

    fn calls_as_members(&mut self, pairs: &[Pair<'_>]) {
        let (api, shape) = (self.format.api, &self.format.shape);
        self.close_content();
        let calls: Vec<_> = pairs.iter().map(|pair| pair.call(api)).collect();
        self.put(",\"tool_calls\":");
        self.put(&serde_json::Value::from(calls).to_string());
        self.put("}");
        for pair in pairs {
            self.put(",");
            self.put(&pair.result(api, shape).to_string());
        }
        self.now.open = None;
    }

    /// Notes results that no call stands for; the others were written with their calls.
    fn note_results(&mut self, turn: Turn<'_>) {
        for block in turn.blocks() {
            let Block::ToolResult {
                tool_use_id: id, ..
            } = block
            else {
                continue;
            };
            match self
                .now
                .written
                .iter()
                .position(|written| **written == **id)
            {
                Some(at) => drop(self.now.written.remove(at)),
                None => self.left_out.push(LeftOut::Orphan { id: id.clone() }),
            }
        }
    }

    // --- Bytes ---

    pub(super) fn put(&mut self, piece: &str) {
        self.out.extend_from_slice(piece.as_bytes());
    }

    /// Notes that a message was opened up to its content.
    fn open(&mut self, speaker: Speaker) {
        self.now.open = Some(Open {
            speaker,
            content: Content::Nothing,
            at: self.out.len(),
        });
    }

    /// What the content of the open message ends in.
    pub(super) fn content(&self) -> Content {
        self.now.open.map_or(Content::Nothing, |open| open.content)
    }

    fn set(&mut self, content: Content) {
        if let Some(open) = &mut self.now.open {
            open.content = content;
        }
    }

    /// Opens a message; the one before is closed, or goes on where neighbours of one role are
    /// merged.
    pub(super) fn begin(&mut self, speaker: Speaker, name: Option<&str>, reasoning: Option<&str>) {
        let same = |open: Open| open.speaker == speaker && open.content != Content::Nothing;
        let goes_on = self.format.shape.merge && !self.now.telling && reasoning.is_none();
        if goes_on && self.now.open.is_some_and(same) {
            return;
        }
        self.end();
        match self.now.listed {
            true => self.put(","),
            false => self.put(self.format.api.list()),
        }
        self.now.listed = true;
        let api = self.format.api;
        let name = name.filter(|_| self.format.shape.names && api.has_names());
        api.open_message(&mut self.out, speaker, name, reasoning);
        self.open(speaker);
    }

    /// Writes escaped pieces into the open message: as a part of their own, or within its string
    /// behind `join`.
    pub(super) fn words(&mut self, join: &str, pieces: &[&str]) {
        let api = self.format.api;
        let listed = api.has_parts() || (self.format.shape.parts && api.knows_parts());
        match self.content() {
            Content::Words => self.put(join),
            Content::Nothing if !listed => {
                self.put("\"");
                self.set(Content::Words);
            }
            content => {
                if content == Content::Nothing {
                    self.put("[");
                } else {
                    self.close_part();
                    self.put(",");
                }
                self.put(api.text_part());
                self.set(Content::PartWords);
            }
        }
        pieces.iter().for_each(|piece| self.put(piece));
    }

    /// Writes a part, which lacks its last brace, into the open message.
    fn part(&mut self, part: String) {
        self.make_list();
        if self.content() == Content::Nothing {
            self.put("[");
        } else {
            self.close_part();
            self.put(",");
        }
        self.put(&part);
        self.set(Content::Part);
    }

    /// Makes a list of parts of content that is a string so far.
    fn make_list(&mut self) {
        let Some(open) = self.now.open.filter(|open| open.content == Content::Words) else {
            return;
        };
        let rest = self.out.split_off(open.at);
        let part = self.format.api.text_part();
        self.put("[");
        self.put(&part[..part.len() - 1]);
        self.out.extend_from_slice(&rest);
        self.set(Content::PartWords);
        self.unmarked |= self.mark.as_ref().is_some_and(|mark| mark.at > open.at);
    }

    fn close_part(&mut self) {
        if self.content() == Content::PartWords {
            self.put("\"");
        }
        if std::mem::take(&mut self.now.marked) {
            self.put(CACHE_MARK);
        }
        self.put("}");
    }

    /// Closes what the open message says; whatever else it has may follow.
    fn close_content(&mut self) {
        let media = std::mem::take(&mut self.now.media);
        match self.content() {
            Content::Nothing => self.put(self.format.shape.no_words.written()),
            Content::Words => self.put("\""),
            Content::PartWords | Content::Part => {
                self.close_part();
                if self.format.api != Api::Ollama {
                    for part in &media {
                        self.put(",");
                        self.put(part);
                    }
                }
                self.put("]");
            }
        }
        if self.format.api == Api::Ollama && !media.is_empty() {
            self.put(",\"images\":[");
            self.put(&media.join(","));
            self.put("]");
        }
    }

    /// Closes the open message, if one is.
    pub(super) fn end(&mut self) {
        self.end_telling();
        let Some(open) = self.now.open else {
            return;
        };
        if open.speaker == Speaker::System && self.format.shape.system == SystemPlace::Member {
            // The rules are the same in every request.
            self.now.marked = self.format.shape.cache_marks;
            self.close_content();
            self.put(self.format.api.system_member().1);
        } else {
            self.close_content();
            self.put("}");
        }
        self.now.open = None;
    }
}

/// Whether the part that ends the first so many of all turns gets a mark: at the last two multiples
/// of a stride, so that a request finds what an earlier one had cached although many turns lie in
/// between. With the rules and the end of the history that makes four, the most that Anthropic
/// takes.
fn has_cache_mark(turns: usize, all: usize) -> bool {
    let last = all - all % CACHE_STRIDE;
    turns > 0 && turns.is_multiple_of(CACHE_STRIDE) && turns + CACHE_STRIDE >= last && turns < all
}
