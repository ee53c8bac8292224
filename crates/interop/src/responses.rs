//! The items of OpenAI's Responses: messages, calls, their outputs, reasoning.
//!
//! Source: <https://platform.openai.com/docs/api-reference/responses>.

use std::borrow::Cow;

use playhouse_engine::message::{Block, FormatError, Message, Role};
use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::{blocks, openai};

/// Whether it is an item that chat completions don't have.
pub(super) fn is_item(map: &Map<String, Value>) -> bool {
    let Some(kind) = map.get("type").and_then(Value::as_str) else {
        return false;
    };
    match kind {
        // Anthropic's messages say why they stop.
        "message" => {
            map.contains_key("role")
                && map.contains_key("content")
                && !map.contains_key("stop_reason")
        }
        "reasoning" => map.contains_key("summary"),
        _ if map.contains_key("role") => false,
        kind => kind.ends_with("_call") || kind.ends_with("_call_output"),
    }
}

/// A request whose input is a text, with that text as its first message, and what was answered as
/// the others.
pub(super) fn with_messages(value: &Value) -> Cow<'_, Value> {
    let said = |input: &Value| json!({"type": "message", "role": "user", "content": input});
    let answered = value.get("output").and_then(Value::as_array);
    let asked = match (value.get("input"), answered) {
        (Some(input @ Value::String(_)), _) => vec![said(input)],
        (Some(Value::Array(items)), Some(_)) => items.clone(),
        _ => return Cow::Borrowed(value),
    };
    let mut whole = value.clone();
    if let Some(map) = whole.as_object_mut() {
        let items = asked
            .into_iter()
            .chain(answered.into_iter().flatten().cloned());
        map.insert("input".into(), items.collect());
        map.remove("output");
    }
    Cow::Owned(whole)
}

/// Reads an item; reasoning without a summary says nothing.
pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    if map.contains_key("role") {
        return openai::read(map, warnings).map(Neutral::into_messages);
    }
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    let (role, blocks) = match kind {
        "reasoning" => (Role::Ai, thoughts(map)),
        "function_call_output" => {
            let result = json!({"type": "tool_result", "id": map.get("call_id"),
                "output": map.get("output")});
            (Role::Tool, blocks::read_block(&result, warnings)?)
        }
        _ => {
            // Its own id is another one, by which no result refers to it.
            let mut item = map.clone();
            if item.contains_key("call_id") {
                item.remove("id");
            }
            (
                Role::Ai,
                blocks::read_block(&Value::Object(item), warnings)?,
            )
        }
    };
    let Some(block) = blocks else {
        return Ok(Vec::new());
    };
    let neutral = Neutral {
        role: Some(role),
        blocks: vec![block],
        ..Neutral::default()
    };
    Ok(neutral.into_messages())
}

fn thoughts(map: &Map<String, Value>) -> Option<Block> {
    let lists = ["summary", "content"]
        .iter()
        .filter_map(|key| map.get(*key)?.as_array());
    let texts = lists
        .flatten()
        .filter_map(|part| part.get("text")?.as_str());
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty()).then(|| Block::thinking(texts.join("\n")))
}
