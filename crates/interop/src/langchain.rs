//! LangChain's messages: as `messages_to_dict` writes them (`type` and `data`), and dumped one by
//! one with all members beside the type; reading also accepts what `dumpd` writes (`lc`, `id`,
//! `kwargs`).
//!
//! Source: `langchain_core.messages`. Media are written as its standard content blocks (`url`, or
//! `base64` with `mime_type`), reasoning as its `reasoning` block. Messages may have any other
//! members, so tags are written beside the content as in our own format, and `metadata` keeps the
//! rest.

use playhouse_engine::message::{
    Block, FormatError, MediaKind, MediaSource, Message, ResponseMetadata, Role, Tag, ToolResult,
};
use serde_json::{Map, Value, json};

use super::leftovers::{self, add_tag};
use super::neutral::{JOINED, Neutral};
use super::roles::take_role;
use super::{Profile, blocks, media, roles};

/// Members for reasoning, which may also be a block.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// Whether it is a member of LangChain's own; any other is a tag.
fn is_own(member: &str) -> bool {
    const OWN: &str = "type data content additional_kwargs response_metadata name id role example \
        tool_calls invalid_tool_calls tool_call_chunks usage_metadata tool_call_id status artifact \
        metadata chunk_position reasoning_content reasoning";
    member == Tag::COMPRESSED_PROMPT.as_str() || OWN.split(' ').any(|own| own == member)
}

/// Whether a message with a `type` has members that only LangChain writes.
pub(super) fn is_dumped(map: &Map<String, Value>) -> bool {
    let members = [
        "additional_kwargs", "tool_calls", "tool_call_id", "usage_metadata",
    ];
    is_wrapped(map) || members.iter().any(|key| map.contains_key(*key))
}

/// Whether the message itself is a member: `data`, or `kwargs` if its constructor was dumped.
pub(super) fn is_wrapped(map: &Map<String, Value>) -> bool {
    map.contains_key("type") && inner(map).is_some()
}

fn inner(map: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let kwargs = map.get("kwargs").filter(|_| map.contains_key("lc"));
    map.get("data").or(kwargs)?.as_object()
}

/// Reads a message in any of these forms.
pub(super) fn read(
    outer: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let data = inner(outer).unwrap_or(outer);
    let mut neutral = Neutral::default();
    let role = role(outer, data, &mut neutral)?;
    let blocks = blocks::read_content(data.get("content"), warnings)?;
    let name = data
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    neutral.role = Some(role);
    match role {
        Role::Tool => neutral.blocks = vec![result(data, name)],
        _ => {
            neutral.name = neutral.name.or_else(|| name.map(Into::into));
            neutral.blocks = match role {
                Role::Ai => answer_blocks(data, blocks, warnings),
                _ => blocks,
            };
        }
    }
    for key in ["id", "artifact"] {
        neutral.keep(key, data.get(key));
    }
    neutral.keep("additional_kwargs", unread_kwargs(data).as_ref());
    if let Some(Value::String(short)) = data.get(Tag::COMPRESSED_PROMPT.as_str()) {
        neutral.short = Some(short.clone());
    }
    for (key, value) in data {
        if !is_own(key) && !value.is_null() {
            add_tag(&mut neutral.tags, key, value);
        }
    }
    leftovers::read(&mut neutral, data.get("metadata"));
    neutral.response = response_of(data);
    Ok(neutral)
}

fn role(
    outer: &Map<String, Value>,
    data: &Map<String, Value>,
    neutral: &mut Neutral,
) -> Result<Role, FormatError> {
    const ROLES: [(&str, Role); 7] = [
        ("system", Role::System),
        ("human", Role::Human),
        ("user", Role::Human),
        ("ai", Role::Ai),
        ("assistant", Role::Ai),
        ("tool", Role::Tool),
        ("function", Role::Tool),
    ];
    // Names of classes, and of their chunks in a stream: `AIMessage`, `AIMessageChunk`.
    let kind = kind(outer, data);
    let name = kind.map(|kind| kind.trim_end_matches("Chunk").trim_end_matches("Message"));
    match name {
        Some(chat) if chat.eq_ignore_ascii_case("chat") => Ok(chat_role(data, neutral)),
        name => roles::read(name, "type", &ROLES),
    }
}

/// The type of a message, or the class that it constructs.
fn kind<'a>(outer: &'a Map<String, Value>, data: &'a Map<String, Value>) -> Option<&'a str> {
    let class = outer
        .get("id")
        .filter(|_| outer.contains_key("lc"))
        .and_then(Value::as_array)
        .and_then(|path| path.last());
    let kind = outer.get("type").or_else(|| data.get("type"));
    class.or(kind)?.as_str()
}

/// The role of a chat message, which may be any text. An unknown one is the name of a speaker.
fn chat_role(data: &Map<String, Value>, neutral: &mut Neutral) -> Role {
    match data.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("assistant" | "ai") => Role::Ai,
        Some("user" | "human" | "") | None => Role::Human,
        Some(other) => {
            neutral.name = Some(other.to_owned());
            Role::Human
        }
    }
}

/// A tool result. A function's result has no id; it refers to its call by name.
fn result(data: &Map<String, Value>, name: Option<&str>) -> Block {
    let id = data.get("tool_call_id").and_then(blocks::id_of);
    Block::ToolResult {
        tool_use_id: id.or_else(|| name.map(Into::into)).unwrap_or_default(),
        name: name.map(Into::into),
        output: blocks::read_output(data.get("content"), &mut Vec::new()),
        is_error: data.get("status") == Some(&json!("error")),
    }
}

/// The blocks of a model's answer: reasoning, content, and the calls that are not in the content.
fn answer_blocks(
    data: &Map<String, Value>,
    blocks: Vec<Block>,
    warnings: &mut Vec<FormatError>,
) -> Vec<Block> {
    let kwargs = data.get("additional_kwargs").and_then(Value::as_object);
    let places = [Some(data), kwargs].into_iter().flatten();
    let reasoning = places
        .filter_map(|place| REASONING.iter().find_map(|key| place.get(*key)?.as_str()))
        .collect::<Vec<_>>()
        .join("\n");
    let mut answer = blocks::of_answer(&reasoning, blocks);
    for key in ["tool_calls", "invalid_tool_calls"] {
        let calls = data.get(key).and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            answer.extend(read_call(call, &answer, warnings));
        }
    }
    answer
}

fn read_call(call: &Value, known: &[Block], warnings: &mut Vec<FormatError>) -> Option<Block> {
    let id = call.get("id").and_then(blocks::id_of).unwrap_or_default();
    let mut known = known.iter().filter_map(Block::as_tool_call);
    if !id.is_empty() && known.any(|call| call.id == id) {
        return None;
    }
    let Some(name) = call.get("name").and_then(Value::as_str) else {
        return blocks::read_odd_call(call, warnings);
    };
    let signature = call.get("signature").and_then(Value::as_str);
    Some(Block::ToolUse {
        id,
        name: name.into(),
        input: blocks::read_arguments(call.get("args").unwrap_or(&Value::Null), name, warnings),
        signature: signature.map(Into::into),
    })
}

/// The additional arguments of a message, without those that were read.
fn unread_kwargs(data: &Map<String, Value>) -> Option<Value> {
    let mut kwargs = data.get("additional_kwargs")?.as_object()?.clone();
    kwargs.retain(|key, value| !(REASONING.contains(&key.as_str()) && value.is_string()));
    Some(Value::Object(kwargs))
}

/// The provider's response metadata; without a usage in it, LangChain's own.
fn response_of(data: &Map<String, Value>) -> Option<ResponseMetadata> {
    let mut response = data
        .get("response_metadata")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if let (false, Some(usage)) = (
        response.contains_key("token_usage"),
        data.get("usage_metadata"),
    ) {
        let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
        if let Some(input) = count("/input_tokens") {
            let output = count("/output_tokens").unwrap_or_default();
            let tokens = json!({
                "prompt_tokens": input, "completion_tokens": output,
                "total_tokens": input.saturating_add(output),
                "reasoning_tokens": count("/output_token_details/reasoning").unwrap_or_default(),
            });
            response.insert("token_usage".into(), tokens);
            let cached = count("/input_token_details/cache_read").unwrap_or_default();
            response
                .entry("prompt_cache_hit_tokens")
                .or_insert(cached.into());
        }
    }
    (!response.is_empty()).then(|| ResponseMetadata::from(response))
}

/// Writes messages. Each tool result becomes one of its own.
pub(super) fn write(messages: &[Message], profile: Profile) -> Vec<Value> {
    let mut written = Vec::with_capacity(messages.len());
    for message in messages {
        let mut neutral = Neutral::of(message);
        neutral.origin.remove(JOINED);
        for (kind, data) in write_message(neutral) {
            written.push(match profile {
                Profile::LangChain => json!({"type": kind, "data": data}),
                _ => data,
            });
        }
    }
    written
}

fn write_message(mut neutral: Neutral) -> Vec<(&'static str, Value)> {
    let (results, blocks): (Vec<_>, Vec<_>) = std::mem::take(&mut neutral.blocks)
        .into_iter()
        .partition(Block::is_tool_result);
    let mut written = Vec::new();
    for result in results.iter().filter_map(Block::as_tool_result) {
        // What belongs to the message as a whole is written with the first of them.
        let whole = std::mem::take(&mut neutral);
        neutral.role = whole.role;
        neutral.name.clone_from(&whole.name);
        written.push(("tool", tool_message(&result, whole)));
    }
    if !written.is_empty() && blocks.is_empty() {
        return written;
    }
    let role = match neutral.role() {
        Role::Human => {
            let former = take_role(&mut neutral.origin);
            former.map_or(Role::Human, |_| Role::System)
        }
        role => role,
    };
    let kind = role.name();
    // Only messages of models have a member for calls.
    let is_content = |block: &&Block| role != Role::Ai || block.as_tool_call().is_none();
    let mut data = json!({"content": content(blocks.iter().filter(is_content))});
    match role {
        Role::Ai => {
            data["tool_calls"] = blocks.iter().filter_map(call).collect();
            data["invalid_tool_calls"] = json!([]);
            data["usage_metadata"] = usage(&neutral).unwrap_or_default();
        }
        Role::Tool => data["tool_call_id"] = json!(""),
        Role::System | Role::Human => {}
    }
    data["name"] = json!(neutral.name.take());
    add_common_members(kind, &mut data, neutral);
    written.push((kind, data));
    written
}

fn tool_message(result: &ToolResult<'_>, mut whole: Neutral) -> Value {
    let content = match result.output {
        Value::Array(values) => {
            let blocks: Vec<_> = values.iter().cloned().map(Block::from).collect();
            content(blocks.iter())
        }
        _ => json!(result.text()),
    };
    let mut data = json!({
        "content": content, "tool_call_id": result.id, "name": result.name,
        "status": if result.is_error { "error" } else { "success" },
    });
    data["artifact"] = whole.origin.remove("artifact").unwrap_or_default();
    add_common_members("tool", &mut data, whole);
    data
}

/// Adds the members that messages of all roles have, and tags.
fn add_common_members(kind: &str, data: &mut Value, mut neutral: Neutral) {
    data["type"] = kind.into();
    data["id"] = neutral.origin.remove("id").unwrap_or_default();
    let kwargs = neutral.origin.remove("additional_kwargs");
    data["additional_kwargs"] = kwargs.unwrap_or_else(|| json!({}));
    let response = neutral
        .response
        .take()
        .map(|response| response.to_map().into_owned());
    data["response_metadata"] = Value::Object(response.unwrap_or_default());
    for (key, value) in std::mem::take(&mut neutral.tags).iter() {
        if is_own(key) || value.is_null() {
            add_tag(&mut neutral.tags, key, value);
        } else {
            data[key] = value.clone();
        }
    }
    if let Some(short) = neutral.short.take() {
        data[Tag::COMPRESSED_PROMPT.as_str()] = short.into();
    }
    let metadata = leftovers::write(neutral, false);
    if !metadata.is_empty() {
        data["metadata"] = Value::Object(metadata);
    }
}

fn content<'a>(blocks: impl Iterator<Item = &'a Block> + Clone) -> Value {
    let mut only = blocks.clone();
    match (only.next(), only.next()) {
        (None, _) => json!(""),
        (Some(Block::Text { text }), None) => json!(text),
        _ => blocks.map(content_block).collect(),
    }
}

/// A standard content block.
fn content_block(block: &Block) -> Value {
    match block {
        Block::Text { text } => json!({"type": "text", "text": text}),
        Block::Unknown(value) => value.clone(),
        Block::Thinking {
            thinking,
            signature,
        } => {
            let mut value = json!({"type": "reasoning", "reasoning": thinking});
            if let Some(signature) = signature {
                value["extras"] = json!({"signature": signature});
            }
            value
        }
        other => match other.as_media() {
            Some((kind, source)) => standard_media(kind, source),
            None => json!(other),
        },
    }
}

fn standard_media(kind: MediaKind, source: &MediaSource) -> Value {
    match source {
        MediaSource::Base64 { media_type, data } => {
            json!({"type": kind.name(), "base64": data, "mime_type": media_type})
        }
        MediaSource::Url { media_type, .. } | MediaSource::File { media_type, .. } => {
            let mut value = json!({"type": kind.name(), "url": media::to_url(source)});
            if let Some(media_type) = media_type {
                value["mime_type"] = media_type.as_str().into();
            }
            value
        }
    }
}

fn call(block: &Block) -> Option<Value> {
    let Block::ToolUse {
        id,
        name,
        input,
        signature,
    } = block
    else {
        return None;
    };
    let mut call = json!({"name": name, "args": input, "id": id, "type": "tool_call"});
    if let Some(signature) = signature {
        call["signature"] = json!(signature);
    }
    Some(call)
}

fn usage(neutral: &Neutral) -> Option<Value> {
    let usage = neutral.response.as_ref()?.token_usage()?;
    Some(json!({
        "input_tokens": usage.input, "output_tokens": usage.output, "total_tokens": usage.total(),
        "input_token_details": {"cache_read": usage.cached},
        "output_token_details": {"reasoning": usage.reasoning},
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(value: Value) -> Message {
        let mut warnings = Vec::new();
        let neutral = read(value.as_object().unwrap(), &mut warnings).unwrap();
        assert_eq!(warnings, []);
        neutral.into_messages().remove(0)
    }

    #[test]
    fn a_message_is_read_in_all_dumps() {
        let members =
            json!({"content": "hi", "name": "Wren", "mood": "calm", "additional_kwargs": {}});
        let mut flat = members.clone();
        flat["type"] = "human".into();
        let wrapped = json!({"type": "human", "data": members});
        let class = ["langchain", "schema", "messages", "HumanMessage"];
        let constructed = json!({"lc": 1, "type": "constructor", "id": class, "kwargs": flat});
        for value in [flat, wrapped, constructed] {
            let message = read_one(value);
            assert_eq!(message.role, Role::Human);
            assert_eq!(message.body.full_text(), "hi");
            assert_eq!(message.tags.text("mood"), Some("calm"));
            assert_eq!(message.body.metadata(), None);
        }
        let chunk = read_one(json!({"type": "AIMessageChunk", "data": {"content": "hi"}}));
        assert_eq!(chunk.role, Role::Ai);
    }

    #[test]
    fn a_call_is_read_once() {
        let message = read_one(json!({"type": "ai", "data": {
            "content": [{"type": "text", "text": "so"}, {"type": "tool_use", "id": "c1", "name": "f", "input": {}}],
            "tool_calls": [{"name": "f", "args": {}, "id": "c1", "type": "tool_call"},
                {"name": "g", "args": {"k": 1}, "id": "c2", "type": "tool_call"}],
            "additional_kwargs": {"reasoning_content": "why", "refusal": null},
            "usage_metadata": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13,
                "input_token_details": {"cache_read": 6}}}}));
        assert_eq!(
            message.body.listed_blocks(),
            [
                Block::thinking("why"),
                Block::text("so"),
                Block::tool_use("c1", "f", json!({})),
                Block::tool_use("c2", "g", json!({"k": 1})),
            ]
        );
        let usage = message
            .body
            .response()
            .and_then(ResponseMetadata::token_usage)
            .map(|usage| (usage.input, usage.output, usage.cached));
        assert_eq!(usage, Some((9, 4, 6)));
    }

    #[test]
    fn an_unknown_role_is_the_name_of_the_speaker() {
        let message =
            read_one(json!({"type": "chat", "data": {"role": "narrator", "content": "hi"}}));
        assert_eq!(message.role, Role::Human);
        assert_eq!(message.body.sender().map(|name| &**name), Some("narrator"));
    }
}
