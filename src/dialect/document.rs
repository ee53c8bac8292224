//! Whole conversations: what stands around messages, and which form reads or writes them.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::memory::Memory;
use super::neutral::Neutral;
use super::{Profile, agentscope, detect, langchain, openai, playhouse};
use crate::message::{FormatError, Message, Role};

/// A conversation in no form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// Whose it is, where it says so.
    pub name: Option<Arc<str>>,
    /// Its messages, oldest first.
    pub messages: Vec<Message>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The form it had.
    pub profile: Profile,
    /// One conversation, or several where the document is a list of them.
    pub conversations: Vec<Conversation>,
    /// What was not taken as it came.
    pub warnings: Vec<FormatError>,
}

/// Why conversations can't be read.
#[derive(Debug, Error)]
pub enum DialectError {
    /// The text is neither JSON nor one JSON value a line.
    #[error("this is no JSON: {reason}")]
    NoJson {
        /// What the parser says.
        reason: String,
    },
    /// A line is no JSON, where each line is a value of its own.
    #[error("line {line} is no JSON: {reason}")]
    NoJsonLine {
        /// The line, counted from 1.
        line: usize,
        /// What the parser says.
        reason: String,
    },
    /// Nothing says which form it is.
    #[error("can't tell the form of this conversation: {evidence}; name the form it has")]
    Untold {
        /// What was looked for and what was found.
        evidence: String,
    },
    /// A message is not of the form that the others have, or that was named.
    #[error("as {profile}: {error}")]
    Wrong {
        /// The form.
        profile: Profile,
        /// Where and what.
        error: FormatError,
    },
}

/// Reads conversations from text: JSON, or one JSON value a line. The form is told by the members
/// of the messages where it is not named.
///
/// # Errors
/// The text is no JSON, its form can't be told, or a message can't be understood.
pub fn read(text: &str, profile: Option<Profile>) -> Result<Reading, DialectError> {
    let text = text.trim_start_matches('\u{feff}');
    let problem = match serde_json::from_str(text) {
        Ok(value) => return read_value(&value, profile),
        Err(problem) => problem,
    };
    match lines(text) {
        Some(values) => read_lines(&values?, profile),
        None => Err(DialectError::NoJson {
            reason: problem.to_string(),
        }),
    }
}

/// The values of a text that has one a line; `None` where its first line is none.
fn lines(text: &str) -> Option<Result<Vec<Value>, DialectError>> {
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty()).peekable();
    serde_json::from_str::<Value>(lines.peek()?.1).ok()?;
    let values = lines.map(|(index, line)| {
        serde_json::from_str(line).map_err(|error| DialectError::NoJsonLine {
            line: index + 1,
            reason: error.to_string(),
        })
    });
    Some(values.collect())
}

/// Each line is a conversation, or all of them together are one.
fn read_lines(values: &[Value], profile: Option<Profile>) -> Result<Reading, DialectError> {
    let mut reading = match values.iter().any(is_conversation) {
        true => Document::of_several(values).read(profile)?,
        false => Document::of_messages(values).read(profile)?,
    };
    if reading.profile == Profile::OpenAi {
        reading.profile = Profile::OpenAiLines;
    }
    Ok(reading)
}

/// Reads conversations from JSON: a message, a list of messages, an object that holds such a list
/// as `messages` or (with a `name`) as `context`, the state of an AgentScope memory, or a list of
/// those.
///
/// # Errors
/// The form can't be told, or a message can't be understood.
pub fn read_value(value: &Value, profile: Option<Profile>) -> Result<Reading, DialectError> {
    let document = match value {
        Value::Array(values) if values.iter().any(is_conversation) => Document::of_several(values),
        Value::Array(values) => Document::of_messages(values),
        one => Document {
            parts: vec![Part::of(one, String::new())],
        },
    };
    document.read(profile)
}

/// Whether a value is more than a message.
fn is_conversation(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(map) => list_of(map).is_some() || is_state(map),
        _ => false,
    }
}

/// The messages that an object holds, and the name of the member. What has a role or type is a
/// message, whatever it holds.
fn list_of(map: &Map<String, Value>) -> Option<(&'static str, &[Value])> {
    if is_message(map) {
        return None;
    }
    let members = ["context", "messages"].into_iter();
    let mut lists = members.filter_map(|key| Some((key, map.get(key)?.as_array()?)));
    lists.next().map(|(key, list)| (key, list.as_slice()))
}

fn is_state(map: &Map<String, Value>) -> bool {
    !is_message(map) && Memory::is_state(map)
}

fn is_message(map: &Map<String, Value>) -> bool {
    ["role", "type"]
        .iter()
        .any(|key| map.get(*key).is_some_and(Value::is_string))
}

/// Conversations before their messages are understood.
struct Document<'a> {
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    /// Where it stands in the document.
    path: String,
    name: Option<Arc<str>>,
    held: Held<'a>,
}

enum Held<'a> {
    Messages(&'a [Value]),
    State(&'a Map<String, Value>),
}

impl<'a> Part<'a> {
    fn of(value: &'a Value, path: String) -> Self {
        let messages = |held: &'a [Value]| Held::Messages(held);
        let (member, name, held) = match value {
            Value::Array(values) => ("", None, messages(values)),
            Value::Object(map) => match list_of(map) {
                Some((member, list)) => {
                    let name = map.get("name").and_then(Value::as_str).map(Arc::from);
                    (member, name, messages(list))
                }
                None if is_state(map) => ("", None, Held::State(map)),
                None => ("", None, messages(std::slice::from_ref(value))),
            },
            one => ("", None, messages(std::slice::from_ref(one))),
        };
        let path = match (path.as_str(), member) {
            ("", member) => member.to_owned(),
            (_, "") => path,
            (path, member) => format!("{path}.{member}"),
        };
        Self { path, name, held }
    }

    /// Where the message of this index stands.
    fn path_of(&self, index: usize) -> String {
        format!("{}[{index}]", self.path)
    }
}

impl<'a> Document<'a> {
    fn of_messages(values: &'a [Value]) -> Self {
        let part = Part {
            path: String::new(),
            name: None,
            held: Held::Messages(values),
        };
        Self { parts: vec![part] }
    }

    fn of_several(values: &'a [Value]) -> Self {
        let each = values.iter().enumerate();
        let each = each.filter(|(_, value)| !value.is_null());
        let parts = each.map(|(index, value)| Part::of(value, format!("[{index}]")));
        Self {
            parts: parts.collect(),
        }
    }

    fn read(&self, profile: Option<Profile>) -> Result<Reading, DialectError> {
        let profile = match profile {
            Some(profile) => profile,
            None => self.detect()?,
        };
        let mut warnings = Vec::new();
        let mut conversations = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let read = part.read(profile, &mut warnings);
            conversations.push(read.map_err(|error| DialectError::Wrong { profile, error })?);
        }
        Ok(Reading {
            profile,
            conversations,
            warnings,
        })
    }

    fn detect(&self) -> Result<Profile, DialectError> {
        let states = |part: &Part<'_>| matches!(part.held, Held::State(_));
        if self.parts.iter().any(states) {
            return Ok(Profile::AgentScopePython1);
        }
        let messages = self.parts.iter().flat_map(|part| match part.held {
            Held::Messages(values) => values,
            Held::State(_) => &[],
        });
        detect::detect(messages).map_err(|evidence| DialectError::Untold { evidence })
    }
}

impl Part<'_> {
    fn read(
        &self,
        profile: Profile,
        warnings: &mut Vec<FormatError>,
    ) -> Result<Conversation, FormatError> {
        let values = match self.held {
            Held::Messages(values) => values,
            Held::State(map) => {
                let memory = Memory::from_state(map).map_err(|error| error.inside(&self.path))?;
                return Ok(Conversation {
                    name: None,
                    messages: memory.recall(super::Marks::Any, true),
                });
            }
        };
        let mut messages = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            if value.is_null() {
                continue;
            }
            let mut found = Vec::new();
            let here = self.path_of(index);
            let read = read_message(value, profile, &mut found);
            messages.extend(read.map_err(|error| error.inside(&here))?);
            warnings.extend(found.into_iter().map(|warning| warning.inside(&here)));
        }
        Ok(Conversation {
            name: self.name.clone(),
            messages,
        })
    }
}

/// Reads one message of a form; some become several of ours.
pub(super) fn read_message(
    value: &Value,
    profile: Profile,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    let Value::Object(map) = value else {
        return Err(FormatError::new("", "a message is an object with members"));
    };
    let neutral = match profile {
        Profile::Playhouse => return playhouse::read(map, warnings),
        Profile::AgentScope
        | Profile::AgentScopeJava1
        | Profile::AgentScopePython1
        | Profile::AgentScopePython2 => agentscope::read(map, warnings),
        Profile::LangChain | Profile::LangChainFlat => langchain::read(map, warnings),
        Profile::OpenAi | Profile::OpenAiLines => openai::read(map, warnings),
    };
    neutral.map(Neutral::into_messages)
}

/// Writes messages of one conversation in a form. `speaker` is whose conversation it is.
pub(super) fn write_messages(
    messages: &[Message],
    speaker: Option<&str>,
    profile: Profile,
) -> Vec<Value> {
    match profile {
        Profile::Playhouse => playhouse::write(messages),
        Profile::AgentScope
        | Profile::AgentScopeJava1
        | Profile::AgentScopePython1
        | Profile::AgentScopePython2 => agentscope::write(messages, speaker, profile),
        Profile::LangChain | Profile::LangChainFlat => langchain::write(messages, profile),
        Profile::OpenAi | Profile::OpenAiLines => openai::write(messages),
    }
}

/// Writes conversations as JSON: one as it is, several as a list.
pub fn write_value(conversations: &[Conversation], profile: Profile) -> Value {
    let written = conversations
        .iter()
        .map(|conversation| conversation.write(profile));
    match (conversations, profile) {
        ([one], _) if profile != Profile::OpenAiLines => one.write(profile),
        _ => written.collect(),
    }
}

/// Writes conversations as text, ending in a line end: indented JSON, or one JSON value a line.
pub fn write(conversations: &[Conversation], profile: Profile) -> String {
    match write_value(conversations, profile) {
        Value::Array(lines) if profile == Profile::OpenAiLines => {
            lines.iter().map(|line| format!("{line}\n")).collect()
        }
        value => format!("{value:#}\n"),
    }
}

impl Conversation {
    fn write(&self, profile: Profile) -> Value {
        let messages = write_messages(&self.messages, self.name.as_deref(), profile);
        match profile {
            Profile::Playhouse => json!({"name": self.speaker(), "context": messages}),
            Profile::OpenAiLines => json!({"messages": messages}),
            _ => Value::Array(messages),
        }
    }

    /// Whose conversation it is: as it says, or whoever speaks first as its mind.
    fn speaker(&self) -> &str {
        let said = self
            .messages
            .iter()
            .filter(|message| message.role == Role::Ai);
        let mut names = said.filter_map(|message| message.body.sender());
        let name = self.name.as_ref().or_else(|| names.next());
        name.map_or("assistant", |name| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(reading: &Reading) -> Vec<Vec<String>> {
        let text = |message: &Message| message.body.full_text().into_owned();
        let all = reading.conversations.iter();
        all.map(|one| one.messages.iter().map(text).collect())
            .collect()
    }

    #[test]
    fn messages_are_found_wherever_they_stand() {
        let hi = json!({"role": "user", "content": "hi"});
        for document in [
            json!(hi),
            json!([hi]),
            json!([null, hi]),
            json!({"model": "m", "messages": [hi]}),
            json!([[hi]]),
            json!([{"messages": [hi]}]),
        ] {
            let reading = read_value(&document, None).unwrap();
            assert_eq!(reading.profile, Profile::OpenAi);
            assert_eq!(texts(&reading), [["hi"]], "{document}");
        }
    }

    #[test]
    fn lines_are_conversations_or_the_messages_of_one() {
        let one = "{\"role\": \"user\", \"content\": \"a\"}\n\n{\"role\": \"assistant\", \"content\": \"b\"}\n";
        let reading = read(one, None).unwrap();
        assert_eq!(
            (reading.profile, texts(&reading)),
            (Profile::OpenAiLines, vec![vec!["a".into(), "b".into()]])
        );

        let two = "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}\n{\"messages\": []}";
        let reading = read(two, None).unwrap();
        assert_eq!(texts(&reading), [vec!["a".to_owned()], vec![]]);
        let written = write(&reading.conversations, Profile::OpenAiLines);
        assert_eq!(
            written,
            "{\"messages\":[{\"content\":\"a\",\"role\":\"user\"}]}\n{\"messages\":[]}\n"
        );

        let broken = "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\"\n";
        let error = read(broken, None).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn an_error_says_where_and_as_what() {
        let wrong = json!({"name": "Wren", "context": [
            {"type": "human", "content": "hi"}, {"type": "robot", "content": "beep"}]});
        let error = read_value(&wrong, None).unwrap_err().to_string();
        assert!(
            error.contains("as playhouse: context[1].type: 'robot'"),
            "{error}"
        );

        let named = json!([{"type": "human", "content": "hi"}]);
        let error = read_value(&named, Some(Profile::OpenAi))
            .unwrap_err()
            .to_string();
        assert!(error.contains("as openai: [0].role: missing"), "{error}");

        let error = read_value(&json!({"speaker": "Ann"}), None)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("'speaker'") && error.contains("name the form"),
            "{error}"
        );
        let error = read("once upon a time", None).unwrap_err().to_string();
        assert!(error.starts_with("this is no JSON: "), "{error}");
        assert!(matches!(
            read(" \n", None),
            Err(DialectError::NoJson { .. })
        ));
    }

    #[test]
    fn a_warning_says_where() {
        let document = json!([[{"role": "assistant", "content": [{"type": "mystery"}], "tool_calls": [
            {"id": "1", "function": {"name": "f", "arguments": "{\"a\": 1"}}]}]]);
        let reading = read_value(&document, None).unwrap();
        let paths: Vec<_> = reading
            .warnings
            .iter()
            .map(|warning| warning.path.as_str())
            .collect();
        assert_eq!(paths, ["[0][0].content[0]", "[0][0]"]);
    }

    #[test]
    fn a_context_of_ours_keeps_its_name() {
        let ours = json!({"name": "Wren", "context": [{"type": "ai", "content": "hi"}]});
        let reading = read_value(&ours, None).unwrap();
        assert_eq!(
            write_value(&reading.conversations, Profile::Playhouse),
            ours
        );
        let python = write_value(&reading.conversations, Profile::AgentScopePython1);
        assert_eq!(python[0]["name"], "Wren");
        let back = read_value(&python, None).unwrap();
        assert_eq!(
            back.conversations[0].messages,
            reading.conversations[0].messages
        );
    }
}
