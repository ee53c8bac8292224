//! A memory as AgentScope has it: messages with marks, and a summary of what was condensed away.
//!
//! Marks are tags of the value true, which any message may carry. Messages share their bodies and
//! are never changed in place, so what is added is not changed by anybody else. Its JSON is the
//! state of AgentScope's in-memory memory (Python 1.0): `{"content": [[message, [marks]]],
//! "_compressed_summary"}`.

use serde_json::{Map, Value, json};

use super::document::{read_message, write_messages};
use super::neutral::Neutral;
use super::{Profile, blocks, leftovers};
use crate::message::{FormatError, Message, Role, Tags};

const SUMMARY: &str = "_compressed_summary";

/// Which messages are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks<'a> {
    /// All of them.
    Any,
    /// Those that carry this mark.
    With(&'a str),
    /// Those that don't.
    Without(&'a str),
}

impl Marks<'_> {
    fn fit(self, message: &Message) -> bool {
        let marked = |mark: &str| message.tags.get(mark).is_some();
        match self {
            Self::Any => true,
            Self::With(mark) => marked(mark),
            Self::Without(mark) => !marked(mark),
        }
    }
}

/// Messages with marks, and a summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    messages: Vec<Message>,
    summary: String,
}

impl Memory {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Adds a message unless it is held already, and says whether it was added. Two messages are
    /// one where their ids are equal, or, without ids, where they share their body.
    pub fn add(&mut self, message: Message) -> bool {
        let known = self.messages.iter().any(|held| is_same(held, &message));
        if !known {
            self.messages.push(message);
        }
        !known
    }

    /// Adds a message, be it held already.
    pub fn add_again(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Puts a mark on the messages that are meant, and says how many did not have it yet.
    pub fn mark(&mut self, meant: impl Fn(&Message) -> bool, mark: &str) -> usize {
        let unmarked = |message: &Message| Marks::Without(mark).fit(message);
        let meant = self.messages.iter_mut().filter(|message| meant(message));
        let mut changed = 0;
        for message in meant.filter(|message| unmarked(message)) {
            leftovers::add_tag(&mut message.tags, mark, &Value::Bool(true));
            changed += usize::from(message.tags.get(mark).is_some());
        }
        changed
    }

    /// Removes the messages that are meant, and says how many there were.
    pub fn forget(&mut self, meant: impl Fn(&Message) -> bool) -> usize {
        let before = self.messages.len();
        self.messages.retain(|message| !meant(message));
        before - self.messages.len()
    }

    /// Removes the messages that carry this mark, and says how many there were.
    pub fn forget_marked(&mut self, mark: &str) -> usize {
        self.forget(|message| Marks::With(mark).fit(message))
    }

    /// Sets what stands for messages that were condensed away; an empty text is none.
    pub fn set_summary(&mut self, summary: impl Into<String>) {
        self.summary = summary.into();
    }

    /// The messages of these marks, oldest first, and before them, if asked for, the summary as a
    /// message.
    pub fn recall(&self, marks: Marks<'_>, with_summary: bool) -> Vec<Message> {
        let summary = (with_summary && !self.summary.is_empty())
            .then(|| Message::human(self.summary.as_str()).said_by("user"));
        let held = self.messages.iter().filter(|message| marks.fit(message));
        summary.into_iter().chain(held.cloned()).collect()
    }

    /// Whether JSON is the state of a memory.
    pub(super) fn is_state(map: &Map<String, Value>) -> bool {
        map.contains_key(SUMMARY) && map.get("content").is_some_and(Value::is_array)
    }

    /// Writes the state of the memory.
    pub fn to_state(&self) -> Value {
        let pairs = self.messages.iter().flat_map(|message| {
            let mut bare = message.clone();
            let (marks, tags) = parted(&message.tags);
            bare.tags = tags;
            let written = write_messages(&[bare], None, Profile::AgentScopePython1);
            written
                .into_iter()
                .map(move |message| json!([message, marks]))
        });
        json!({"content": pairs.collect::<Vec<_>>(), SUMMARY: self.summary})
    }

    /// Reads the state of a memory; one without marks is a list of messages.
    ///
    /// # Errors
    /// Where and why a message can't be understood.
    pub fn from_state(state: &Map<String, Value>) -> Result<Self, FormatError> {
        let mut memory = Self::default();
        let content = state.get("content").and_then(Value::as_array);
        let content = content.ok_or_else(|| {
            FormatError::new("content", "missing; expected a list of [message, [marks]]")
        })?;
        for (index, entry) in content.iter().enumerate() {
            let (message, marks) = match entry.as_array().map(Vec::as_slice) {
                Some([message, marks, ..]) => (message, marks.as_array()),
                _ => (entry, None),
            };
            if message.is_null() {
                continue;
            }
            let here = format!("content[{index}]");
            let read = read_message(message, Profile::AgentScopePython1, &mut Vec::new());
            for mut message in read.map_err(|error| error.inside(&here))? {
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
fn parted(tags: &Tags) -> (Vec<String>, Tags) {
    let (mut marks, mut others) = (Vec::new(), Tags::new());
    for (key, value) in tags.iter() {
        match value {
            Value::Bool(true) => marks.push(key.to_owned()),
            value => leftovers::add_tag(&mut others, key, &value),
        }
    }
    (marks, others)
}

/// The id of a message: the one it had elsewhere, or ours.
pub fn message_id(message: &Message) -> Option<String> {
    let neutral = Neutral::of(&Message::new(Role::Human, message.body.clone()));
    neutral.origin.get("id").and_then(blocks::id_of)
}

fn is_same(one: &Message, other: &Message) -> bool {
    match (message_id(one), message_id(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.body.same(&other.body),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Block, Tag};

    #[test]
    fn the_same_words_twice_are_two_messages() {
        let mut memory = Memory::default();
        let yes = Message::human("yes");
        assert!(memory.add(yes.clone()));
        assert!(!memory.add(yes));
        assert!(memory.add(Message::human("yes")));
        assert_eq!(memory.len(), 2);
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let mut memory = Memory::default();
        memory.add(Message::system("rules"));
        memory.add(Message::human("hi").tagged(Tag::Kickoff("Wren".into()).into()));
        memory.add(Message::ai(vec![Block::tool_use("c1", "f", json!({}))]));
        memory.add(Message::tool([Block::tool_result("c1", "r")]));
        memory.mark(|message| message.role == Role::Human, "hint");
        memory.set_summary("SUM");
        let state = memory.to_state();
        assert_eq!(state["content"][1][1], json!(["hint"]));
        let mut read = Memory::from_state(state.as_object().unwrap()).unwrap();
        assert_eq!(read.recall(Marks::With("hint"), false).len(), 1);
        assert_eq!(read.recall(Marks::Any, true).len(), 5);
        // Names of tools are written with their results there.
        read.forget(|message| message.role == Role::Tool);
        memory.forget(|message| message.role == Role::Tool);
        assert_eq!(read, memory);
    }

    #[test]
    fn a_wrong_state_says_where() {
        let state = json!({"content": [[{"role": "user", "content": 5}, []]], SUMMARY: ""});
        let error = Memory::from_state(state.as_object().unwrap()).unwrap_err();
        assert_eq!(error.path, "content[0].content");
    }
}
