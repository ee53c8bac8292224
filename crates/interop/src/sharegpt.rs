//! ShareGPT's conversations: lists of `from` and `value`, as many data sets for training have them.

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::{Block, FormatError, Message, Role, shown};
use serde_json::{Map, Value, json};

use super::blocks;
use super::neutral::{Neutral, ORIGIN, add_others};

/// The member of an origin that keeps members of which the format says nothing.
const OTHERS: &str = "sharegpt";

/// Whether it is a message of such a conversation.
pub(super) fn is_message(map: &Map<String, Value>) -> bool {
    map.get("from").is_some_and(Value::is_string) && map.contains_key("value")
}

/// Reads a message. Who is none of the usual speakers is a person of that name.
pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let from = map.get("from").and_then(Value::as_str).unwrap_or_default();
    let value = map.get("value");
    let (role, name) = match from {
        "system" => (Role::System, None),
        "human" | "user" => (Role::Human, None),
        "gpt" | "assistant" | "chatgpt" | "model" | "function_call" | "tool_call" => {
            (Role::Ai, None)
        }
        "observation" | "tool" | "function_response" | "tool_response" => (Role::Tool, None),
        other => (
            Role::Human,
            Some(other.to_owned()).filter(|name| !name.is_empty()),
        ),
    };
    let call = value
        .filter(|_| from.ends_with("_call"))
        .and_then(|value| serde_json::from_str::<Value>(value.as_str()?).ok());
    let blocks = match (role, call) {
        (Role::Tool, _) => {
            let output = blocks::read_output(value, warnings);
            vec![Block::tool_result("", output)]
        }
        (_, Some(Value::Object(mut call))) => {
            call.insert("type".into(), "tool_call".into());
            let call = blocks::read_block(&Value::Object(call), warnings)?;
            call.into_iter().collect()
        }
        (Role::Ai, _) => blocks::split_thoughts(blocks::read_content(value, warnings)?),
        _ => blocks::read_content(value, warnings)?,
    };
    let mut neutral = Neutral {
        role: Some(role),
        blocks,
        name,
        ..Neutral::default()
    };
    neutral.keep("weight", map.get("weight"));
    neutral.keep_others(OTHERS, map, &["from", "value", "weight"]);
    Ok(neutral)
}

/// Writes a conversation. It has no names, and thoughts are private.
pub(super) fn write(messages: &[Message]) -> Vec<Value> {
    messages.iter().flat_map(write_message).collect()
}

fn write_message(message: &Message) -> Vec<Value> {
    let mut written = write_blocks(message);
    let metadata = message.body.metadata();
    if let Some(origin) = metadata.and_then(|metadata| metadata.get(ORIGIN)?.as_object()) {
        add_others(&mut written, OTHERS, origin);
    }
    written
}

fn write_blocks(message: &Message) -> Vec<Value> {
    let said = |from: &str, value: String| json!({"from": from, "value": value});
    let blocks = message.body.to_blocks();
    let (mut words, mut written) = (Vec::new(), Vec::new());
    for block in &blocks {
        if let Some(call) = block.as_tool_call() {
            let call = json!({"name": call.name, "arguments": call.input});
            written.push(said("function_call", call.to_string()));
        } else if let Some(result) = block.as_tool_result() {
            written.push(said("observation", result.text().into()));
        } else if !matches!(block, Block::Thinking { .. }) {
            words.push(block.clone());
        }
    }
    if words.is_empty() && !written.is_empty() {
        return written;
    }
    let from = match message.role {
        Role::System => "system",
        Role::Human => "human",
        Role::Ai => "gpt",
        Role::Tool => "observation",
    };
    written.insert(0, said(from, shown(&words)));
    written
}

/// What messages lose when they are written.
pub(super) fn losses<'a>(messages: impl Iterator<Item = &'a Message> + Clone) -> Vec<UiText> {
    let thoughts = blocks::thoughts_left_out(messages.clone());
    let unknown = blocks::unknown_left_out(messages.clone());
    let named = messages.filter(|message| message.body.sender().is_some());
    let names = Some(named.count()).filter(|count| *count > 0);
    let names = names.map(|count| text!(dialect_names_left_out, count));
    [thoughts, unknown, names].into_iter().flatten().collect()
}
