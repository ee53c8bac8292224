//! OpenAI's chat messages, and what compatible servers add to them.
//!
//! Reading accepts `reasoning_content` and similar members, the old `function_call`, and the
//! content blocks of others (Anthropic's messages have the same roles). Writing uses the members
//! that OpenAI documents: a name (an alias if OpenAI would refuse it), content as text or parts,
//! calls and results, and those that a message of this format had beside them. It drops the ids,
//! times, metadata and tags of other formats, and thinking, which is private.

use std::borrow::Cow;
use std::collections::BTreeMap;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::{Block, FormatError, MediaSource, Message, Role, ToolResult};
use serde_json::{Map, Value, json};

use super::format::alias;
use super::neutral::{Neutral, add_others};
use super::roles::take_role;
use super::thinking::reasoning_of;
use super::{blocks, media, roles};

/// The maximum length of a name at OpenAI.
const MAX_NAME: usize = 64;

/// The roles by their names, of which others have some, too.
pub(super) const ROLES: [(&str, Role); 6] = [
    ("system", Role::System),
    ("developer", Role::System),
    ("user", Role::Human),
    ("assistant", Role::Ai),
    ("tool", Role::Tool),
    ("function", Role::Tool),
];

/// The members, other than role and content, by which such a message is detected.
pub(super) const MEMBERS: [&str; 8] = [
    "tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning", "refusal",
    "annotations", "weight",
];

/// The member of an origin that keeps members of which the format says nothing.
const OTHERS: &str = "openai";

/// The members that are read, or are thoughts.
const READ: [&str; 13] = [
    "role", "content", "name", "weight", "refusal", "tool_calls", "tool_call_id", "function_call",
    "tool_responses", "reasoning_content", "reasoning", "reasoning_details", "thinking",
];

/// Reads a message, of which members that nobody knows are kept. Those beside a message of
/// Anthropic's are about its answer.
pub(super) fn read_whole(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let mut neutral = read(map, warnings)?;
    if !map.contains_key("stop_reason") {
        neutral.keep_others(OTHERS, map, &READ);
    }
    Ok(neutral)
}

pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let mut neutral = Neutral::default();
    let named = map.get("role");
    let role = roles::read(named.and_then(Value::as_str), "role", &ROLES)?;
    neutral.keep("role", named.filter(|name| *name == "developer"));
    let blocks = blocks::read_content(map.get("content"), warnings)?;
    let name = map
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    neutral.role = Some(role);
    neutral.keep("weight", map.get("weight"));
    match role {
        Role::Tool => neutral.blocks = results(map, name, blocks),
        Role::Ai => {
            neutral.name = name.map(Into::into);
            neutral.blocks = answer_blocks(map, blocks);
        }
        Role::System | Role::Human => {
            neutral.name = name.map(Into::into);
            neutral.blocks = blocks;
        }
    }
    neutral.blocks.extend(calls(map, warnings));
    Ok(neutral)
}

/// The results in a message of a tool: the message itself, or those that AG2 lists in it. One from
/// before there were ids refers to its call by the name of the function.
fn results(map: &Map<String, Value>, name: Option<&str>, blocks: Vec<Block>) -> Vec<Block> {
    let result = |id: String, name: Option<&str>, content: Option<&Value>| Block::ToolResult {
        tool_use_id: id,
        name: name.map(Into::into),
        // What is odd in the content was told when the blocks were read.
        output: blocks::read_output(content, &mut Vec::new()),
        is_error: false,
    };
    if let Some(Value::Array(listed)) = map.get("tool_responses") {
        let listed = listed.iter().map(|response| {
            let id = response.get("tool_call_id").and_then(blocks::id_of);
            result(id.unwrap_or_default(), None, response.get("content"))
        });
        return listed.collect();
    }
    let id = map.get("tool_call_id").and_then(blocks::id_of);
    match id.or_else(|| name.map(str::to_owned)) {
        Some(id) => vec![result(id, name, map.get("content"))],
        None => blocks,
    }
}

/// The blocks of a model's answer, reasoning first. A refusal counts as text.
fn answer_blocks(map: &Map<String, Value>, mut blocks: Vec<Block>) -> Vec<Block> {
    if let Some(Value::String(refusal)) = map.get("refusal") {
        blocks.push(Block::text(refusal.as_str()));
    }
    let reasoning = reasoning_of(map).unwrap_or_default();
    blocks::of_answer(&reasoning, blocks)
}

fn calls(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Vec<Block> {
    let listed = map
        .get("tool_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let old = map.get("function_call").filter(|call| call.is_object());
    let calls = listed
        .map(|call| (call.get("id"), call))
        .chain(old.map(|call| (call.get("name"), call)));
    let read = calls.filter_map(|(id, call)| {
        let function = call.get("function").unwrap_or(call);
        let Some(name) = function.get("name").and_then(Value::as_str) else {
            return blocks::read_odd_call(call, warnings);
        };
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
    let role = take_role(&mut neutral.origin);
    let mut written = write_blocks(&neutral, role);
    add_others(&mut written, OTHERS, &neutral.origin);
    written
}

/// `role` is that of the format, if ours is another.
fn write_blocks(neutral: &Neutral, role: Option<String>) -> Vec<Value> {
    let results = neutral.blocks.iter().filter_map(Block::as_tool_result);
    let mut written: Vec<_> = results.map(|result| tool_message(&result)).collect();
    let calls: Vec<_> = neutral.blocks.iter().filter_map(call).collect();
    let blocks = neutral.blocks.iter();
    let said = blocks.filter(|block| block.as_tool_call().is_none() && !block.is_tool_result());
    let with_parts = said.filter_map(|block| Some((block, part(block)?)));
    let (content_blocks, parts): (Vec<_>, Vec<_>) = with_parts.unzip();
    if parts.is_empty() && calls.is_empty() && !written.is_empty() {
        return written;
    }
    let role = role.as_deref().unwrap_or(match neutral.role() {
        Role::System => "system",
        Role::Human => "user",
        Role::Ai => "assistant",
        Role::Tool => "tool",
    });
    let content = match content_blocks.as_slice() {
        [] if !calls.is_empty() => Value::Null,
        [] => json!(""),
        [Block::Text { text }] => json!(text),
        _ => Value::Array(parts),
    };
    let mut message = json!({"role": role, "content": content});
    if let Some(name) = &neutral.name {
        message["name"] = sent_name(name).into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    written.push(message);
    written
}

fn call(block: &Block) -> Option<Value> {
    let call = block.as_tool_call()?;
    let function = json!({"name": sent_name(call.name), "arguments": call.input.to_string()});
    Some(json!({"id": call.id, "type": "function", "function": function}))
}

fn tool_message(result: &ToolResult<'_>) -> Value {
    let blocks = result.blocks();
    let is_text = |block: &Block| matches!(block, Block::Text { .. });
    let content = match result.output {
        Value::Array(_) if !blocks.iter().all(is_text) => blocks.iter().filter_map(part).collect(),
        _ => json!(result.text()),
    };
    let mut message = json!({"role": "tool", "tool_call_id": result.id, "content": content});
    if let Some(name) = result.name {
        message["name"] = sent_name(name).into();
    }
    message
}

/// A name as OpenAI accepts it, of a speaker as of a function.
fn sent_name(name: &str) -> Cow<'_, str> {
    alias(name, MAX_NAME)
}

/// What messages lose when they are written: thoughts, and names that are replaced.
pub(super) fn losses<'a>(messages: impl Iterator<Item = &'a Message> + Clone) -> Vec<UiText> {
    let thoughts = blocks::thoughts_left_out(messages.clone());
    let mut replaced = BTreeMap::new();
    for message in messages {
        let blocks = blocks::at_any_depth(&message.body);
        let called = blocks.iter().filter_map(Block::as_tool_call);
        let speaker = message.body.sender().map(|name| &**name);
        let names = called.map(|call| call.name).chain(speaker);
        for name in names {
            if let Cow::Owned(alias) = sent_name(name) {
                replaced.insert(name.to_owned(), alias);
            }
        }
    }
    let replaced = replaced
        .iter()
        .map(|(name, alias)| text!(dialect_name_replaced, name, alias));
    thoughts.into_iter().chain(replaced).collect()
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
            source: MediaSource::Base64 { media_type, data },
        } => {
            let format = match media_type.strip_prefix("audio/").unwrap_or(media_type) {
                "mpeg" => "mp3",
                other => other,
            };
            Some(json!({"type": "input_audio", "input_audio": {"data": data, "format": format}}))
        }
        Block::Audio { source } => Some(by_url("audio_url", source)),
        Block::Thinking { .. } => None,
        // Within a result; others are written beside the content.
        Block::ToolUse { .. } | Block::ToolResult { .. } => Some(json!(block)),
    }
}

fn by_url(kind: &str, source: &MediaSource) -> Value {
    json!({"type": kind, kind: {"url": media::to_url(source)}})
}

#[cfg(test)]
mod tests {
    use playhouse_engine::message::Body;
    use playhouse_engine::testing::each_row;

    use super::*;

    #[test]
    fn messages_are_read_in_all_spellings_and_written_as_documented() {
        each_row(
            r#"
                // calls, those of before there were lists, and what is none
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"k\":1}"}}]} => same
                {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}} => [{"role": "assistant", "content": null, "tool_calls": [{"id": "f", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]
                {"role": "function", "name": "f", "content": "r"} => [{"role": "tool", "tool_call_id": "f", "name": "f", "content": "r"}]
                {"role": "assistant", "content": "so", "tool_calls": [{"type": "custom", "id": "c2"}, null]} => [{"role": "assistant", "content": [{"type": "text", "text": "so"}, {"type": "custom", "id": "c2"}]}]
                // thoughts are private
                {"role": "assistant", "content": "Hello", "reasoning_content": "secret plan"} => [{"role": "assistant", "content": "Hello"}]
                // Anthropic's and AG2's results
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "r"}]}, {"type": "text", "text": "go on"}]} => [{"role": "tool", "tool_call_id": "c1", "content": "r"}, {"role": "user", "content": "go on"}]
                {"role": "tool", "content": "4", "name": "user", "tool_responses": [{"tool_call_id": "c1", "content": "4"}, {"tool_call_id": "c2", "content": "5"}]} => [{"role": "tool", "tool_call_id": "c1", "content": "4"}, {"role": "tool", "tool_call_id": "c2", "content": "5"}]
                {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "http://x/y.png"}}]} => same
                {"role": "developer", "content": "rules"} => same
                // members that nobody knows; those beside an answer of Anthropic's are about it
                {"role": "user", "content": "hi", "id": 7, "annotations": [], "audio": null} => same
                {"role": "tool", "tool_call_id": "c1", "content": "4", "took": {"ms": 2}} => same
                {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}], "id": "m", "stop_reason": null} => [{"role": "assistant", "content": "hi"}]
                {"role": "user", "name": "", "content": "hi"} => [{"role": "user", "content": "hi"}]
                {"role": "user", "name": "Ann", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}, {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}, {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}]} => same
            "#,
            |[message, wanted]| {
                let message: Value = serde_json::from_str(message).unwrap();
                let read = read_whole(message.as_object().unwrap(), &mut Vec::new()).unwrap();
                let wanted = match wanted {
                    "same" => json!([message]),
                    wanted => serde_json::from_str(wanted).unwrap(),
                };
                assert_eq!(Value::from(write(&read.into_messages())), wanted);
            },
        );
    }

    #[test]
    fn names_are_written_as_openai_accepts_them() {
        let call = Block::tool_use("c1", "天气 now", json!({}));
        let body = Body::blocks(vec![Block::thinking("hm"), Block::text("hi"), call]);
        let messages = [
            Message::ai(body.from_sender("Odile Marsh")),
            Message::tool([Block::ToolResult {
                tool_use_id: "c1".into(),
                name: Some("天气 now".into()),
                output: json!("rain"),
                is_error: false,
            }]),
        ];
        let written = write(&messages);
        let (speaker, tool) = (sent_name("Odile Marsh"), sent_name("天气 now"));
        assert_eq!(written[0]["name"], *speaker);
        assert_eq!(written[0]["tool_calls"][0]["function"]["name"], *tool);
        assert_eq!(written[1]["name"], *tool);
        let losses: Vec<_> = losses(messages.iter())
            .iter()
            .map(UiText::to_string)
            .collect();
        assert_eq!(losses.len(), 3, "{losses:?}");
        assert!(losses[0].starts_with("a thought is left out"), "{losses:?}");
    }
}
