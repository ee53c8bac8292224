//! Writing the turns of a conversation as a provider's messages.
//!
//! What is written for a turn depends on the turns before it alone, except for cache breakpoints,
//! the results of its calls, and media that stand behind the words of a transcript. So a request
//! begins with the bytes of the previous one, which providers have cached, up to the end of a
//! history that only grew.

use std::borrow::Cow;

use playhouse_engine::message::{Block, Role, Text, escaped};
use playhouse_engine::mind::{Turn, TurnContent};
use serde_json::{Value, json};

use super::guard::TranscriptMarks;
use super::media::{Media, MediaError};
use super::message_list::{ListEnd, MessageList};
use super::names::label;
use super::omission::Omission;
use super::options::{Api, Format, Style, SystemPlace, ThinkingPolicy};
use super::pairing::{Calls, calls_tools};
use super::wire::{
    MediaPart, Pair, SentOutput, Speaker, is_thought, may_return, media_part, thought_part,
};

/// Anthropic looks back 20 blocks from a breakpoint for what it has cached, so breakpoints are set
/// a little closer.
const BREAKPOINT_STRIDE: usize = 16;

/// How far a transcript of style [`Style::History`] is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Transcript {
    #[default]
    NotBegun,
    /// The open message ends within one.
    Open,
    Ended,
}

/// The turns of a request.
#[derive(Debug)]
pub struct Written {
    /// Their JSON; the last message is still open.
    pub json: Vec<u8>,
    pub end: ListEnd,
    /// What was not sent.
    pub omissions: Vec<Omission>,
}

/// Writes the messages of one request: the history by [`Self::write_history`], then the turns of
/// the open question by [`Self::write_question`]. [`ListEnd::close`] ends the list.
#[derive(Debug)]
pub struct MessageWriter<'f> {
    format: &'f Format,
    /// Who the conversation belongs to.
    me: Option<&'f str>,
    list: MessageList<'f>,
    transcript: Transcript,
    /// Calls whose results were written with them, although their own turns come later.
    answered: Vec<Box<str>>,
    omissions: Vec<Omission>,
    /// Whether the turns belong to the open question.
    in_question: bool,
}

impl<'f> MessageWriter<'f> {
    /// Writes after `json`. `me` is the name of the entity that is asked.
    pub fn new(format: &'f Format, me: Option<&'f str>, json: Vec<u8>) -> Self {
        Self {
            format,
            me,
            list: MessageList::new(format, json, ListEnd::default()),
            transcript: Transcript::default(),
            answered: Vec::new(),
            omissions: Vec::new(),
            in_question: false,
        }
    }

    /// Writes the turns of the history.
    ///
    /// # Errors
    /// A media file can't be sent.
    pub fn write_history<'t, I>(&mut self, mut turns: I) -> Result<(), MediaError>
    where
        I: ExactSizeIterator<Item = Turn<'t>> + Clone,
    {
        let total = turns.len();
        while let Some(turn) = turns.next() {
            self.write_turn(turn, turns.clone())?;
            if has_breakpoint(total - turns.len(), total) {
                self.list.set_breakpoint();
            }
        }
        Ok(())
    }

    /// Writes the question and its rounds.
    ///
    /// # Errors
    /// A media file can't be sent.
    pub fn write_question<'t, I>(&mut self, mut turns: I) -> Result<(), MediaError>
    where
        I: Iterator<Item = Turn<'t>> + Clone,
    {
        self.in_question = true;
        self.list.set_breakpoint();
        self.end_transcript();
        while let Some(turn) = turns.next() {
            self.write_turn(turn, turns.clone())?;
        }
        Ok(())
    }

    /// Whether there is a message, other than a system message beside the list.
    pub fn has_messages(&self) -> bool {
        self.list.has_messages()
    }

    pub fn finish(mut self) -> Written {
        self.end_transcript();
        Written {
            json: self.list.json,
            end: self.list.end,
            omissions: self.omissions,
        }
    }

    // --- Turns ---------------------------------------------------------------------------------

    fn write_turn<'t>(
        &mut self,
        turn: Turn<'t>,
        later: impl Iterator<Item = Turn<'t>>,
    ) -> Result<(), MediaError> {
        self.omit_orphans(turn);
        if calls_tools(&turn) {
            self.write_calls(turn, later)
        } else if turn.role == Role::System && self.list.is_at_start() && !self.is_blank(turn) {
            self.write_system(turn)
        } else {
            self.write_said(turn)
        }
    }

    fn write_system(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        let is_transcript = self.format.style.is_transcript();
        let name = turn.speaker.filter(|_| !is_transcript);
        match self.format.options.system {
            SystemPlace::Member => self.list.begin_system_member(),
            SystemPlace::Message => self.list.begin(Speaker::System, name, None),
            SystemPlace::User => self.list.begin(Speaker::User, name, None),
        }
        self.omit_thoughts(turn, &[]);
        self.write_content(turn, false)
    }

    fn write_said(&mut self, turn: Turn<'_>) -> Result<(), MediaError> {
        let is_blank = self.is_blank(turn);
        let in_transcript = self.format.style.is_transcript() && !self.in_question;
        let speaker = self.speaker_of(turn);
        // Thoughts alone are a message only where they are parts, and where all are sent back,
        // since some servers refuse it.
        let Format { api, options, .. } = self.format;
        let are_sent_alone = api.requires_parts() && options.thinking == ThinkingPolicy::Always;
        let thoughts = match speaker {
            Speaker::Assistant if !in_transcript && (!is_blank || are_sent_alone) => {
                self.thoughts(turn)
            }
            _ => Vec::new(),
        };
        self.omit_thoughts(turn, &thoughts);
        if is_blank && thoughts.is_empty() {
            turn.blocks()
                .iter()
                .for_each(|block| self.omit_unknown(block));
            return Ok(());
        }
        if in_transcript {
            if self.format.style == Style::Brackets {
                self.list.begin(Speaker::User, None, None);
            }
            return self.write_content(turn, true);
        }
        self.begin_with_thoughts(speaker, turn.speaker, &thoughts);
        self.write_content(turn, false)
    }

    /// Whether nothing of a turn would be sent: it has only blocks that aren't sent, or blank text.
    fn is_blank(&self, turn: Turn<'_>) -> bool {
        let is_sent = |text: &str| !text.trim_start().is_empty();
        let has_prefix = turn
            .shared_prefix
            .is_some_and(|text| is_sent(text.as_str()));
        let says_something = match turn.content {
            TurnContent::Text(text) => is_sent(text.as_str()),
            TurnContent::Blocks(blocks) => blocks.iter().any(|block| match block {
                Block::Text { text } => is_sent(text),
                block => Media::of(block).is_some(),
            }),
        };
        !has_prefix && !says_something
    }

    /// Whether a provider refuses a text because it is blank.
    fn refuses(&self, text: &str) -> bool {
        self.format.api.requires_parts() && text.trim().is_empty()
    }

    fn is_own(&self, turn: Turn<'_>) -> bool {
        let by_me = turn.speaker.is_none() || self.me.is_none() || turn.speaker == self.me;
        turn.role == Role::Ai && (by_me || self.in_question)
    }

    fn speaker_of(&self, turn: Turn<'_>) -> Speaker {
        let as_stored = self.format.style == Style::AsStored;
        match turn.role {
            Role::System if as_stored && self.format.options.system == SystemPlace::Message => {
                Speaker::System
            }
            Role::Ai if as_stored || self.is_own(turn) => Speaker::Assistant,
            // Text of a tool without the id of a call would be refused as a tool's message.
            _ => Speaker::User,
        }
    }

    /// The thoughts of a turn that are sent back.
    fn thoughts<'t>(&self, turn: Turn<'t>) -> Vec<&'t Block> {
        let are_wanted = match self.format.options.thinking {
            ThinkingPolicy::Never => false,
            ThinkingPolicy::Rounds => self.in_question,
            ThinkingPolicy::Always => true,
        };
        if are_wanted && (self.format.style == Style::AsStored || self.is_own(turn)) {
            let Format { api, options, .. } = self.format;
            let blocks = turn.blocks().iter();
            blocks
                .filter(|block| is_thought(block) && may_return(*api, options, block))
                .collect()
        } else {
            Vec::new()
        }
    }

    /// Reports the thoughts of a turn that are not among those sent.
    fn omit_thoughts(&mut self, turn: Turn<'_>, sent: &[&Block]) {
        let thoughts = turn.blocks().iter().filter(|block| is_thought(block));
        let omitted = thoughts.count().saturating_sub(sent.len());
        let omitted = std::iter::repeat_n(Omission::Thought, omitted);
        self.omissions.extend(omitted);
    }

    /// Opens a message that begins with thoughts.
    fn begin_with_thoughts(&mut self, speaker: Speaker, name: Option<&str>, thoughts: &[&Block]) {
        if self.format.api.requires_parts() {
            self.list.begin(speaker, name, None);
            let parts = thoughts.iter().filter_map(|block| thought_part(block));
            parts.for_each(|part| self.list.part(&part));
            return;
        }
        let texts = thoughts.iter().filter_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(&**thinking),
            _ => None,
        });
        let reasoning = texts.collect::<Vec<_>>().join("\n");
        let reasoning = Some(&*reasoning).filter(|reasoning| !reasoning.is_empty());
        self.list.begin(speaker, name, reasoning);
    }

    // --- Texts and media -----------------------------------------------------------------------

    /// Writes the texts and media of a turn into the open message; within a transcript with the
    /// name of the speaker, and with nothing that could be mistaken for another turn.
    fn write_content(&mut self, turn: Turn<'_>, in_transcript: bool) -> Result<(), MediaError> {
        let blocks = match turn.content {
            TurnContent::Text(text) => {
                self.begin_text(turn, in_transcript, true);
                self.put_text(turn, in_transcript, text);
                return Ok(());
            }
            TurnContent::Blocks(blocks) => blocks,
        };
        let mut is_first = true;
        for block in blocks {
            if let Some(text) = block.as_text() {
                if self.refuses(text) {
                    continue;
                }
                self.begin_text(turn, in_transcript, is_first);
                self.put_str(turn, in_transcript, text);
            } else if let Some(media) = Media::of(block) {
                let has_heading = is_first && self.has_heading(turn, in_transcript);
                if has_heading {
                    self.begin_text(turn, in_transcript, true);
                }
                if let Some(description) = self.write_media(media)? {
                    if !has_heading {
                        self.begin_text(turn, in_transcript, is_first);
                    }
                    self.put_str(turn, in_transcript, &description);
                }
            } else {
                self.omit_unknown(block);
                continue;
            }
            is_first = false;
        }
        if is_first && self.has_heading(turn, in_transcript) {
            self.begin_text(turn, in_transcript, true);
        }
        Ok(())
    }

    /// Whether a turn has text before its own: a name, the start of a transcript, a shared prefix.
    fn has_heading(&self, turn: Turn<'_>, in_transcript: bool) -> bool {
        let begins = self.format.style == Style::History && self.transcript != Transcript::Open;
        turn.shared_prefix.is_some() || (in_transcript && (begins || turn.speaker.is_some()))
    }

    /// Begins the first or a later text of a turn, up to its own words.
    fn begin_text(&mut self, turn: Turn<'_>, in_transcript: bool, is_first: bool) {
        let separator = if is_first { "\\n\\n" } else { "\\n" };
        if in_transcript && self.format.style == Style::History {
            self.begin_line(turn);
        } else {
            self.list.begin_text(separator);
            if let Some(name) = turn.speaker.filter(|_| in_transcript && is_first) {
                self.list.put("[");
                self.list.put(&escaped(&label(name)));
                self.list.put("]: ");
            }
        }
        if let Some(prefix) = turn.shared_prefix.filter(|_| is_first) {
            self.put_text(turn, in_transcript, prefix);
        }
    }

    /// Begins a line of a transcript, and the transcript itself if none is open.
    fn begin_line(&mut self, turn: Turn<'_>) {
        if self.transcript == Transcript::Open {
            self.list.continue_text("\\n");
        } else {
            let options = &self.format.options;
            let header = match self.transcript {
                Transcript::NotBegun => &*options.history_header,
                Transcript::Open | Transcript::Ended => "",
            };
            self.list.begin(Speaker::User, None, None);
            self.list.begin_text("\\n\\n");
            self.list
                .put(&escaped(&format!("{header}{}", options.history_begin)));
            self.transcript = Transcript::Open;
        }
        if let Some(name) = turn.speaker {
            self.list.put(&escaped(&label(name)));
            self.list.put(": ");
        }
    }

    /// Ends the transcript that is open, and its message.
    fn end_transcript(&mut self) {
        if self.transcript == Transcript::Open {
            self.list.continue_text("\\n");
            self.list.put(&escaped(&self.format.options.history_end));
            self.list.end_message();
            self.transcript = Transcript::Ended;
        }
    }

    /// Writes a text whose escaped form is known, unless something in it must be changed.
    fn put_text(&mut self, turn: Turn<'_>, in_transcript: bool, text: &Text) {
        match self.guarded(turn, in_transcript, text.as_str()) {
            Cow::Borrowed(_) => self.list.put(text.escaped()),
            Cow::Owned(changed) => self.list.put(&escaped(&changed)),
        }
    }

    fn put_str(&mut self, turn: Turn<'_>, in_transcript: bool, text: &str) {
        let guarded = self.guarded(turn, in_transcript, text);
        self.list.put(&escaped(&guarded));
    }

    /// The text, in which nothing looks like the transcript around it.
    fn guarded<'t>(&self, turn: Turn<'_>, in_transcript: bool, text: &'t str) -> Cow<'t, str> {
        if !in_transcript {
            return Cow::Borrowed(text);
        }
        let guard = TranscriptMarks {
            header: &self.format.options.history_header,
            brackets: self.format.style == Style::Brackets,
        };
        guard.guard(text, turn.speaker.is_none())
    }

    /// Adds media to the open message. If they can't be sent, returns the text that replaces them,
    /// if any does.
    fn write_media(&mut self, media: Media<'_>) -> Result<Option<String>, MediaError> {
        let api = self.format.api;
        let has_place = match self.list.speaker() {
            Some(Speaker::User) => true,
            Some(Speaker::Assistant) => api == Api::Gemini,
            Some(Speaker::System) | None => false,
        };
        let part = if has_place {
            self.media_part(media)?
        } else {
            None
        };
        match part {
            // At OpenAI, all text of a transcript precedes its media.
            Some(MediaPart::Part(part))
                if self.transcript == Transcript::Open && api == Api::OpenAi =>
            {
                self.list.trailing_part(&part);
            }
            Some(part) => self.put_media(part),
            None => return Ok(self.omit_media(media)),
        }
        Ok(None)
    }

    /// Media as the provider expects them in a user's message; `None` if it does not accept them.
    fn media_part(&self, media: Media<'_>) -> Result<Option<MediaPart>, MediaError> {
        let Format { api, files, .. } = self.format;
        if !api.accepts_media(media.kind) {
            return Ok(None);
        }
        Ok(media_part(*api, media.kind, media.data(&**files)?))
    }

    fn put_media(&mut self, part: MediaPart) {
        match part {
            MediaPart::Part(part) => self.list.part(&part),
            MediaPart::Image(image) => self.list.image(image),
        }
    }

    /// Reports media that can't be sent; the text that replaces them, if any does.
    fn omit_media(&mut self, media: Media<'_>) -> Option<String> {
        let (kind, name) = (media.kind.name(), media.source.name());
        self.omissions.push(Omission::Media {
            kind,
            name: name.into(),
        });
        let describes = self.format.options.describe_omitted_media;
        describes.then(|| media.in_words())
    }

    fn omit_unknown(&mut self, block: &Block) {
        if let Block::Unknown(value) = block
            && !is_thought(block)
        {
            let kind = value["type"].as_str().unwrap_or("?").into();
            self.omissions.push(Omission::UnknownBlock { kind });
        }
    }

    // --- Tool calls and results ----------------------------------------------------------------

    fn write_calls<'t>(
        &mut self,
        turn: Turn<'t>,
        later: impl Iterator<Item = Turn<'t>>,
    ) -> Result<(), MediaError> {
        let calls = Calls::of(turn, later);
        if self.format.style == Style::Perspective && !self.is_own(turn) {
            self.omit_calls_of_another(&calls);
            return self.write_said(turn);
        }
        for call in &calls.unanswered {
            let (id, tool) = (call.id.into(), call.name.into());
            self.omissions.push(Omission::UnansweredCall { id, tool });
        }
        if calls.answered.is_empty() {
            return self.write_said(turn);
        }
        self.end_transcript();
        let thoughts = self.thoughts(turn);
        self.omit_thoughts(turn, &thoughts);
        self.begin_with_thoughts(Speaker::Assistant, turn.speaker, &thoughts);
        self.write_content(turn, false)?;
        let api = self.format.api;
        let sent_calls = calls.answered.iter().map(|pair| pair.call(api));
        let (mut results, mut attached) = (Vec::new(), Vec::new());
        for pair in &calls.answered {
            results.push(self.result(pair, &mut attached)?);
        }
        if api.requires_parts() {
            sent_calls.for_each(|call| self.list.part(&call));
            self.list.begin(Speaker::User, None, None);
            results.iter().for_each(|result| self.list.part(result));
        } else {
            self.list.end_with_calls(sent_calls.collect(), results);
        }
        if !attached.is_empty() {
            self.list.begin(Speaker::User, None, None);
        }
        for (name, part) in attached {
            self.list.begin_text("\\n");
            self.list.put(&escaped(&name));
            self.put_media(part);
        }
        let pairs = calls.answered.iter();
        let answered = pairs.map(|pair| pair.call.id.into());
        self.answered.extend(answered);
        Ok(())
    }

    /// A result as it is sent. Media for which it has no place are named in it and added to
    /// `attached`, which follows in a message of the user.
    fn result(
        &mut self,
        pair: &Pair<'_>,
        attached: &mut Vec<(String, MediaPart)>,
    ) -> Result<Value, MediaError> {
        let mut output = Vec::new();
        for block in pair.result.blocks() {
            if let Some(media) = Media::of(&block) {
                output.extend(match self.media_part(media)? {
                    Some(MediaPart::Part(part)) if self.format.api == Api::Anthropic => {
                        Some(SentOutput::Part(part))
                    }
                    Some(part) => {
                        attached.push((media.in_words(), part));
                        Some(SentOutput::Text(media.in_words()))
                    }
                    None => self.omit_media(media).map(SentOutput::Text),
                });
                continue;
            }
            match &block {
                Block::Text { text } => output.push(SentOutput::Text(text.to_string())),
                Block::Unknown(value) if value["text"].is_string() => {
                    let text = value["text"].as_str().unwrap_or_default();
                    output.push(SentOutput::Text(text.into()));
                }
                thought if is_thought(thought) => self.omissions.push(Omission::Thought),
                Block::Unknown(_) => self.omit_unknown(&block),
                // A call or a result within a result is neither.
                other => output.push(SentOutput::Text(json!(other).to_string())),
            }
        }
        let Format { api, options, .. } = self.format;
        Ok(pair.result(*api, options, output))
    }

    fn omit_calls_of_another(&mut self, calls: &Calls<'_>) {
        let answered = calls.answered.iter().map(|pair| pair.call.id);
        let unanswered = calls.unanswered.iter().map(|call| call.id);
        let omitted = answered
            .clone()
            .chain(unanswered)
            .map(|id| Omission::CallOfAnother { id: id.into() });
        self.omissions.extend(omitted);
        self.answered.extend(answered.map(Into::into));
    }

    /// Reports results without a call; the others were written with their calls.
    fn omit_orphans(&mut self, turn: Turn<'_>) {
        for result in turn.blocks().iter().filter_map(Block::as_tool_result) {
            let mut answered = self.answered.iter();
            match answered.position(|id| **id == *result.id) {
                Some(index) => drop(self.answered.remove(index)),
                None => self.omissions.push(Omission::OrphanResult {
                    id: result.id.into(),
                }),
            }
        }
    }
}

/// Whether there is a breakpoint after this number of turns: at the last two multiples of a stride,
/// so that a request finds what an earlier one had cached although many turns lie in between. With
/// those after the rules and at the end of the history that makes four, the most that Anthropic
/// accepts.
fn has_breakpoint(turns: usize, total: usize) -> bool {
    let last = total - total % BREAKPOINT_STRIDE;
    turns.is_multiple_of(BREAKPOINT_STRIDE) && turns + BREAKPOINT_STRIDE >= last && turns < total
}
