//! AgentScope's messages: as documented, and as its releases write them.
//!
//! Sources: its documentation of messages; for Java 1, `Msg` and its blocks as Jackson writes them
//! (1.0.12); for Python 1, `Msg.to_dict` (1.0.21); for Python 2, the dump of its `Msg` model
//! (2.0.10).

use std::collections::BTreeMap;

use playhouse_engine::message::{Block, FormatError, MediaSource, Message, ResponseMetadata, Role};
use serde_json::{Map, Value, json};

use super::neutral::{JOINED, Neutral};
use super::roles::take_role;
use super::timestamp::{Spelling, spelled};
use super::{Profile, blocks, leftovers, media, openai, roles};

/// Members that not all four formats have, and that a message keeps: of Python 1, then of Python 2.
const KEPT_MEMBERS: [&str; 7] = [
    "generate_reason", "invocation_id", "finished_at", "finished_reason", "structured_output",
    "error", "usage",
];

/// Reads a message in any of the four formats.
pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let named = map.get("role").and_then(Value::as_str);
    let role = roles::read(named, "role", &openai::ROLES)?;
    let blocks = blocks::read_content(map.get("content"), warnings)?;
    let role = match role {
        // Python 1 stores results under the role system.
        Role::System if !blocks.is_empty() && blocks.iter().all(Block::is_tool_result) => {
            Role::Tool
        }
        role => role,
    };
    let name = map.get("name").and_then(Value::as_str);
    let mut neutral = Neutral {
        role: Some(role),
        blocks: match role {
            Role::Ai => blocks::split_thoughts(blocks),
            _ => blocks,
        },
        name: name.filter(|name| !name.is_empty()).map(Into::into),
        ..Neutral::default()
    };
    neutral.keep("id", map.get("id"));
    let times = ["timestamp", "created_at"];
    neutral.keep("timestamp", times.iter().find_map(|key| map.get(*key)));
    for key in KEPT_MEMBERS {
        neutral.keep(key, map.get(key));
    }
    leftovers::read(&mut neutral, map.get("metadata"));
    if neutral.origin.get("role") == Some(&json!("tool")) {
        neutral.origin.remove("role");
        neutral.role = Some(Role::Tool);
    }
    // Java 1 keeps the usage among the metadata.
    let java = || map.get("metadata")?.get("_chat_usage");
    let usage = map.get("usage").or_else(java);
    match neutral.response {
        // The usage was written from what the metadata has in full.
        Some(_) => drop(neutral.origin.remove("usage")),
        None => neutral.response = usage.and_then(response_of),
    }
    Ok(neutral)
}

/// The response metadata of a usage, as spelled by Python 2 and Java 1.
fn response_of(usage: &Value) -> Option<ResponseMetadata> {
    let count = |keys: [&str; 2]| keys.iter().find_map(|key| usage.get(*key)?.as_u64());
    let input = count(["input_tokens", "inputTokens"])?;
    let output = count(["output_tokens", "outputTokens"]).unwrap_or_default();
    let map = json!({
        "token_usage": {
            "prompt_tokens": input, "completion_tokens": output,
            "total_tokens": input.saturating_add(output),
        },
        "prompt_cache_hit_tokens": count(["cache_input_tokens", "cachedTokens"]).unwrap_or_default(),
    });
    map.as_object().cloned().map(ResponseMetadata::from)
}

/// Writes the messages of a conversation in one of the four formats. `speaker` is the name of the
/// entity it belongs to.
pub(super) fn write(messages: &[Message], speaker: Option<&str>, profile: Profile) -> Vec<Value> {
    let writer = Writer {
        profile,
        speaker,
        tools: &blocks::tool_names(messages),
    };
    let mut written: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages {
        let mut neutral = Neutral::of(message);
        let joined = neutral.origin.remove(JOINED).is_some() && neutral.is_bare();
        // Python 2 has calls, results and text of one reply in one message.
        let previous = if joined && profile == Profile::AgentScopePython2 {
            written.last_mut()
        } else {
            None
        };
        match previous.and_then(|previous| previous.get_mut("content")?.as_array_mut()) {
            Some(content) => content.extend(neutral.blocks.iter().map(|block| writer.block(block))),
            None => written.push(writer.message(neutral)),
        }
    }
    written
}

struct Writer<'a> {
    profile: Profile,
    speaker: Option<&'a str>,
    /// The names of the tools by the ids of the calls.
    tools: &'a BTreeMap<&'a str, &'a str>,
}

impl Writer<'_> {
    fn message(&self, mut neutral: Neutral) -> Value {
        let mut map = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                map.insert(key.into(), value);
            }
        };
        let role = self.role(&mut neutral);
        put("content", Some(self.content(&neutral.blocks)));
        let own_name = neutral.name.take();
        let placeholder = match &own_name {
            None => self.placeholder_name(neutral.role()),
            Some(_) => None,
        };
        let has_placeholder = placeholder.is_some();
        let name = own_name.or(placeholder);
        put("role", Some(role.into()));
        put("name", name.map(Value::from));
        put("id", neutral.origin.remove("id"));
        put(self.time_member(), self.take_time(&mut neutral));
        if self.profile == Profile::AgentScopePython2 {
            put("usage", take_usage(&mut neutral));
        }
        for key in self.members() {
            put(key, neutral.origin.remove(*key));
        }
        map.insert(
            "metadata".into(),
            Value::Object(leftovers::write(neutral, has_placeholder)),
        );
        Value::Object(map)
    }

    fn in_capitals(&self) -> bool {
        matches!(self.profile, Profile::AgentScope | Profile::AgentScopeJava1)
    }

    fn role(&self, neutral: &mut Neutral) -> String {
        if neutral.role() == Role::Tool
            && !self.in_capitals()
            && !neutral.blocks.iter().any(Block::is_tool_result)
        {
            // Python has no such role; without a result, the message would not be recognized again.
            neutral.origin.insert("role".into(), "tool".into());
        }
        let name = match (neutral.role(), self.profile) {
            (Role::System, _) | (Role::Tool, Profile::AgentScopePython1) => "system",
            (Role::Human, _) => "user",
            (Role::Ai, _) | (Role::Tool, Profile::AgentScopePython2) => "assistant",
            (Role::Tool, _) => "tool",
        };
        let name = match neutral.role() {
            Role::Human => take_role(&mut neutral.origin).map_or(name, |_| "system"),
            _ => name,
        };
        if self.in_capitals() {
            name.to_ascii_uppercase()
        } else {
            name.to_owned()
        }
    }

    /// The name of a message that has none. Python's messages require one.
    fn placeholder_name(&self, role: Role) -> Option<String> {
        let name = match role {
            Role::System => "system",
            Role::Human => "user",
            Role::Ai => self.speaker.unwrap_or("assistant"),
            Role::Tool => "tool",
        };
        (!self.in_capitals()).then(|| name.to_owned())
    }

    fn time_member(&self) -> &'static str {
        match self.profile {
            Profile::AgentScopePython2 => "created_at",
            _ => "timestamp",
        }
    }

    fn take_time(&self, neutral: &mut Neutral) -> Option<Value> {
        let spelling = match self.profile {
            Profile::AgentScopePython2 => Spelling::Iso,
            Profile::AgentScope => Spelling::Instant,
            _ => Spelling::Spaced,
        };
        match neutral.origin.remove("timestamp")? {
            Value::String(time) => Some(spelled(&time, spelling).into()),
            other => Some(other),
        }
    }

    /// Which of the kept members this format has.
    fn members(&self) -> &'static [&'static str] {
        match self.profile {
            Profile::AgentScopePython1 => &KEPT_MEMBERS[..2],
            Profile::AgentScopePython2 => &KEPT_MEMBERS[2..6],
            _ => &[],
        }
    }

    fn content(&self, blocks: &[Block]) -> Value {
        match blocks {
            [Block::Text { text }] if self.profile == Profile::AgentScopePython1 => json!(text),
            blocks => blocks.iter().map(|block| self.block(block)).collect(),
        }
    }

    fn block(&self, block: &Block) -> Value {
        let python2 = self.profile == Profile::AgentScopePython2;
        match block {
            Block::Text { text } => json!({"type": "text", "text": text}),
            Block::Unknown(value) => value.clone(),
            Block::Thinking {
                thinking,
                signature,
            } => self.signed(json!({"type": "thinking", "thinking": thinking}), signature),
            Block::ToolUse {
                id,
                name,
                input,
                signature,
            } => {
                let call = if python2 {
                    let input = input.to_string();
                    json!({"type": "tool_call", "id": id, "name": name, "input": input})
                } else {
                    json!({"type": "tool_use", "id": id, "name": name, "input": input})
                };
                self.signed(call, signature)
            }
            Block::ToolResult { .. } => self.result(block),
            media => media.as_media().map_or(Value::Null, |(kind, source)| {
                if python2 {
                    return data(kind.name(), source);
                }
                json!({"type": kind.name(), "source": source_json(source)})
            }),
        }
    }

    /// The block with its provider's signature.
    fn signed(&self, mut block: Value, signature: &Option<Box<str>>) -> Value {
        if let Some(signature) = signature {
            if self.in_capitals() {
                block["metadata"] = json!({"thoughtSignature": signature});
            } else {
                block["signature"] = json!(signature);
            }
        }
        block
    }

    fn result(&self, block: &Block) -> Value {
        let Some(result) = block.as_tool_result() else {
            return Value::Null;
        };
        let name = result.name.or_else(|| self.tools.get(result.id).copied());
        let output = self.output(result.output);
        if self.profile == Profile::AgentScope {
            let mut value =
                json!({"type": "tool_result", "toolUseId": result.id, "output": output});
            // These two are not documented.
            if let Some(name) = result.name {
                value["name"] = name.into();
            }
            if result.is_error {
                value["isError"] = true.into();
            }
            return value;
        }
        let mut value = json!({
            "type": "tool_result", "id": result.id, "name": name.unwrap_or_default(), "output": output,
        });
        match self.profile {
            Profile::AgentScopePython2 => {
                let state = if result.is_error { "error" } else { "success" };
                value["state"] = state.into();
            }
            Profile::AgentScopeJava1 if result.is_error => {
                value["metadata"] = json!({"is_error": true});
            }
            Profile::AgentScopePython1 if result.is_error => value["is_error"] = true.into(),
            _ => {}
        }
        value
    }

    /// A tool's output. Java expects a list of blocks, Python accepts a text too.
    fn output(&self, output: &Value) -> Value {
        match output {
            Value::Array(values) => {
                let blocks = values.iter().cloned().map(Block::from);
                blocks.map(|block| self.block(&block)).collect()
            }
            Value::String(text) if !self.in_capitals() => json!(text),
            Value::String(text) => json!([{"type": "text", "text": text}]),
            other if self.in_capitals() => json!([{"type": "text", "text": other.to_string()}]),
            other => json!(other.to_string()),
        }
    }
}

/// A source, as all but Python 2 write it.
fn source_json(source: &MediaSource) -> Value {
    match source {
        MediaSource::Base64 { media_type, data } => {
            json!({"type": "base64", "media_type": media_type, "data": data})
        }
        source => json!({"type": "url", "url": media::to_url(source)}),
    }
}

/// Media as Python 2 writes it. It requires a media type, `image/*` if nothing more is known.
fn data(kind: &str, source: &MediaSource) -> Value {
    let known = media::media_type_of(source).filter(|media_type| media_type.starts_with(kind));
    let media_type = known.map_or_else(|| format!("{kind}/*"), str::to_owned);
    let mut source = source_json(source);
    source["media_type"] = media_type.into();
    json!({"type": "data", "source": source})
}

/// The usage as Python 2 writes it.
fn take_usage(neutral: &mut Neutral) -> Option<Value> {
    if let Some(usage) = neutral.origin.remove("usage") {
        if neutral.response == response_of(&usage) {
            neutral.response = None;
        }
        return Some(usage);
    }
    let usage = neutral.response.as_ref()?.token_usage()?;
    Some(json!({
        "input_tokens": usage.input, "output_tokens": usage.output, "cache_input_tokens": usage.cached,
    }))
}
