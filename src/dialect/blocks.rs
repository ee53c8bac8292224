//! Content blocks in the spellings of others.
//!
//! Reading is liberal: what a block says is taken, in whatever form; members that we have no place
//! for are passed over. A block that can't be understood is kept as it came.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Mending};
use super::media;
use super::thinking::{Parted, thinking_text};
use crate::message::{Block, FormatError};

/// Reads content: a text, a block or a list of both. Null entries are skipped; absent content is
/// empty.
pub(super) fn read_content(
    content: Option<&Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Block>, FormatError> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(entries)) => {
            let mut blocks = Vec::with_capacity(entries.len());
            for (index, entry) in entries.iter().enumerate() {
                let mut found = Vec::new();
                blocks.extend(read_block(entry, &mut found));
                let here = format!("content[{index}]");
                warnings.extend(found.into_iter().map(|warning| warning.inside(&here)));
            }
            Ok(blocks)
        }
        Some(one @ (Value::String(_) | Value::Object(_))) => {
            Ok(read_block(one, warnings).into_iter().collect())
        }
        Some(_) => Err(FormatError::new(
            "content",
            "expected a text or a list of blocks",
        )),
    }
}

/// Reads a block; null is none.
pub(super) fn read_block(value: &Value, warnings: &mut Vec<FormatError>) -> Option<Block> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Block::text(text.as_str())),
        _ => {
            let known = value.as_object().and_then(|map| known(map, warnings));
            Some(known.unwrap_or_else(|| {
                let kind = value.get("type").and_then(Value::as_str);
                let problem = match kind {
                    Some(kind) => format!("a block of the kind '{kind}' is kept as it came"),
                    None => "a block of no kind is kept as it came".into(),
                };
                warnings.push(FormatError::new("", problem));
                Block::Unknown(value.clone())
            }))
        }
    }
}

fn known(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Option<Block> {
    let text = |key: &str| map.get(key)?.as_str();
    match text("type") {
        None | Some("text" | "input_text" | "output_text") => text("text").map(Block::text),
        Some("thinking" | "reasoning") => thinking(map),
        Some("tool_use" | "tool_call" | "function_call") => call(map, warnings),
        Some("tool_result") => result(map),
        Some(kind) => media::read(kind, map),
    }
}

fn thinking(map: &Map<String, Value>) -> Option<Block> {
    let thought = ["thinking", "reasoning", "text"];
    let thought = thought.iter().find_map(|key| map.get(*key))?;
    // A thought that its provider encrypted is kept as it came.
    let readable = thought.is_string() || thought.is_array();
    let encrypted = map.contains_key("redacted_thinking_data");
    (readable && !encrypted).then(|| Block::Thinking {
        thinking: thinking_text(thought).into(),
        signature: signature_of(map),
    })
}

/// What the provider signed: beside the thought, or in the metadata of AgentScope or LangChain.
fn signature_of(map: &Map<String, Value>) -> Option<Box<str>> {
    let spellings = ["signature", "thoughtSignature", "thought_signature"];
    let held = ["metadata", "extras", "extra_content"];
    let held = held.iter().filter_map(|key| map.get(*key)?.as_object());
    let mut all = std::iter::once(map).chain(held);
    let signature = all.find_map(|map| spellings.iter().find_map(|key| map.get(*key)?.as_str()))?;
    Some(signature.into())
}

fn call(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Option<Block> {
    let name = map.get("name")?.as_str()?;
    let id = ["id", "call_id"]
        .iter()
        .find_map(|key| id_of(map.get(*key)?));
    let input = ["input", "args", "arguments"];
    let input = input.iter().find_map(|key| map.get(*key));
    Some(Block::ToolUse {
        id: id.unwrap_or_default(),
        name: name.into(),
        input: read_arguments(input.unwrap_or(&Value::Null), name, warnings),
        signature: signature_of(map),
    })
}

/// The arguments of a call of this tool, and a warning where they had to be mended.
pub(super) fn read_arguments(
    arguments: &Value,
    tool: &str,
    warnings: &mut Vec<FormatError>,
) -> Value {
    let read = Arguments::from_json(arguments);
    let problem = match read.mending {
        Mending::None => None,
        Mending::Closed => Some(format!(
            "the arguments of '{tool}' had no end; it was added"
        )),
        Mending::Emptied(what) => Some(format!("the arguments of '{tool}' are left out: {what}")),
    };
    warnings.extend(problem.map(|problem| FormatError::new("", problem)));
    Value::Object(read.input)
}

fn result(map: &Map<String, Value>) -> Option<Block> {
    let spellings = ["tool_use_id", "toolUseId", "tool_call_id", "call_id", "id"];
    let tool_use_id = spellings.iter().find_map(|key| id_of(map.get(*key)?))?;
    let output = ["output", "content"].iter().find_map(|key| map.get(*key));
    let name = map.get("name").and_then(Value::as_str);
    Some(Block::ToolResult {
        tool_use_id,
        name: name.filter(|name| !name.is_empty()).map(Into::into),
        output: read_output(output),
        is_error: failed(map),
    })
}

/// What a tool returned, its blocks in our spelling.
pub(super) fn read_output(output: Option<&Value>) -> Value {
    match output {
        None | Some(Value::Null) => Value::from(""),
        Some(Value::Array(entries)) => {
            let blocks = entries
                .iter()
                .filter_map(|entry| read_block(entry, &mut Vec::new()));
            blocks.map(|block| json!(block)).collect()
        }
        Some(other) => other.clone(),
    }
}

/// Whether a result says that its tool failed, in one of five spellings.
fn failed(map: &Map<String, Value>) -> bool {
    let said = |map: &Map<String, Value>| {
        let flags = ["is_error", "isError"];
        flags
            .iter()
            .any(|key| map.get(*key) == Some(&Value::Bool(true)))
    };
    let state = ["state", "status"]
        .iter()
        .find_map(|key| map.get(*key)?.as_str());
    let state = state.map(str::to_lowercase);
    let metadata = map.get("metadata").and_then(Value::as_object);
    said(map)
        || metadata.is_some_and(said)
        || matches!(state.as_deref(), Some("error" | "denied" | "interrupted"))
}

/// An id; some number their calls.
pub(super) fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// The blocks of what a model said, with the thoughts in its texts parted from the words.
pub(super) fn part_thoughts(blocks: Vec<Block>) -> Vec<Block> {
    let each = blocks.into_iter().flat_map(|block| match block.as_text() {
        Some(text) => {
            let parted = Parted::of(text);
            match parted.thinking.is_empty() && parted.text == text {
                true => vec![block],
                false => parted.into_blocks(),
            }
        }
        None => vec![block],
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> (Option<Block>, usize) {
        let mut warnings = Vec::new();
        let block = read_block(&value, &mut warnings);
        (block, warnings.len())
    }

    fn one(value: Value) -> Block {
        match read(value) {
            (Some(block), 0) => block,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn members_that_have_no_place_are_passed_over() {
        let text = json!({"type": "text", "text": "hi", "id": "b1", "cache_control": {}, "annotations": []});
        assert_eq!(one(text), Block::text("hi"));
        assert_eq!(one(json!({"text": "hi"})), Block::text("hi"));
        let thought =
            json!({"type": "thinking", "thinking": "hm", "metadata": {"thoughtSignature": "Ci4B"}});
        let signed = Block::Thinking {
            thinking: "hm".into(),
            signature: Some("Ci4B".into()),
        };
        assert_eq!(one(thought), signed);
    }

    #[test]
    fn calls_and_results_are_read_in_every_spelling() {
        let call = Block::tool_use("c1", "dice", json!({"sides": 6}));
        for value in [
            json!({"type": "tool_use", "id": "c1", "name": "dice", "input": {"sides": 6}, "content": null}),
            json!({"type": "tool_call", "id": "c1", "name": "dice", "input": "{\"sides\": 6}", "state": "finished"}),
            json!({"type": "tool_call", "id": "c1", "name": "dice", "args": {"sides": 6}}),
            json!({"type": "function_call", "call_id": "c1", "name": "dice", "arguments": "{\"sides\": 6}"}),
        ] {
            assert_eq!(one(value), call);
        }
        for value in [
            json!({"type": "tool_result", "tool_use_id": "c1", "content": "4"}),
            json!({"type": "tool_result", "toolUseId": "c1", "output": "4", "isError": false}),
            json!({"type": "tool_result", "id": "c1", "output": "4", "state": "success", "metadata": {}}),
            json!({"type": "tool_result", "call_id": "c1", "output": "4", "name": ""}),
        ] {
            assert_eq!(one(value), Block::tool_result("c1", "4"));
        }
        for (member, value) in [
            ("is_error", json!(true)),
            ("isError", json!(true)),
            ("state", json!("ERROR")),
            ("status", json!("error")),
            ("metadata", json!({"is_error": true})),
        ] {
            let failed = json!({"type": "tool_result", "id": "c1", "output": "no", member: value});
            assert_eq!(one(failed), Block::tool_error("c1", "no"));
        }
    }

    #[test]
    fn what_is_not_understood_is_kept_and_told() {
        for value in [
            json!({"type": "mystery", "x": 1}),
            json!({"type": "text", "text": 5}),
            json!({"type": "thinking", "thinking": "", "redacted_thinking_data": "x"}),
            json!({"type": "tool_result", "output": "whose?"}),
            json!({"type": "image", "source": {"type": "moon"}}),
            json!(7),
        ] {
            assert_eq!(read(value.clone()), (Some(Block::Unknown(value)), 1));
        }
        assert_eq!(read(Value::Null), (None, 0));
        let (block, warnings) =
            read(json!({"type": "tool_use", "id": "1", "name": "f", "input": [1, 2]}));
        assert_eq!(
            (block, warnings),
            (Some(Block::tool_use("1", "f", json!({}))), 1)
        );
    }

    #[test]
    fn the_blocks_of_a_result_are_in_our_spelling() {
        let output =
            json!([{"type": "text", "text": "a", "id": "b1"}, null, "b", {"type": "mystery"}]);
        assert_eq!(
            read_output(Some(&output)),
            json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, {"type": "mystery"}])
        );
        assert_eq!(read_output(None), json!(""));
    }
}
