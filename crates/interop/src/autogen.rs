//! What AutoGen and AG2 save: AgentChat's messages and events, the messages of a model's context,
//! saved states of agents and teams, AG2's events and the lines of its log.
//!
//! Sources: `autogen_agentchat.messages` and `autogen_core.models` 0.7 (`dump`, `save_state`), and
//! AG2's `autogen.events` and its log of events. Written are the messages of a model's context,
//! which hold most: they fit into the `llm_context` of a saved agent. A component file describes a
//! team and holds no conversation; it is recognized, so that the error can say so.

use std::collections::BTreeMap;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::{Block, FormatError, MediaSource, Message, Role, shown};
use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::{blocks, leftovers, media, openai, roles};

/// The types of AgentChat's messages and events.
pub const CHAT_TYPES: [&str; 16] = [
    "TextMessage",
    "MultiModalMessage",
    "StructuredMessage",
    "StopMessage",
    "HandoffMessage",
    "ToolCallSummaryMessage",
    "ToolCallRequestEvent",
    "ToolCallExecutionEvent",
    "MemoryQueryEvent",
    "UserInputRequestedEvent",
    "ModelClientStreamingChunkEvent",
    "ThoughtEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
    "CodeGenerationEvent",
    "CodeExecutionEvent",
];

/// Other names of these types, from AutoGen's documentation, and the member that is `content` in
/// those.
pub const ALIASES: [(&str, &str, &str); 2] = [
    ("ToolCallMessage", "ToolCallRequestEvent", "tool_calls"),
    (
        "ToolCallResultMessage",
        "ToolCallExecutionEvent",
        "tool_call_results",
    ),
];

/// The types of messages in a model's context.
const CONTEXT_TYPES: [&str; 4] = [
    "SystemMessage",
    "UserMessage",
    "AssistantMessage",
    "FunctionExecutionResultMessage",
];

/// The type of an AutoGen message, without the name of the class in `StructuredMessage[Plan]`, and
/// the member that has its content.
fn type_of(map: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
    let kind = map.get("type")?.as_str()?.split('[').next()?;
    let alias = ALIASES.iter().find(|(alias, ..)| *alias == kind);
    if let Some((_, aliased, member)) = alias {
        return Some((aliased, member));
    }
    let mut types = CHAT_TYPES.into_iter().chain(CONTEXT_TYPES);
    Some((types.find(|known| *known == kind)?, "content"))
}

/// The content of an AG2 event, which says from whom to whom it goes.
fn ag2_event(map: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    let content = map.get("content")?.as_object()?;
    let is_event = content.contains_key("uuid") || content.contains_key("recipient");
    is_event.then_some((map.get("type")?.as_str()?, content))
}

/// Whether it is a line of AG2's log of events.
fn is_log_line(map: &Map<String, Value>) -> bool {
    map.contains_key("event_name") && map.contains_key("json_state")
}

/// Whether it is a message, an event or a line of a log.
pub(super) fn is_message(map: &Map<String, Value>) -> bool {
    type_of(map).is_some() || ag2_event(map).is_some() || is_log_line(map)
}

/// Why a component file holds no conversation; `None` if a document may hold one.
pub(super) fn refusal(value: &Value) -> Option<UiText> {
    let provider = value.get("provider")?.as_str()?;
    let kind = value.get("component_type").and_then(Value::as_str);
    value.get("config")?.as_object()?;
    let kind = kind.unwrap_or("component");
    Some(text!(dialect_autogen_component, kind, provider))
}

/// A list of messages in a saved state.
pub(super) struct SavedList<'a> {
    /// Where it is in the document.
    pub(super) path: String,
    /// The agent whose it is.
    pub(super) name: Option<&'a str>,
    pub(super) messages: &'a [Value],
}

/// The conversations in the saved state of a team or an agent: what each agent's model knows, and
/// what was said in the team. `None` if it is no such state.
pub(super) fn saved_lists<'a>(
    map: &'a Map<String, Value>,
    path: &str,
) -> Option<Vec<SavedList<'a>>> {
    let kind = map.get("type").and_then(Value::as_str);
    let is_state = kind.is_some_and(|kind| kind.ends_with("State"));
    let is_state = is_state || map.contains_key("agent_states") || map.contains_key("llm_context");
    if !is_state {
        return None;
    }
    let mut found = Vec::new();
    collect(map, path, None, 0, &mut found);
    Some(found)
}

/// How deep states of teams within teams are searched.
const DEPTH: usize = 32;

fn collect<'a>(
    map: &'a Map<String, Value>,
    path: &str,
    name: Option<&'a str>,
    depth: usize,
    found: &mut Vec<SavedList<'a>>,
) {
    let inside = |member: &str| match path {
        "" => member.to_owned(),
        path => format!("{path}.{member}"),
    };
    for member in ["message_thread", "messages", "message_buffer"] {
        let Some(Value::Array(messages)) = map.get(member) else {
            continue;
        };
        // The buffer repeats what the thread of the team has.
        if !messages.is_empty() && (member != "message_buffer" || depth == 0) {
            found.push(SavedList {
                path: inside(member),
                name: name.filter(|_| member == "messages"),
                messages,
            });
        }
    }
    if depth == DEPTH {
        return;
    }
    for member in [
        "agent_state", "llm_context", "model_context", "inner_team_state",
    ] {
        if let Some(Value::Object(inner)) = map.get(member) {
            collect(inner, &inside(member), name, depth + 1, found);
        }
    }
    if let Some(Value::Object(agents)) = map.get("agent_states") {
        for (agent, state) in agents {
            if let Value::Object(state) = state {
                // AutoGen 0.4 added the id of the run to names.
                let name = agent.split('/').next().unwrap_or(agent);
                let path = format!("{}.{agent}", inside("agent_states"));
                collect(state, &path, Some(name), depth + 1, found);
            }
        }
    }
}

/// Reads a message, an event or a line of a log; empty if it says nothing.
pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    if is_log_line(map) {
        return Ok(read_log_line(map, warnings));
    }
    if let Some((kind, content)) = ag2_event(map) {
        return Ok(read_ag2_event(kind, content, warnings));
    }
    if ["thread_id", "session_id"]
        .iter()
        .any(|key| map.contains_key(*key))
    {
        // Other lines of AG2's log: requests, clients, agents.
        return Ok(Vec::new());
    }
    let Some((kind, member)) = type_of(map) else {
        let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
        let known = CHAT_TYPES.into_iter().chain(CONTEXT_TYPES);
        return Err(roles::unknown("type", kind, known));
    };
    let role = match kind {
        "SystemMessage" => Role::System,
        "AssistantMessage" | "ToolCallRequestEvent" | "ThoughtEvent" | "CodeGenerationEvent" => {
            Role::Ai
        }
        "FunctionExecutionResultMessage" | "ToolCallExecutionEvent" => Role::Tool,
        "UserMessage" => Role::Human,
        // In a dump of a team, only the source tells people from models.
        _ if map.get("source").is_some_and(|source| source == "user") => Role::Human,
        _ => Role::Ai,
    };
    let content = map.get(member).unwrap_or(&Value::Null);
    let mut read = Vec::new();
    if let Some(Value::String(thought)) = map.get("thought") {
        read.push(Block::thinking(thought.as_str()));
    }
    match kind {
        "ThoughtEvent" => read.extend(content.as_str().map(Block::thinking)),
        // It repeats what a whole message says.
        "ModelClientStreamingChunkEvent" | "UserInputRequestedEvent" => return Ok(Vec::new()),
        "StructuredMessage" => read.push(Block::text(content.to_string())),
        "HandoffMessage" if is_blank(content) => {
            let target = map.get("target").and_then(Value::as_str);
            let context = map.get("context").unwrap_or(&Value::Null);
            let text = handoff_text(target.unwrap_or_default(), context);
            read.push(Block::text(text));
        }
        _ => read.extend(read_parts(content, member, warnings)?),
    }
    let source = map.get("source").and_then(Value::as_str);
    let mut neutral = Neutral {
        role: Some(role),
        blocks: read,
        name: source.map(Into::into),
        ..Neutral::default()
    };
    neutral.keep("id", map.get("id"));
    neutral.keep("timestamp", map.get("created_at"));
    let kept = ["models_usage", "target", "context", "tool_calls", "results"];
    for key in kept.into_iter().filter(|key| *key != member) {
        neutral.keep(key, map.get(key));
    }
    leftovers::read(&mut neutral, map.get("metadata"));
    Ok(neutral.into_messages())
}

fn is_blank(content: &Value) -> bool {
    let text = content.as_str().unwrap_or_default();
    (content.is_null() || content.is_string()) && text.trim().is_empty()
}

/// What a handoff without text says: to whom, and what the target should know.
pub fn handoff_text(target: &str, context: &Value) -> String {
    match context {
        Value::Null => format!("→ {target}"),
        Value::Array(items) if items.is_empty() => format!("→ {target}"),
        Value::String(text) => format!("→ {target} ({text})"),
        other => format!("→ {target} ({other})"),
    }
}

/// The parts of a content: texts, images, calls and results.
fn read_parts(
    content: &Value,
    member: &str,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Block>, FormatError> {
    let parts = match content {
        Value::Array(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let mut read = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let block = read_part(part, warnings);
        read.extend(block.map_err(|error| error.nested_in(&format!("{member}[{index}]")))?);
    }
    Ok(read)
}

fn read_part(part: &Value, warnings: &mut Vec<FormatError>) -> Result<Option<Block>, FormatError> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    if let (Some(id), Some(content)) = (text("call_id"), part.get("content")) {
        return Ok(Some(Block::ToolResult {
            tool_use_id: id.into(),
            name: text("name").filter(|name| !name.is_empty()).map(Into::into),
            output: blocks::read_output(Some(content), warnings),
            is_error: part.get("is_error") == Some(&Value::Bool(true)),
        }));
    }
    if let (Some(id), Some(name), Some(arguments)) =
        (text("id"), text("name"), part.get("arguments"))
    {
        let input = blocks::read_arguments(arguments, name, warnings);
        return Ok(Some(Block::tool_use(id, name, input)));
    }
    match image_part(part) {
        Some(image) => Ok(Some(image)),
        None => blocks::read_block(part, warnings),
    }
}

/// An image in AutoGen's form, `{"data": …}` or `{"url": …}`, or media in any other.
pub fn image_part(part: &Value) -> Option<Block> {
    let text = |key: &str| part.get(key)?.as_str();
    match (text("data"), text("url")) {
        _ if part.get("type").is_some() => {
            let block = blocks::read_block(part, &mut Vec::new()).ok().flatten();
            block.filter(|block| block.as_media().is_some())
        }
        (Some(data), _) => Some(Block::image(image_source(data))),
        (None, Some(url)) => Some(Block::image(media::source_of_url(url, None))),
        (None, None) => None,
    }
}

/// An image of AutoGen, which says no type: it writes PNG.
fn image_source(data: &str) -> MediaSource {
    if data.starts_with("data:") {
        return media::source_of_url(data, None);
    }
    let known = [
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
    ]
    .iter()
    .find(|(start, _)| data.starts_with(start));
    MediaSource::base64(known.map_or("image/png", |(_, kind)| kind), data)
}

fn read_ag2_event(
    kind: &str,
    content: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Vec<Message> {
    let sender = content
        .get("sender")
        .or_else(|| content.get("sender_name"))
        .and_then(Value::as_str)
        .unwrap_or("user");
    let mut chat = content.clone();
    let role = match kind {
        "text" | "tool_call" | "function_call" => "assistant",
        "tool_response" | "function_response" => "tool",
        _ => {
            warnings.push(FormatError::new("type", text!(dialect_ag2_event, kind)));
            return Vec::new();
        }
    };
    chat.insert("name".into(), sender.into());
    chat.insert("role".into(), role_of(sender, role).into());
    read_chat(&chat, warnings)
}

/// People are the user, whatever AG2 says of their role.
fn role_of(sender: &str, role: &'static str) -> &'static str {
    match (sender, role) {
        ("user" | "User" | "user_proxy", "assistant") => "user",
        _ => role,
    }
}

/// What AG2 writes beside the names of speakers is OpenAI's.
fn read_chat(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Vec<Message> {
    let read = openai::read(map, warnings);
    match read {
        Ok(neutral) => neutral.into_messages(),
        Err(problem) => {
            warnings.push(problem);
            Vec::new()
        }
    }
}

/// Each message is in the log of its receiver.
fn read_log_line(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Vec<Message> {
    if map.get("event_name").and_then(Value::as_str) != Some("received_message") {
        return Vec::new();
    }
    let state = match map.get("json_state") {
        Some(Value::String(state)) => serde_json::from_str(state).unwrap_or_default(),
        state => state.cloned().unwrap_or_default(),
    };
    let sender = state
        .get("sender")
        .and_then(Value::as_str)
        .unwrap_or("user");
    let mut chat = match state.get("message") {
        Some(Value::Object(message)) => message.clone(),
        content => Map::from_iter([("content".into(), content.cloned().unwrap_or_default())]),
    };
    let role = match chat.get("role").and_then(Value::as_str) {
        Some("tool" | "function") => "tool",
        _ => role_of(sender, "assistant"),
    };
    chat.insert("role".into(), role.into());
    chat.insert("name".into(), sender.into());
    read_chat(&chat, warnings)
}

/// What messages lose when they are written: media other than images as data.
pub(super) fn losses<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<UiText> {
    let blocks = messages.flat_map(|message| blocks::at_any_depth(&message.body));
    let told = blocks.filter_map(|block| match (&block, block.as_media()) {
        (
            Block::Image {
                source: MediaSource::Base64 { .. },
            },
            _,
        )
        | (_, None) => None,
        (_, Some((kind, source))) => {
            let words = kind.in_words(source);
            Some(text!(dialect_media_in_words, words))
        }
    });
    told.collect()
}

/// Writes the messages of a model's context.
pub(super) fn write(messages: &[Message], speaker: Option<&str>) -> Vec<Value> {
    let tools = blocks::tool_names(messages);
    let messages = messages.iter().map(Neutral::of);
    messages
        .flat_map(|neutral| write_message(neutral, speaker, &tools))
        .collect()
}

/// `tools` are the names of the tools by the ids of the calls.
fn write_message(
    neutral: Neutral,
    speaker: Option<&str>,
    tools: &BTreeMap<&str, &str>,
) -> Vec<Value> {
    let (role, own) = (neutral.role(), neutral.name.as_deref());
    let (mut thoughts, mut said) = (Vec::new(), Vec::new());
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for block in &neutral.blocks {
        match block {
            Block::Thinking { thinking, .. } => thoughts.push(&**thinking),
            Block::ToolUse {
                id, name, input, ..
            } => calls.push(json!({"id": id, "name": name, "arguments": input.to_string()})),
            Block::ToolResult { .. } => results.extend(block.as_tool_result().map(|result| {
                let name = result.name.or_else(|| tools.get(result.id).copied());
                json!({
                    "call_id": result.id, "name": name.unwrap_or_default(),
                    "content": shown(&result.blocks()), "is_error": result.is_error,
                })
            })),
            Block::Text { text } => said.push(json!(text)),
            Block::Image {
                source: MediaSource::Base64 { data, .. },
            } => said.push(json!({"data": data})),
            other => said.push(match other.as_media() {
                Some((kind, source)) => json!(kind.in_words(source)),
                None => json!(other),
            }),
        }
    }
    let thought = (!thoughts.is_empty()).then(|| thoughts.join("\n"));
    let content = match said.as_slice() {
        [] => json!(""),
        [Value::String(text)] => json!(text),
        _ => Value::from(said),
    };
    let says_nothing = content == "";
    let mut written = Vec::new();
    if !results.is_empty() {
        written.push(json!({"type": "FunctionExecutionResultMessage", "content": results}));
    }
    if !(says_nothing && (!calls.is_empty() || !written.is_empty())) {
        written.push(match role {
            Role::System => json!({"type": "SystemMessage", "content": content}),
            Role::Ai => {
                let source = own.or(speaker).unwrap_or("assistant");
                json!({"type": "AssistantMessage", "content": content, "source": source})
            }
            Role::Human | Role::Tool => {
                json!({"type": "UserMessage", "content": content, "source": own.unwrap_or("user")})
            }
        });
    }
    if !calls.is_empty() {
        let source = own.or(speaker).unwrap_or("assistant");
        written.push(json!({"type": "AssistantMessage", "content": calls, "source": source}));
    }
    if let Some((thought, message)) = thought.zip(written.last_mut()) {
        message["thought"] = thought.into();
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Conversation, Profile, read_value, write_value};

    fn read_all(document: &Value) -> Vec<Conversation> {
        let imported = read_value(document, None).unwrap();
        assert_eq!(imported.profile, Profile::AutoGen);
        assert_eq!(imported.warnings, [], "{document}");
        imported.conversations
    }

    fn told(conversation: &Conversation) -> Vec<(Role, String, String)> {
        let messages = conversation.messages.iter();
        messages
            .map(|message| {
                let name = message.body.sender().map(|name| name.to_string());
                let shown = message.body.shown().into_owned();
                (message.role, name.unwrap_or_default(), shown)
            })
            .collect()
    }

    fn dump() -> Value {
        json!([
            {"id": "1", "source": "user", "models_usage": null, "metadata": {}, "created_at": "2025-05-01T10:00:00Z",
                "content": "Draw a line.", "type": "TextMessage"},
            {"source": "writer", "content": [{"id": "c1", "arguments": "{\"n\": 1}", "name": "draw"}],
                "type": "ToolCallRequestEvent", "models_usage": {"prompt_tokens": 3, "completion_tokens": 1}},
            {"source": "writer", "content": [{"content": "drawn", "name": "draw", "call_id": "c1", "is_error": false}],
                "type": "ToolCallExecutionEvent"},
            {"source": "writer", "content": "Is it straight?", "type": "ThoughtEvent"},
            {"source": "writer", "content": ["See:", {"data": "iVBORw0KGgo="}], "type": "MultiModalMessage"},
            {"source": "writer", "content": "Over to you.", "target": "critic", "context": [], "type": "HandoffMessage"},
            {"source": "critic", "content": "So", "type": "ModelClientStreamingChunkEvent"},
            {"source": "critic", "content": {"good": true}, "type": "StructuredMessage[Verdict]"},
        ])
    }

    #[test]
    fn a_dump_of_messages_is_read() {
        for document in [
            dump(),
            json!({"messages": dump(), "stop_reason": "Maximum number of turns 3 reached."}),
        ] {
            let conversations = read_all(&document);
            let line = |role, name: &str, shown: &str| (role, name.to_owned(), shown.to_owned());
            assert_eq!(
                told(&conversations[0]),
                [
                    line(Role::Human, "user", "Draw a line."),
                    line(Role::Ai, "writer", "[draw {\"n\":1}]"),
                    line(Role::Tool, "writer", "[draw → drawn]"),
                    line(Role::Ai, "writer", ""),
                    line(Role::Ai, "writer", "See:\n[image: image/png]"),
                    line(Role::Ai, "writer", "Over to you."),
                    line(Role::Ai, "critic", "{\"good\":true}"),
                ]
            );
        }
    }

    #[test]
    fn the_state_of_a_team_is_a_conversation_for_each_agent_and_that_of_the_team() {
        let context = json!({"messages": [
            {"content": "Draw a line.", "source": "user", "type": "UserMessage"},
            {"content": [{"id": "c1", "arguments": "{}", "name": "draw"}], "source": "writer", "thought": "Hm.",
                "type": "AssistantMessage"},
            {"content": [{"content": "drawn", "name": "draw", "call_id": "c1", "is_error": true}],
                "type": "FunctionExecutionResultMessage"},
        ]});
        let state = json!({"type": "TeamState", "version": "1.0.0", "agent_states": {
            "writer": {"type": "ChatAgentContainerState", "version": "1.0.0", "message_buffer": [],
                "agent_state": {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": context}},
            "user": {"type": "ChatAgentContainerState", "agent_state": {"type": "BaseState"}, "message_buffer": []},
            "RoundRobinGroupChatManager": {"type": "RoundRobinManagerState", "message_thread": dump(),
                "current_turn": 0, "next_speaker_index": 0},
        }});
        let conversations = read_all(&state);
        let found: Vec<_> = conversations
            .iter()
            .map(|conversation| (conversation.name.as_deref(), conversation.messages.len()))
            .collect();
        assert_eq!(found, [(None, 7), (Some("writer"), 3)]);
        // The context of a model comes back as it was.
        let written = write_value(&conversations[1..], Profile::AutoGen);
        assert_eq!(written, context["messages"]);
    }

    #[test]
    fn the_documented_messages_are_read() {
        let document = json!([
            {"type": "ToolCallMessage", "source": "writer", "tool_calls": [{"id": "c1", "name": "draw", "arguments": "{}"}]},
            {"type": "ToolCallResultMessage", "source": "writer",
                "tool_call_results": [{"call_id": "c1", "content": "drawn", "is_error": false}]},
            {"type": "HandoffMessage", "source": "writer", "target": "critic", "context": {"lines": 1}},
        ]);
        let read = &read_all(&document)[0];
        let shown: Vec<_> = told(read)
            .into_iter()
            .map(|(role, _, text)| (role, text))
            .collect();
        assert_eq!(
            shown,
            [
                (Role::Ai, "[draw {}]".to_owned()),
                (Role::Tool, "[tool → drawn]".to_owned()),
                (Role::Ai, "→ critic ({\"lines\":1})".to_owned()),
            ]
        );
        // The name of the tool is that of the call.
        let written = write_value(std::slice::from_ref(read), Profile::AutoGen);
        assert_eq!(written[1]["content"][0]["name"], "draw");
        assert_eq!(written[0]["content"][0]["name"], "draw");
    }

    #[test]
    fn events_and_logs_of_ag2_are_read() {
        let events = json!([
            {"type": "text", "content": {"uuid": "1", "content": "Go.", "sender": "user", "recipient": "writer"}},
            {"type": "tool_call", "content": {"uuid": "2", "content": null, "sender": "writer", "recipient": "user", "role": "assistant",
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "draw", "arguments": "{}"}}]}},
            {"type": "tool_response", "content": {"uuid": "3", "content": "drawn", "sender": "user", "recipient": "writer",
                "tool_responses": [{"tool_call_id": "c1", "role": "tool", "content": "drawn"}]}},
        ]);
        let roles = |conversation: &Conversation| {
            let messages = conversation.messages.iter();
            messages.map(|message| message.role).collect::<Vec<_>>()
        };
        let read = read_all(&events);
        assert_eq!(roles(&read[0]), [Role::Human, Role::Ai, Role::Tool]);
        let log = json!([
            {"session_id": "s", "agent_name": "writer", "thread_id": 1},
            {"source_id": 1, "source_name": "writer", "event_name": "received_message", "timestamp": "x", "thread_id": 1,
                "json_state": "{\"message\": \"Go.\", \"sender\": \"user\", \"valid\": true}"},
            {"source_id": 2, "source_name": "user", "event_name": "received_message", "timestamp": "x", "thread_id": 1,
                "json_state": "{\"message\": {\"content\": \"Gone.\", \"role\": \"assistant\"}, \"sender\": \"writer\"}"},
            {"source_id": 2, "source_name": "user", "event_name": "reply_func_executed", "json_state": "{}", "thread_id": 1},
        ]);
        let lines: String = log
            .as_array()
            .unwrap()
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        let read = crate::read(&lines, None).unwrap();
        assert_eq!(roles(&read.conversations[0]), [Role::Human, Role::Ai]);
        let result = json!({"chat_id": 1, "chat_history": [{"content": "Go.", "role": "user", "name": "user"}], "summary": ""});
        let read = read_value(&result, None).unwrap();
        assert_eq!(read.conversations[0].messages.len(), 1);
    }

    #[test]
    fn a_component_file_is_refused_with_what_it_is() {
        let component = json!({"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "component_type": "team",
            "version": 1, "component_version": 1, "description": "A team", "label": "x", "config": {"participants": []}});
        for from in [None, Some(Profile::AutoGen), Some(Profile::OpenAi)] {
            let error = read_value(&component, from).unwrap_err().to_string();
            for words in ["AutoGen team", "RoundRobinGroupChat", "import team"] {
                assert!(error.contains(words), "{error}");
            }
        }
        for kind in CHAT_TYPES.into_iter().chain(CONTEXT_TYPES) {
            let message = json!({"type": kind, "source": "a", "content": "x"});
            assert!(read_value(&message, None).is_ok(), "{kind}");
        }
    }
}
