//! OpenAI's chat messages, and what compatible servers add to them.
//!
//! Reading accepts `reasoning_content` and similar members, the old `function_call`, and the
//! content blocks of others (Anthropic's messages have the same roles). Writing uses the members
//! that OpenAI documents: a name, content as text or parts, calls and results. It drops ids, times,
//! metadata, tags, and thinking, which is private.

use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::roles::take_role;
use super::thinking::{SplitText, reasoning_of};
use super::{blocks, media, roles};
use crate::message::{Block, FormatError, Message, Role, Source, ToolResult};

/// The members, other than role and content, by which such a message is detected.
pub(super) const MEMBERS: [&str; 8] = [
    "tool_calls",
    "tool_call_id",
    "function_call",
    "reasoning_content",
    "reasoning",
    "refusal",
    "annotations",
    "weight",
];

/// Reads a message.
pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let mut neutral = Neutral::default();
    let role = role(map, &mut neutral)?;
    let blocks = blocks::read_content(map.get("content"), warnings)?;
    let name = map.get("name").and_then(Value::as_str);
    let name = name.filter(|name| !name.is_empty());
    neutral.role = Some(role);
    neutral.keep("weight", map.get("weight"));
    match (role, map.get("tool_call_id").and_then(blocks::id_of)) {
        (Role::Tool, id) => {
            let id = id.or_else(|| name.map(str::to_owned));
            neutral.blocks = match id {
                Some(id) => vec![result(id, name, map.get("content"))],
                None => blocks,
            };
        }
        (Role::Ai, _) => {
            neutral.name = name.map(Into::into);
            neutral.blocks = answer_blocks(map, blocks);
            neutral.blocks.extend(calls(map, warnings));
        }
        _ => {
            neutral.name = name.map(Into::into);
            neutral.blocks = blocks;
        }
    }
    Ok(neutral)
}

fn role(map: &Map<String, Value>, neutral: &mut Neutral) -> Result<Role, FormatError> {
    const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
    match map.get("role").and_then(Value::as_str) {
        Some("system") => Ok(Role::System),
        Some("developer") => {
            neutral.keep("role", map.get("role"));
            Ok(Role::System)
        }
        Some("user") => Ok(Role::Human),
        Some("assistant") => Ok(Role::Ai),
        Some("tool" | "function") => Ok(Role::Tool),
        Some(other) => Err(roles::unknown("role", other, &ROLES)),
        None => Err(roles::missing("role", &ROLES)),
    }
}

/// A result. Those from before there were ids refer to their call by the name of the function.
fn result(id: String, name: Option<&str>, content: Option<&Value>) -> Block {
    Block::ToolResult {
        tool_use_id: id,
        name: name.map(Into::into),
        output: blocks::read_output(content),
        is_error: false,
    }
}

/// The blocks of a model's answer, reasoning first. A refusal counts as text.
fn answer_blocks(map: &Map<String, Value>, mut blocks: Vec<Block>) -> Vec<Block> {
    if let Some(Value::String(refusal)) = map.get("refusal") {
        blocks.push(Block::text(refusal.as_str()));
    }
    let reasoning = reasoning_of(map).unwrap_or_default();
    let mut answer = SplitText::default()
        .with_reasoning(&reasoning)
        .into_blocks();
    answer.extend(blocks::split_thoughts(blocks));
    answer.retain(|block| block.as_text() != Some(""));
    answer
}

fn calls(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Vec<Block> {
    let listed = map.get("tool_calls").and_then(Value::as_array);
    let listed = listed.into_iter().flatten();
    let old = map.get("function_call").filter(|call| call.is_object());
    let calls = listed.map(|call| (call.get("id"), call.get("function").unwrap_or(call)));
    let calls = calls.chain(old.map(|call| (call.get("name"), call)));
    let read = calls.filter_map(|(id, function)| {
        let name = function.get("name")?.as_str()?;
        let arguments = function.get("arguments").unwrap_or(&Value::Null);
        let input = blocks::read_arguments(arguments, name, warnings);
        let id = id.and_then(blocks::id_of).unwrap_or_default();
        Some(Block::tool_use(id, name, input))
    });
    read.collect()
}

/// Writes messages. Each tool result becomes one of its own.
pub(super) fn write(messages: &[Message]) -> Vec<Value> {
    let messages = messages.iter();
    let written = messages.flat_map(|message| write_message(Neutral::of(message)));
    written.collect()
}

fn write_message(mut neutral: Neutral) -> Vec<Value> {
    let results = neutral.blocks.iter().filter_map(Block::as_tool_result);
    let mut written: Vec<_> = results.map(|result| tool_message(&result)).collect();
    let calls: Vec<_> = neutral.blocks.iter().filter_map(call).collect();
    let blocks = neutral.blocks.iter();
    let with_parts = blocks.filter_map(|block| Some((block, part(block)?)));
    let (content_blocks, parts): (Vec<_>, Vec<_>) = with_parts.unzip();
    if parts.is_empty() && calls.is_empty() && !written.is_empty() {
        return written;
    }
    let role = match neutral.role() {
        Role::System => "system",
        Role::Human => "user",
        Role::Ai => "assistant",
        Role::Tool => "tool",
    };
    let role = take_role(&mut neutral.origin).unwrap_or_else(|| role.into());
    let content = match content_blocks.as_slice() {
        [] if !calls.is_empty() => Value::Null,
        [] => json!(""),
        [Block::Text { text }] => json!(text),
        _ => Value::Array(parts),
    };
    let mut message = json!({"role": role, "content": content});
    if let Some(name) = neutral.name {
        message["name"] = name.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    if let Some(weight) = neutral.origin.remove("weight") {
        message["weight"] = weight;
    }
    written.push(message);
    written
}

fn call(block: &Block) -> Option<Value> {
    let call = block.as_tool_call()?;
    let function = json!({"name": call.name, "arguments": call.input.to_string()});
    Some(json!({"id": call.id, "type": "function", "function": function}))
}

fn tool_message(result: &ToolResult<'_>) -> Value {
    let mut message = json!({"role": "tool", "tool_call_id": result.id, "content": result.text()});
    if let Some(name) = result.name {
        message["name"] = name.into();
    }
    message
}

/// The content part of a block. Video and audio URLs are not documented by OpenAI, but other
/// servers accept them.
fn part(block: &Block) -> Option<Value> {
    match block {
        Block::Text { text } => Some(json!({"type": "text", "text": text})),
        Block::Unknown(value) => Some(value.clone()),
        Block::Image { source } => Some(by_url("image_url", source)),
        Block::Video { source } => Some(by_url("video_url", source)),
        Block::Audio {
            source: Source::Base64 { media_type, data },
        } => {
            let format = match media_type.strip_prefix("audio/").unwrap_or(media_type) {
                "mpeg" => "mp3",
                other => other,
            };
            Some(json!({"type": "input_audio", "input_audio": {"data": data, "format": format}}))
        }
        Block::Audio { source } => Some(by_url("audio_url", source)),
        Block::Thinking { .. } | Block::ToolUse { .. } | Block::ToolResult { .. } => None,
    }
}

fn by_url(kind: &str, source: &Source) -> Value {
    json!({"type": kind, kind: {"url": media::to_url(source)}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(value: Value) -> Vec<Message> {
        let mut warnings = Vec::new();
        let neutral = read(value.as_object().unwrap(), &mut warnings).unwrap();
        neutral.into_messages()
    }

    #[test]
    fn old_and_new_calls_are_read() {
        let listed = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"k\": 1}"}}]});
        let message = &read_one(listed.clone())[0];
        assert_eq!(
            message.body.listed_blocks(),
            [Block::tool_use("c1", "f", json!({"k": 1}))]
        );
        assert_eq!(
            write(std::slice::from_ref(message))[0]["content"],
            Value::Null
        );

        let old = json!({"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}});
        assert_eq!(
            read_one(old)[0].body.listed_blocks(),
            [Block::tool_use("f", "f", json!({}))]
        );
        let answer = read_one(json!({"role": "function", "name": "f", "content": "r"}));
        assert_eq!(answer[0].body.tool_results().next().unwrap().id, "f");
    }

    #[test]
    fn reasoning_is_read_and_not_written() {
        let value =
            json!({"role": "assistant", "content": "Hello", "reasoning_content": "secret plan"});
        let read = read_one(value);
        assert_eq!(
            read[0].body.to_blocks(),
            [Block::thinking("secret plan"), Block::text("Hello")]
        );
        assert_eq!(
            write(&read),
            [json!({"role": "assistant", "content": "Hello"})]
        );
    }

    #[test]
    fn messages_of_anthropic_are_read() {
        let read = read_one(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "r"}]},
            {"type": "text", "text": "go on"}]}));
        let roles: Vec<_> = read.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::Tool, Role::Human]);
        assert_eq!(
            write(&read),
            [
                json!({"role": "tool", "tool_call_id": "c1", "content": "r"}),
                json!({"role": "user", "content": "go on"}),
            ]
        );
    }

    #[test]
    fn a_developer_message_stays_one() {
        let value = json!({"role": "developer", "content": "rules"});
        let read = read_one(value.clone());
        assert_eq!(read[0].role, Role::System);
        assert_eq!(write(&read), [value]);
    }

    #[test]
    fn media_become_parts() {
        let value = json!({"role": "user", "name": "Ann", "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
            {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}]});
        assert_eq!(write(&read_one(value.clone())), [value]);
    }
}
