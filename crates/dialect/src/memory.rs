//! A memory like AgentScope's: messages with marks, and a summary of condensed messages.
//!
//! Marks are tags with the value true. Messages share their bodies and are never changed in place,
//! so nobody else changes what was added. The JSON is the state of AgentScope's in-memory memory
//! (Python 1.0): `{"content": [[message, [marks]]], "_compressed_summary": "…"}`.

use playhouse_engine::locale::text;
use playhouse_engine::message::{FormatError, Message, Role, Tags};
use serde_json::{Map, Value, json};

use super::messages::{read_message, write_messages};
use super::neutral::Neutral;
use super::{Profile, blocks, leftovers};

const SUMMARY: &str = "_compressed_summary";

/// Selects messages by their marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkFilter<'a> {
    Any,
    /// Those with this mark.
    With(&'a str),
    /// Those without this mark.
    Without(&'a str),
}

impl MarkFilter<'_> {
    fn matches(self, message: &Message) -> bool {
        let has_mark = |mark: &str| message.tags.get(mark).is_some();
        match self {
            Self::Any => true,
            Self::With(mark) => has_mark(mark),
            Self::Without(mark) => !has_mark(mark),
        }
    }
}

/// Messages with marks, and a summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkedMessages {
    messages: Vec<Message>,
    summary: String,
}

impl MarkedMessages {
    /// The number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Adds a message unless it is there already; returns whether it was added. Messages are the
    /// same if their ids are equal or, without ids, if they share their body.
    pub fn add(&mut self, message: Message) -> bool {
        let is_new = !self.messages.iter().any(|known| is_same(known, &message));
        if is_new {
            self.messages.push(message);
        }
        is_new
    }

    /// Adds a message even if it is there already.
    pub fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Marks messages; returns how many did not have the mark yet.
    pub fn mark(&mut self, selected: impl Fn(&Message) -> bool, mark: &str) -> usize {
        let unmarked = MarkFilter::Without(mark);
        let messages = self.messages.iter_mut();
        let mut changed = 0;
        for message in messages.filter(|message| selected(message) && unmarked.matches(message)) {
            leftovers::add_tag(&mut message.tags, mark, &Value::Bool(true));
            changed += usize::from(message.tags.get(mark).is_some());
        }
        changed
    }

    /// Removes messages; returns how many.
    pub fn remove(&mut self, selected: impl Fn(&Message) -> bool) -> usize {
        let before = self.messages.len();
        self.messages.retain(|message| !selected(message));
        before - self.messages.len()
    }

    /// Removes the messages with a mark; returns how many.
    pub fn remove_marked(&mut self, mark: &str) -> usize {
        self.remove(|message| MarkFilter::With(mark).matches(message))
    }

    /// Sets the summary of condensed messages; an empty text removes it.
    pub fn set_summary(&mut self, summary: impl Into<String>) {
        self.summary = summary.into();
    }

    /// The messages that match a filter, oldest first; with the summary as a first message if
    /// wanted.
    pub fn messages(&self, filter: MarkFilter<'_>, with_summary: bool) -> Vec<Message> {
        let summary = (with_summary && !self.summary.is_empty())
            .then(|| Message::human(self.summary.as_str()));
        let messages = self.messages.iter();
        let matching = messages.filter(|message| filter.matches(message));
        summary.into_iter().chain(matching.cloned()).collect()
    }

    /// Whether JSON is the state of a memory.
    pub(super) fn is_state(map: &Map<String, Value>) -> bool {
        map.contains_key(SUMMARY) && map.get("content").is_some_and(Value::is_array)
    }

    /// The state of the memory as JSON.
    pub fn to_state(&self) -> Value {
        let pairs = self.messages.iter().flat_map(|message| {
            let mut unmarked = message.clone();
            let (marks, tags) = split_marks(&message.tags);
            unmarked.tags = tags;
            let written = write_messages(&[unmarked], None, Profile::AgentScopePython1).into_iter();
            written.map(move |message| json!([message, marks]))
        });
        json!({"content": pairs.collect::<Vec<_>>(), SUMMARY: self.summary})
    }

    /// Reads the state of a memory. Entries without marks are messages.
    ///
    /// # Errors
    /// A message can't be read; the error says where and why.
    pub fn from_state(state: &Map<String, Value>) -> Result<Self, FormatError> {
        Self::read(state, &mut Vec::new())
    }

    /// The same, with what could not be read as it came.
    pub(super) fn read(
        state: &Map<String, Value>,
        warnings: &mut Vec<FormatError>,
    ) -> Result<Self, FormatError> {
        let mut memory = Self::default();
        let content = state
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| FormatError::new("content", text!(dialect_missing_memory_content)))?;
        for (index, entry) in content.iter().enumerate() {
            let (message, marks) = match entry.as_array().map(Vec::as_slice) {
                Some([message, marks, ..]) => (message, marks.as_array()),
                _ => (entry, None),
            };
            if message.is_null() {
                continue;
            }
            let path = format!("content[{index}]");
            let mut new_warnings = Vec::new();
            let read = read_message(message, Profile::AgentScopePython1, &mut new_warnings);
            let new_warnings = new_warnings.into_iter();
            warnings.extend(new_warnings.map(|warning| warning.nested_in(&path)));
            for mut message in read.map_err(|error| error.nested_in(&path))? {
                for mark in marks.into_iter().flatten().filter_map(Value::as_str) {
                    leftovers::add_tag(&mut message.tags, mark, &Value::Bool(true));
                }
                memory.messages.push(message);
            }
        }
        let summary = state.get(SUMMARY).and_then(Value::as_str);
        memory.summary = summary.unwrap_or_default().to_owned();
        Ok(memory)
    }
}

/// The marks among these tags, and the other tags.
fn split_marks(tags: &Tags) -> (Vec<String>, Tags) {
    let (mut marks, mut others) = (Vec::new(), Tags::new());
    for (key, value) in tags.iter() {
        match value {
            Value::Bool(true) => marks.push(key.to_owned()),
            value => leftovers::add_tag(&mut others, key, value),
        }
    }
    (marks, others)
}

/// The id of a message: the one it had in another format, or ours.
pub fn message_id(message: &Message) -> Option<String> {
    let neutral = Neutral::of(&Message::new(Role::Human, message.body.clone()));
    neutral.origin.get("id").and_then(blocks::id_of)
}

fn is_same(a: &Message, b: &Message) -> bool {
    match (message_id(a), message_id(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.body.same(&b.body),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::message::{Block, Tag};

    #[test]
    fn equal_texts_are_different_messages() {
        let mut memory = MarkedMessages::default();
        let yes = Message::human("yes");
        assert!(memory.add(yes.clone()));
        assert!(!memory.add(yes));
        assert!(memory.add(Message::human("yes")));
        assert_eq!(memory.len(), 2);
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let mut memory = MarkedMessages::default();
        memory.add(Message::system("rules"));
        memory.add(Message::human("hi").tagged(Tag::KICKOFF.of("Wren").into()));
        memory.add(Message::ai(vec![Block::tool_use("c1", "f", json!({}))]));
        memory.add(Message::tool([Block::tool_result("c1", "r")]));
        memory.mark(|message| message.role == Role::Human, "hint");
        memory.set_summary("SUM");
        let state = memory.to_state();
        assert_eq!(state["content"][1][1], json!(["hint"]));
        let mut read = MarkedMessages::from_state(state.as_object().unwrap()).unwrap();
        assert_eq!(read.messages(MarkFilter::With("hint"), false).len(), 1);
        assert_eq!(read.messages(MarkFilter::Any, true).len(), 5);
        // Names of tools are written with their results there.
        read.remove(|message| message.role == Role::Tool);
        memory.remove(|message| message.role == Role::Tool);
        assert_eq!(read, memory);
    }

    #[test]
    fn an_error_names_its_place() {
        let state = json!({"content": [[{"role": "user", "content": 5}, []]], SUMMARY: ""});
        let error = MarkedMessages::from_state(state.as_object().unwrap()).unwrap_err();
        assert_eq!(error.path, "content[0].content");
    }
}
