//! The list of messages of a request, written as JSON.
//!
//! The last message stays open, so that more can join it; [`ListEnd`] tells how it ends so far.

use playhouse_engine::message::escaped;
use serde_json::Value;

use super::options::{Api, Format, FormatOptions, SystemPlace};
use super::wire::Speaker;

const CACHE_BREAKPOINT: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";

/// How a list of messages ends that is not closed yet.
#[derive(Clone, Debug, Default)]
pub struct ListEnd {
    /// Whether the list itself was begun.
    begun: bool,
    open: Option<OpenMessage>,
    /// Whether the next part that is closed becomes a cache breakpoint.
    breakpoint: bool,
    /// Media that are written when the open message is closed.
    trailing_media: Vec<String>,
}

/// The message that is open.
#[derive(Clone, Copy, Debug)]
struct OpenMessage {
    speaker: Speaker,
    content: OpenContent,
    /// How many bytes stand before it.
    start: usize,
    /// How many bytes stand before its content.
    content_start: usize,
    /// Whether it is the first of the list, or the system message beside it.
    is_first: bool,
}

/// How the content of the open message ends so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenContent {
    Empty,
    Text,
    /// In a list whose last part is a text without its closing quote.
    TextPart,
    /// In a list whose last part lacks its closing brace.
    Part,
}

impl ListEnd {
    /// Adds `instructions` for the mind, if there are any, to the list that `json` ends with, and
    /// closes it.
    pub fn close(self, format: &Format, json: Vec<u8>, instructions: &str) -> Vec<u8> {
        let mut list = MessageList::new(format, json, self);
        if !instructions.is_empty() {
            if list.speaker() != Some(Speaker::User) {
                list.begin(Speaker::User, None, None);
            }
            list.begin_text("\\n\\n");
            list.put(&escaped(instructions));
        }
        list.close()
    }
}

/// Writes a list of messages.
#[derive(Debug)]
pub(super) struct MessageList<'f> {
    api: Api,
    options: &'f FormatOptions,
    pub(super) json: Vec<u8>,
    pub(super) end: ListEnd,
}

impl<'f> MessageList<'f> {
    /// Writes after `json`, which ends with `end`.
    pub(super) fn new(format: &'f Format, json: Vec<u8>, end: ListEnd) -> Self {
        let Format { api, options, .. } = format;
        Self {
            api: *api,
            options,
            json,
            end,
        }
    }

    /// Whether nothing but the system message was written.
    pub(super) fn is_at_start(&self) -> bool {
        match self.speaker() {
            Some(speaker) => speaker == Speaker::System,
            None => !self.end.begun,
        }
    }

    /// Whose message is open.
    pub(super) fn speaker(&self) -> Option<Speaker> {
        self.end.open.map(|open| open.speaker)
    }

    fn content(&self) -> OpenContent {
        let open = self.end.open.as_ref();
        open.map_or(OpenContent::Empty, |open| open.content)
    }

    fn set_content(&mut self, content: OpenContent) {
        if let Some(open) = &mut self.end.open {
            open.content = content;
        }
    }

    /// Whether the list holds a message.
    pub(super) fn has_messages(&self) -> bool {
        self.end.begun
    }

    /// Writes JSON, or text that is escaped already, as it is.
    pub(super) fn put(&mut self, json: &str) {
        self.json.extend_from_slice(json.as_bytes());
    }

    /// Makes the end of the open message a cache breakpoint.
    pub(super) fn set_breakpoint(&mut self) {
        self.end.breakpoint = self.options.cache_breakpoints && self.end.open.is_some();
    }

    /// Opens a message, or continues the open one if messages of one speaker are merged.
    pub(super) fn begin(&mut self, speaker: Speaker, name: Option<&str>, reasoning: Option<&str>) {
        let may_merge =
            self.options.merge_roles && reasoning.is_none() && self.content() != OpenContent::Empty;
        if may_merge && self.speaker() == Some(speaker) {
            return;
        }
        self.end_message();
        let (start, is_first) = (self.json.len(), !self.end.begun);
        self.put(if is_first { self.api.list_start() } else { "," });
        self.end.begun = true;
        let name = name.filter(|_| self.options.names && self.api.accepts_names());
        self.api
            .open_message(&mut self.json, speaker, name, reasoning);
        self.set_open(speaker, start, is_first);
    }

    /// Opens the member for the system message, or continues it.
    pub(super) fn begin_system_member(&mut self) {
        if self.end.open.is_none() {
            let start = self.json.len();
            self.put(self.api.system_member().0);
            self.set_open(Speaker::System, start, true);
        }
    }

    fn set_open(&mut self, speaker: Speaker, start: usize, is_first: bool) {
        self.end.open = Some(OpenMessage {
            speaker,
            content: OpenContent::Empty,
            start,
            content_start: self.json.len(),
            is_first,
        });
    }

    /// Begins a text of the open message: a part of its own, or more of its string after
    /// `separator`.
    pub(super) fn begin_text(&mut self, separator: &str) {
        let in_list = self.api.requires_parts()
            || (self.options.parts && self.api.accepts_parts())
            || self.content() != OpenContent::Empty;
        match self.content() {
            OpenContent::Text => self.put(separator),
            _ if in_list => {
                self.begin_part();
                self.put(self.api.text_part_start());
                self.set_content(OpenContent::TextPart);
            }
            _ => {
                self.put("\"");
                self.set_content(OpenContent::Text);
            }
        }
    }

    /// Continues the last text after `separator`; begins a new one if media were written since.
    pub(super) fn continue_text(&mut self, separator: &str) {
        match self.content() {
            OpenContent::Text | OpenContent::TextPart => self.put(separator),
            OpenContent::Empty | OpenContent::Part => self.begin_text(""),
        }
    }

    /// Adds a part to the open message.
    pub(super) fn part(&mut self, part: &Value) {
        self.make_list();
        self.begin_part();
        let part = part.to_string();
        // The brace is written when the part is closed, since a breakpoint may join it.
        self.put(part.strip_suffix('}').unwrap_or(&part));
        self.set_content(OpenContent::Part);
    }

    fn begin_part(&mut self) {
        if self.content() == OpenContent::Empty {
            self.put("[");
        } else {
            self.close_part();
            self.put(",");
        }
    }

    /// Adds a part that is written after everything else in the open message.
    pub(super) fn trailing_part(&mut self, part: &Value) {
        self.make_list();
        self.end.trailing_media.push(part.to_string());
    }

    /// Adds an image to Ollama's list of the open message.
    pub(super) fn image(&mut self, image: String) {
        self.end.trailing_media.push(image);
    }

    /// Turns content that is a string so far into a list of parts.
    fn make_list(&mut self) {
        let Some(open) = self.end.open else { return };
        if open.content != OpenContent::Text {
            return;
        }
        let text = self.json.split_off(open.content_start);
        let start = self.api.text_part_start();
        self.put("[");
        self.put(start.strip_suffix('"').unwrap_or(start));
        self.json.extend_from_slice(&text);
        self.set_content(OpenContent::TextPart);
    }

    fn close_part(&mut self) {
        if self.content() == OpenContent::TextPart {
            self.put("\"");
        }
        if std::mem::take(&mut self.end.breakpoint) {
            self.put(CACHE_BREAKPOINT);
        }
        self.put("}");
    }

    fn close_content(&mut self) {
        let media = std::mem::take(&mut self.end.trailing_media);
        match self.content() {
            OpenContent::Empty => self.put(self.options.empty_content.json()),
            OpenContent::Text => self.put("\""),
            OpenContent::TextPart | OpenContent::Part => {
                self.close_part();
                if self.api != Api::Ollama {
                    for part in &media {
                        self.put(",");
                        self.put(part);
                    }
                }
                self.put("]");
            }
        }
        if self.api == Api::Ollama && !media.is_empty() {
            self.put(",\"images\":[");
            self.put(&media.join(","));
            self.put("]");
        }
    }

    /// Closes the open message, if there is one; takes it back if nothing was written into it.
    pub(super) fn end_message(&mut self) {
        if let Some(open) = self.end.open
            && open.content == OpenContent::Empty
            && self.end.trailing_media.is_empty()
        {
            self.json.truncate(open.start);
            self.end.begun = !open.is_first;
            self.end.open = None;
        }
        match self.speaker() {
            Some(Speaker::System) if self.options.system == SystemPlace::Member => {
                // The rules are the same in every request.
                self.set_breakpoint();
                self.close_content();
                self.put(self.api.system_member().1);
            }
            Some(_) => {
                self.close_content();
                self.put("}");
            }
            None => {}
        }
        self.end.open = None;
    }

    /// Closes the open message with tool calls beside its content, and adds the messages of their
    /// results.
    pub(super) fn end_with_calls(&mut self, calls: Vec<Value>, results: Vec<Value>) {
        self.close_content();
        self.put(",\"tool_calls\":");
        self.put(&Value::from(calls).to_string());
        self.put("}");
        for result in results {
            self.put(",");
            self.put(&result.to_string());
        }
        self.end.open = None;
    }

    /// Closes the open message and the list.
    fn close(mut self) -> Vec<u8> {
        self.end_message();
        if !self.end.begun {
            self.put(self.api.list_start());
        }
        self.put("]");
        self.json
    }
}
