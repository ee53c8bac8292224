//! Reading and writing whole conversations.

use std::collections::BTreeSet;
use std::sync::Arc;

use playhouse_engine::locale::{Argument, Localize, UiText, text};
use playhouse_engine::message::{FormatError, Message, Role};
use serde_json::{Map, Value};
use thiserror::Error;

use super::blocks::read_at;
use super::detect::detect;
use super::messages::{read_message, write_messages};
use super::neutral::{join_steps, tell_calls_apart};
use super::{
    Profile, agent_framework, autogen, blocks, gemini, memory, openai, responses, sharegpt,
    sillytavern, stream,
};

/// A conversation in no particular format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The name of the entity it belongs to, if known.
    pub name: Option<Arc<str>>,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// What else its document says of it, such as an id or tools, for the same format.
    pub members: Option<(Profile, Map<String, Value>)>,
}

/// The result of reading a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub profile: Profile,
    /// One conversation, or several if the document is a list of them.
    pub conversations: Vec<Conversation>,
    /// What could not be read as it came.
    pub warnings: Vec<FormatError>,
}

/// Why a document can't be read.
#[derive(Debug, Error, Localize)]
pub enum DialectError {
    /// The text is neither JSON nor one JSON value per line.
    #[text(dialect_invalid_json)]
    InvalidJson {
        /// What the parser says.
        reason: UiText,
    },
    /// A line is not JSON, although each line should be a value of its own.
    #[text(dialect_invalid_json_line)]
    InvalidJsonLine {
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        reason: UiText,
    },
    /// The members of the messages don't show the format.
    #[text(dialect_no_members, .. if members.is_empty())]
    #[text(
        dialect_unknown_format,
        members = Argument::list(members.iter().map(|member| format!("'{member}'")))
    )]
    UnknownFormat {
        /// The first members that were found.
        members: Vec<String>,
    },
    /// It is not a conversation.
    NoConversation {
        /// What it is, and what can be done.
        reason: UiText,
    },
    /// A message is not in the format that was detected or named.
    #[text(dialect_invalid_message, profile = profile.name())]
    InvalidMessage {
        profile: Profile,
        error: FormatError,
    },
}

/// Reads conversations from text: JSON, or one JSON value per line. The format is detected unless
/// it is named.
///
/// # Errors
/// The text is not JSON, its format can't be detected, or a message can't be read.
pub fn read(text: &str, profile: Option<Profile>) -> Result<Imported, DialectError> {
    let text = text.trim_start_matches('\u{feff}');
    let error: serde_json::Error = match serde_json::from_str(text) {
        Ok(value) => return read_value(&value, profile),
        Err(error) => error,
    };
    match parse_lines(text) {
        Some(values) => {
            let mut imported = read_value(&Value::Array(values?), profile)?;
            if imported.profile == Profile::OpenAi {
                imported.profile = Profile::OpenAiLines;
            }
            Ok(imported)
        }
        None => Err(DialectError::InvalidJson {
            reason: error.text(),
        }),
    }
}

/// The values of a text with one per line; `None` if the first line is not a value.
fn parse_lines(text: &str) -> Option<Result<Vec<Value>, DialectError>> {
    let lines = text.lines().enumerate();
    let mut lines = lines
        .filter_map(|(index, line)| Some((index, stream::data_of(line)?)))
        .peekable();
    serde_json::from_str::<Value>(lines.peek()?.1).ok()?;
    let values = lines.map(|(index, line)| {
        serde_json::from_str(line).map_err(|error: serde_json::Error| {
            DialectError::InvalidJsonLine {
                line: index + 1,
                reason: error.text(),
            }
        })
    });
    Some(values.collect())
}

/// Reads conversations from JSON: a message, a list of messages, an object that holds such a list
/// as `messages` or (with a `name`) as `context`, a request to a provider, the state of an
/// AgentScope memory or of an AutoGen agent or team, or a list of those.
///
/// # Errors
/// The format can't be detected, or a message can't be read.
pub fn read_value(value: &Value, profile: Option<Profile>) -> Result<Imported, DialectError> {
    if let Some(reason) = autogen::refusal(value) {
        return Err(DialectError::NoConversation { reason });
    }
    let value = &*responses::with_messages(value);
    let mut warnings = Vec::new();
    let spelled = agent_framework::with_small_letters(value)
        .or_else(|| stream::answers(value, &mut warnings));
    let value = spelled.as_ref().unwrap_or(value);
    let parts = match value {
        Value::Array(values) => Part::of_list(values),
        value => Part::all_within(value, "").unwrap_or_else(|| {
            vec![Part::of_messages(
                std::slice::from_ref(value),
                String::new(),
            )]
        }),
    };
    if parts.is_empty() {
        let reason = text!(dialect_no_messages);
        return Err(DialectError::NoConversation { reason });
    }
    read_parts(&parts, profile, warnings).map_err(|error| {
        let is_unknown = matches!(error, DialectError::UnknownFormat { .. });
        let kind = sillytavern::other_file(value).filter(|_| is_unknown);
        kind.map_or(error, |kind| DialectError::NoConversation {
            reason: text!(dialect_other_file, kind),
        })
    })
}

/// The members that hold a list of messages.
const LISTS: [&str; 8] = [
    "context", "messages", "chat_history", "contents", "conversations", "chunks", "input", "output",
];

/// The members of saved threads and prompts that have such a list inside.
const WRAPPERS: [&str; 5] = [
    "chat_message_store_state",
    "storeState",
    "state",
    "stateBag",
    "chunkedPrompt",
];

/// The list of messages that an object holds, and the path to it. What has a role or a type is a
/// message itself, whatever it holds, unless it is a saved thread or the answer of an agent.
fn list_of(map: &Map<String, Value>) -> Option<(String, &[Value])> {
    let wrappers = WRAPPERS.iter();
    let mut wrapped = wrappers.filter_map(|key| Some((*key, map.get(*key)?.as_object()?)));
    wrapped
        .find_map(|(key, inner)| list_within(key, inner))
        .or_else(|| {
            let is_one = is_message(map) && !agent_framework::is_answer(map);
            let (key, list) = direct_list(map).filter(|_| !is_one)?;
            Some((key.to_owned(), list))
        })
}

/// The list in what is saved under this name: its own, or that of one of its members.
fn list_within<'a>(key: &str, saved: &'a Map<String, Value>) -> Option<(String, &'a [Value])> {
    if let Some((member, list)) = direct_list(saved) {
        return Some((format!("{key}.{member}"), list));
    }
    let members = saved
        .iter()
        .filter_map(|(name, inner)| Some((name, inner.as_object()?)));
    let mut lists = members.filter_map(|(name, inner)| Some((name, direct_list(inner)?)));
    let (name, (member, list)) = lists.next()?;
    Some((format!("{key}.{name}.{member}"), list))
}

/// What an answer of Gemini or of chat completions says, with its path. If there are several, each
/// is another answer to the same.
fn answers(map: &Map<String, Value>) -> impl Iterator<Item = (String, &Value)> {
    let lists = [("candidates", "content"), ("choices", "message")];
    lists.into_iter().flat_map(|(list, member)| {
        let answers = map.get(list).and_then(Value::as_array);
        let answers = (0..).zip(answers.into_iter().flatten());
        answers.filter_map(move |(number, answer)| {
            Some((format!("{list}[{number}].{member}"), answer.get(member)?))
        })
    })
}

fn direct_list(map: &Map<String, Value>) -> Option<(&'static str, &[Value])> {
    let mut lists = LISTS
        .iter()
        .filter_map(|key| Some((*key, map.get(*key)?.as_array()?)));
    lists.next().map(|(key, list)| (key, list.as_slice()))
}

/// What a request, or a row of a data set, tells its model beside the messages.
fn system_of(map: &Map<String, Value>) -> Option<(&'static str, &Value)> {
    const MEMBERS: [&str; 4] = [
        "system", "systemInstruction", "system_instruction", "instructions",
    ];
    let mut given = MEMBERS
        .iter()
        .filter_map(|key| Some((*key, map.get(*key)?)));
    given.find(|(_, system)| !system.is_null() && *system != "")
}

fn read_system(
    system: &Value,
    warnings: &mut Vec<FormatError>,
) -> Result<Option<Message>, FormatError> {
    let parts = system.get("parts").map(gemini::spelled_parts);
    let blocks = blocks::read_content(Some(parts.as_ref().unwrap_or(system)), warnings)?;
    Ok((!blocks.is_empty()).then(|| Message::system(blocks)))
}

fn is_state(map: &Map<String, Value>) -> bool {
    !is_message(map) && memory::is_state(map)
}

fn is_message(map: &Map<String, Value>) -> bool {
    ["role", "type"]
        .iter()
        .any(|key| map.get(*key).is_some_and(Value::is_string))
        || map.contains_key("mes")
}

/// A conversation whose messages are not read yet.
#[derive(Default)]
struct Part<'a> {
    /// Where it is in the document.
    path: String,
    name: Option<Arc<str>>,
    /// What its model is told beside the messages, and the member that says it.
    system: Option<(&'static str, &'a Value)>,
    messages: &'a [Value],
    /// Whether it is what a model answered, whose role may be missing.
    is_answer: bool,
    /// The object that it is, and the member with its messages.
    whole: Option<(&'a Map<String, Value>, String)>,
    /// The number of the first message at its path.
    first: usize,
    /// The state of an AgentScope memory, in place of messages.
    memory: Option<&'a Map<String, Value>>,
}

impl<'a> Part<'a> {
    /// The conversations in a value: several in the state of an AutoGen team and in an answer.
    /// `None` if it is a message.
    fn all_within(value: &'a Value, path: &str) -> Option<Vec<Self>> {
        let map = match value {
            Value::Array(values) => return Some(vec![Self::of_messages(values, path.to_owned())]),
            value => value.as_object()?,
        };
        if let Some(saved) = autogen::saved_lists(map, path) {
            let parts = saved.into_iter().map(|list| Self {
                path: list.path,
                name: list.name.map(Arc::from),
                messages: list.messages,
                ..Self::default()
            });
            return Some(parts.collect());
        }
        let inside = |member: &str| match path {
            "" => member.to_owned(),
            path => format!("{path}.{member}"),
        };
        let answers = answers(map).map(|(place, message)| Self {
            is_answer: true,
            ..Self::of_messages(std::slice::from_ref(message), inside(&place))
        });
        let answers: Vec<_> = answers.collect();
        if !answers.is_empty() {
            return Some(answers);
        }
        let Some((member, messages)) = list_of(map) else {
            let memory = Some(map).filter(|map| is_state(map))?;
            return Some(vec![Self {
                path: path.to_owned(),
                memory: Some(memory),
                ..Self::default()
            }]);
        };
        Some(vec![Self {
            path: inside(&member),
            name: map.get("name").and_then(Value::as_str).map(Arc::from),
            system: system_of(map),
            messages,
            whole: Some((map, member)),
            ..Self::default()
        }])
    }

    /// The parts of a list of messages, or of conversations.
    fn of_list(values: &'a [Value]) -> Vec<Self> {
        let numbered = values.iter().enumerate();
        let numbered = numbered.filter(|(_, value)| !value.is_null());
        let parts = numbered.map(|(index, value)| {
            let path = format!("[{index}]");
            Self::all_within(value, &path)
                .ok_or_else(|| Self::of_messages(std::slice::from_ref(value), path))
        });
        let parts: Vec<_> = parts.collect();
        if parts.iter().all(Result::is_err) {
            return Self::chats_of(values).collect();
        }
        let parts = parts.into_iter();
        parts
            .flat_map(|part| part.unwrap_or_else(|one| vec![one]))
            .collect()
    }

    /// A list of messages. The first line of a chat may say whose it is.
    fn of_messages(messages: &'a [Value], path: String) -> Self {
        let head = messages.first().filter(|first| sillytavern::is_head(first));
        Self {
            path,
            name: head.and_then(sillytavern::owner),
            messages,
            ..Self::default()
        }
    }

    /// The chats of a list, each of which may begin with a line that says whose it is.
    fn chats_of(values: &'a [Value]) -> impl Iterator<Item = Self> {
        let later = values.iter().enumerate().skip(1);
        let heads = later.filter(|(_, value)| sillytavern::is_head(value));
        let starts: Vec<_> = [0].into_iter().chain(heads.map(|(at, _)| at)).collect();
        let ends: Vec<_> = starts
            .iter()
            .skip(1)
            .copied()
            .chain([values.len()])
            .collect();
        starts.into_iter().zip(ends).map(|(first, end)| Self {
            first,
            ..Self::of_messages(values.get(first..end).unwrap_or_default(), String::new())
        })
    }

    fn read(
        &self,
        profile: Profile,
        warnings: &mut Vec<FormatError>,
    ) -> Result<Conversation, FormatError> {
        if let Some(state) = self.memory {
            return Ok(Conversation {
                messages: read_at(&self.path, warnings, |found| memory::read(state, found))?,
                ..Conversation::default()
            });
        }
        let mut messages = Vec::with_capacity(self.messages.len());
        if let Some((member, system)) = self.system {
            messages.extend(read_at(member, warnings, |found| {
                read_system(system, found)
            })?);
        }
        for (index, value) in self.messages.iter().enumerate() {
            if value.is_null() || sillytavern::is_head(value) {
                continue;
            }
            let path = format!("{}[{}]", self.path, self.first + index);
            let read = |found: &mut _| read_message(value, profile, found);
            messages.extend(read_at(&path, warnings, read)?);
        }
        let said = messages.iter_mut().filter(|_| self.is_answer);
        for message in said.filter(|message| message.role == Role::Human) {
            message.role = Role::Ai;
        }
        if let Some(name) = self
            .name
            .as_deref()
            .filter(|_| profile == Profile::SillyTavern)
        {
            sillytavern::settle(&mut messages, name);
        }
        if matches!(profile, Profile::Responses | Profile::Gemini) {
            messages = join_steps(messages);
        }
        if matches!(profile, Profile::ShareGpt | Profile::Gemini) {
            messages = tell_calls_apart(messages);
        }
        Ok(Conversation {
            name: self.name.clone(),
            messages,
            members: self.members(profile).map(|members| (profile, members)),
        })
    }

    /// What stands beside the messages and is not read.
    fn members(&self, profile: Profile) -> Option<Map<String, Value>> {
        let (whole, list) = self.whole.as_ref()?;
        let system = self.system.map(|(member, _)| member);
        let is_read = |key: &str| match key {
            "name" => profile == Profile::Playhouse,
            // A row of ShareGPT's has it again when it is written.
            "system" => profile != Profile::ShareGpt && system == Some(key),
            key => list.split('.').next() == Some(key) || system == Some(key),
        };
        let mut members = (*whole).clone();
        members.retain(|key, _| !is_read(key));
        (!members.is_empty()).then_some(members)
    }
}

fn read_parts(
    parts: &[Part<'_>],
    profile: Option<Profile>,
    mut warnings: Vec<FormatError>,
) -> Result<Imported, DialectError> {
    let profile = profile.map_or_else(|| profile_of(parts), Ok)?;
    let conversations = parts.iter().map(|part| part.read(profile, &mut warnings));
    let conversations = conversations.collect::<Result<_, _>>();
    Ok(Imported {
        profile,
        conversations: conversations
            .map_err(|error| DialectError::InvalidMessage { profile, error })?,
        warnings,
    })
}

fn profile_of(parts: &[Part<'_>]) -> Result<Profile, DialectError> {
    if parts.iter().any(|part| part.memory.is_some()) {
        return Ok(Profile::AgentScopePython1);
    }
    detect(parts.iter().flat_map(|part| part.messages))
        .map_err(|members| DialectError::UnknownFormat { members })
}

/// Writes conversations as JSON; several, and lines, as a list.
pub fn write_value(conversations: &[Conversation], profile: Profile) -> Value {
    match conversations {
        _ if profile == Profile::SillyTavern => {
            let lines = conversations
                .iter()
                .map(|conversation| conversation.write(profile));
            let lines = lines.filter_map(|lines| match lines {
                Value::Array(lines) => Some(lines),
                _ => None,
            });
            lines.flatten().collect()
        }
        [conversation] if !profile.has_lines() => conversation.write(profile),
        several => several
            .iter()
            .map(|conversation| conversation.write(profile))
            .collect(),
    }
}

/// What a format has no place for in the content of these conversations, or writes differently.
pub fn losses(conversations: &[Conversation], profile: Profile) -> Vec<UiText> {
    let messages = conversations
        .iter()
        .flat_map(|conversation| &conversation.messages);
    let mut losses = match profile {
        Profile::OpenAi | Profile::OpenAiLines => openai::losses(messages),
        Profile::AutoGen => autogen::losses(messages),
        Profile::ShareGpt => sharegpt::losses(messages),
        Profile::SillyTavern => blocks::unknown_left_out(messages).into_iter().collect(),
        _ => Vec::new(),
    };
    let unwritten = conversations.iter().filter_map(|one| {
        let (_, members) = one.members.as_ref()?;
        one.members_for(profile).is_none().then_some(members)
    });
    let members = unwritten.flatten().filter(|(_, value)| !value.is_null());
    let members: BTreeSet<_> = members.map(|(key, _)| key).take(100).collect();
    if !members.is_empty() {
        let members = Argument::list(members.into_iter().take(12));
        losses.push(text!(dialect_members_left_out, members));
    }
    losses
}

/// Writes conversations as text that ends with a line break: indented JSON, or one JSON value per
/// line.
pub fn write(conversations: &[Conversation], profile: Profile) -> String {
    match write_value(conversations, profile) {
        Value::Array(lines) if profile.has_lines() => {
            lines.iter().map(|line| format!("{line}\n")).collect()
        }
        value => format!("{value:#}\n"),
    }
}

impl Conversation {
    fn write(&self, profile: Profile) -> Value {
        let owner = Some(self.owner()).filter(|_| profile == Profile::SillyTavern);
        let mut row = self.members_for(profile).cloned().unwrap_or_default();
        let beside = row.get("system").and_then(Value::as_str);
        let messages = match self.messages.split_first() {
            Some((first, rest)) if beside.is_some_and(|text| first.body.full_text() == text) => {
                rest
            }
            _ => &self.messages,
        };
        let messages = write_messages(messages, owner.or(self.name.as_deref()), profile).into();
        let list = match profile {
            Profile::Playhouse => "context",
            Profile::OpenAiLines => "messages",
            Profile::ShareGpt => "conversations",
            _ => return messages,
        };
        row.insert(list.into(), messages);
        if profile == Profile::Playhouse {
            row.insert("name".into(), self.owner().into());
        }
        Value::Object(row)
    }

    /// What stood beside the messages, if it did so in this format.
    fn members_for(&self, profile: Profile) -> Option<&Map<String, Value>> {
        let (read_as, members) = self.members.as_ref()?;
        let lines = |profile: Profile| match profile {
            Profile::OpenAi => Profile::OpenAiLines,
            profile => profile,
        };
        let has_objects = [Profile::Playhouse, Profile::OpenAiLines, Profile::ShareGpt];
        (lines(*read_as) == profile && has_objects.contains(&profile)).then_some(members)
    }

    /// The name of the entity it belongs to: as stated, or that of the first ai message.
    fn owner(&self) -> &str {
        let messages = self.messages.iter();
        let own = messages.filter(|message| message.role == Role::Ai);
        let mut senders = own.filter_map(|message| message.body.sender());
        let name = self.name.as_ref().or_else(|| senders.next());
        name.map_or("assistant", |name| name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(imported: &Imported) -> Vec<Vec<String>> {
        let text = |message: &Message| message.body.full_text().into_owned();
        let conversations = imported.conversations.iter();
        let texts =
            conversations.map(|conversation| conversation.messages.iter().map(text).collect());
        texts.collect()
    }

    #[test]
    fn messages_are_found_at_every_place() {
        let hi = json!({"role": "user", "content": "hi"});
        for document in [
            json!(hi),
            json!([hi]),
            json!([null, hi]),
            json!({"model": "m", "messages": [hi]}),
            json!([[hi]]),
            json!([{"messages": [hi]}]),
        ] {
            let imported = read_value(&document, None).unwrap();
            assert_eq!(imported.profile, Profile::OpenAi);
            assert_eq!(texts(&imported), [["hi"]], "{document}");
        }
    }

    #[test]
    fn lines_are_conversations_or_the_messages_of_one() {
        let conversation = "{\"role\": \"user\", \"content\": \"a\"}\n\n{\"role\": \"assistant\", \"content\": \"b\"}\n";
        let imported = read(conversation, None).unwrap();
        assert_eq!(
            (imported.profile, texts(&imported)),
            (Profile::OpenAiLines, vec![vec!["a".into(), "b".into()]])
        );

        let broken = "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\"\n";
        let error = read(broken, None).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn an_error_names_the_format_and_the_place() {
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
            error.contains("speaker") && error.contains("can't tell the format"),
            "{error}"
        );
        let error = read("once upon a time", None).unwrap_err().to_string();
        assert!(error.starts_with("not valid JSON: "), "{error}");
        assert!(matches!(
            read(" \n", None),
            Err(DialectError::InvalidJson { .. })
        ));
    }

    #[test]
    fn a_warning_names_its_place() {
        let message = json!({"role": "user", "name": "u", "content": [{"type": "mystery"}]});
        let memory = json!({"content": [[message, []]], "_compressed_summary": ""});
        let list = json!([[{"role": "assistant", "content": [{"type": "mystery"}], "tool_calls": [
            {"id": "1", "function": {"name": "f", "arguments": "{\"a\": 1"}}]}]]);
        let in_list: &[_] = &["[0][0].content[0]", "[0][0]"];
        for (document, places) in [(memory, &["content[0].content[0]"][..]), (list, in_list)] {
            let warnings = read_value(&document, None).unwrap().warnings.into_iter();
            assert_eq!(
                warnings.map(|warning| warning.path).collect::<Vec<_>>(),
                places
            );
        }
    }

    #[test]
    fn a_context_of_ours_keeps_its_name() {
        let ours = json!({"name": "Wren", "context": [{"type": "ai", "content": "hi"}]});
        let imported = read_value(&ours, None).unwrap();
        let python = write_value(&imported.conversations, Profile::AgentScopePython1);
        assert_eq!(python[0]["name"], "Wren");
        let back = read_value(&python, None).unwrap();
        assert_eq!(
            back.conversations[0].messages,
            imported.conversations[0].messages
        );
    }
}
