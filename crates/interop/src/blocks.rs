//! Reading content blocks in any known spelling.
//!
//! Reading is liberal: members that we don't know are ignored, and a block of an unknown kind is
//! kept as it came. A block of a known kind that lacks what it is about is an error.

use std::collections::BTreeMap;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::{Block, Body, FormatError, Message};
use playhouse_engine::reading::{Arguments, ArgumentsRepair, SplitText};
use serde_json::{Map, Value, json};

use super::media;
use super::thinking::thinking_text;

/// Reads content: a text, a block, or a list of these. Null entries are skipped; absent content is
/// empty.
///
/// # Errors
/// It is something else, or a block lacks its text or its source.
pub(super) fn read_content(
    content: Option<&Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Block>, FormatError> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(entries)) => {
            let mut blocks = Vec::with_capacity(entries.len());
            for (index, entry) in entries.iter().enumerate() {
                let path = format!("content[{index}]");
                blocks.extend(read_at(&path, warnings, |found| read_block(entry, found))?);
            }
            Ok(blocks)
        }
        Some(entry @ (Value::String(_) | Value::Object(_))) => {
            let read = read_block(entry, warnings).map_err(|error| error.nested_in("content"))?;
            Ok(read.into_iter().collect())
        }
        Some(_) => Err(FormatError::new("content", text!(dialect_expected_content))),
    }
}

/// Reads what is at a path, so that its warnings and its error name their place.
pub(super) fn read_at<T>(
    path: &str,
    warnings: &mut Vec<FormatError>,
    read: impl FnOnce(&mut Vec<FormatError>) -> Result<T, FormatError>,
) -> Result<T, FormatError> {
    let mut found = Vec::new();
    let read = read(&mut found);
    warnings.extend(found.into_iter().map(|warning| warning.nested_in(path)));
    read.map_err(|error| error.nested_in(path))
}

/// Reads a block; `None` for null, and for a text or a thought that is null.
///
/// # Errors
/// It lacks its text or its source.
pub(super) fn read_block(
    value: &Value,
    warnings: &mut Vec<FormatError>,
) -> Result<Option<Block>, FormatError> {
    let map = match value {
        Value::Null => return Ok(None),
        Value::String(text) => return Ok(Some(Block::text(text.as_str()))),
        value => value.as_object(),
    };
    if map.is_some_and(is_absent) {
        return Ok(None);
    }
    if let Some(known) = map.and_then(|map| read_known(map, warnings)) {
        return Ok(Some(known));
    }
    if let Some(error) = map.and_then(lack_of) {
        return Err(error);
    }
    let problem = match value.get("type").and_then(Value::as_str) {
        Some(kind) => text!(dialect_unknown_block, kind),
        None => text!(dialect_block_without_type),
    };
    warnings.push(FormatError::new("", problem));
    Ok(Some(Block::Unknown(value.clone())))
}

/// What a block of a known kind that can't be read lacks.
fn lack_of(map: &Map<String, Value>) -> Option<FormatError> {
    let kind = map.get("type")?.as_str()?;
    match kind {
        "text" | "input_text" | "output_text" => {
            Some(FormatError::new("text", text!(dialect_expected_text)))
        }
        "image" | "audio" | "video" if !media::has_source(kind, map) => Some(FormatError::new(
            "source",
            text!(dialect_missing_source, kind),
        )),
        _ => None,
    }
}

/// Whether a block is a text or a thought that is null.
fn is_absent(map: &Map<String, Value>) -> bool {
    let members: &[&str] = match map.get("type").and_then(Value::as_str) {
        Some("text" | "input_text" | "output_text") => &["text"],
        Some("thinking" | "reasoning") => &["thinking", "reasoning", "text"],
        None if map.len() == 1 => &["text"],
        _ => return false,
    };
    let mut given = members.iter().filter_map(|key| map.get(*key)).peekable();
    given.peek().is_some()
        && given.all(Value::is_null)
        && signature_of(map).is_none()
        && !map.contains_key("redacted_thinking_data")
}

fn read_known(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Option<Block> {
    let text = |key: &str| map.get(key)?.as_str();
    match text("type") {
        None | Some("text" | "input_text" | "output_text") => text("text").map(Block::text),
        Some("refusal") => text("refusal").map(Block::text),
        Some("thinking" | "reasoning") => read_thinking(map),
        Some("tool_use" | "tool_call" | "function_call") => read_call(map, warnings),
        Some("tool_result") => read_result(map, warnings),
        Some(kind) => media::read(kind, map),
    }
}

fn read_thinking(map: &Map<String, Value>) -> Option<Block> {
    let thought = ["thinking", "reasoning", "text"]
        .iter()
        .find_map(|key| map.get(*key))?;
    // A thought that its provider encrypted is kept as it came.
    let readable = thought.is_string() || thought.is_array();
    let encrypted = map.contains_key("redacted_thinking_data");
    (readable && !encrypted).then(|| Block::Thinking {
        thinking: thinking_text(thought).into(),
        signature: signature_of(map),
    })
}

/// The provider's signature: beside the thought, or in the metadata of AgentScope or LangChain.
fn signature_of(map: &Map<String, Value>) -> Option<Box<str>> {
    let spellings = ["signature", "thoughtSignature", "thought_signature"];
    let nested = ["metadata", "extras", "extra_content"]
        .iter()
        .filter_map(|key| map.get(*key)?.as_object());
    let mut places = std::iter::once(map).chain(nested);
    let in_place = |map: &'_ Map<String, Value>| {
        let mut values = spellings.iter().filter_map(|key| map.get(*key)?.as_str());
        values.next().map(Into::into)
    };
    places.find_map(in_place)
}

fn read_call(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Option<Block> {
    let name = map.get("name")?.as_str()?;
    let id = ["id", "call_id"]
        .iter()
        .find_map(|key| id_of(map.get(*key)?));
    let input = ["input", "args", "arguments"]
        .iter()
        .find_map(|key| map.get(*key));
    Some(Block::ToolUse {
        id: id.unwrap_or_default(),
        name: name.into(),
        input: read_arguments(input.unwrap_or(&Value::Null), name, warnings),
        signature: signature_of(map),
    })
}

/// The arguments of a call of this tool, with a warning if they had to be repaired.
pub(super) fn read_arguments(
    arguments: &Value,
    tool: &str,
    warnings: &mut Vec<FormatError>,
) -> Value {
    let arguments = Arguments::from_json(arguments);
    let problem = match arguments.repair {
        ArgumentsRepair::None => None,
        ArgumentsRepair::Completed => Some(text!(dialect_arguments_completed, tool)),
        ArgumentsRepair::Discarded(error) => {
            Some(text!(dialect_arguments_discarded, tool, error = &error))
        }
    };
    warnings.extend(problem.map(|problem| FormatError::new("", problem)));
    Value::Object(arguments.input)
}

fn read_result(map: &Map<String, Value>, warnings: &mut Vec<FormatError>) -> Option<Block> {
    let spellings = ["tool_use_id", "toolUseId", "tool_call_id", "call_id", "id"];
    let tool_use_id = spellings.iter().find_map(|key| id_of(map.get(*key)?))?;
    let output = ["output", "content"].iter().find_map(|key| map.get(*key));
    let name = map.get("name").and_then(Value::as_str);
    Some(Block::ToolResult {
        tool_use_id,
        name: name.filter(|name| !name.is_empty()).map(Into::into),
        output: read_output(output, warnings),
        is_error: is_failure(map),
    })
}

/// A tool's output, with its blocks in our spelling.
pub(super) fn read_output(output: Option<&Value>, warnings: &mut Vec<FormatError>) -> Value {
    match output {
        None | Some(Value::Null) => Value::from(""),
        Some(Value::Array(entries)) => {
            let blocks = entries.iter().filter_map(|entry| {
                // A tool may return anything.
                read_block(entry, warnings).unwrap_or_else(|problem| {
                    warnings.push(problem);
                    Some(Block::Unknown(entry.clone()))
                })
            });
            blocks.map(|block| json!(block)).collect()
        }
        Some(other) => other.clone(),
    }
}

/// Whether a result says that its tool failed, in any of five spellings.
fn is_failure(map: &Map<String, Value>) -> bool {
    let has_flag = |map: &Map<String, Value>| {
        let flags = ["is_error", "isError"];
        flags
            .iter()
            .any(|key| map.get(*key) == Some(&Value::Bool(true)))
    };
    let state = ["state", "status"]
        .iter()
        .find_map(|key| map.get(*key)?.as_str())
        .map(str::to_lowercase);
    let metadata = map.get("metadata").and_then(Value::as_object);
    has_flag(map)
        || metadata.is_some_and(has_flag)
        || matches!(state.as_deref(), Some("error" | "denied" | "interrupted"))
}

/// An id. Some formats use numbers.
pub(super) fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// What stands among the calls of a message but is none: a block of an unknown kind.
pub(super) fn read_odd_call(call: &Value, warnings: &mut Vec<FormatError>) -> Option<Block> {
    if call.is_null() {
        return None;
    }
    warnings.push(FormatError::new("", text!(dialect_odd_call)));
    let read = read_block(call, &mut Vec::new()).ok().flatten();
    read.filter(|block| matches!(block, Block::Unknown(_)))
}

/// The names of the tools that these messages call, by the ids of the calls.
pub(super) fn tool_names(messages: &[Message]) -> BTreeMap<&str, &str> {
    let calls = messages
        .iter()
        .flat_map(|message| message.body.tool_calls());
    calls.map(|call| (call.id, call.name)).collect()
}

/// The blocks of a message and of the results in it.
pub(super) fn at_any_depth(body: &Body) -> Vec<Block> {
    let results = body.tool_results().flat_map(|result| result.blocks());
    body.to_blocks().into_iter().chain(results).collect()
}

/// The blocks of a model's answer: what it thought, then its content without empty texts.
pub(super) fn of_answer(reasoning: &str, content: Vec<Block>) -> Vec<Block> {
    let thoughts = SplitText::default().with_reasoning(reasoning);
    let mut answer = thoughts.into_blocks();
    answer.extend(split_thoughts(content));
    answer.retain(|block| block.as_text() != Some(""));
    answer
}

/// Says how many thoughts messages lose in a format without them; `None` if they have none.
pub(super) fn thoughts_left_out<'m>(messages: impl Iterator<Item = &'m Message>) -> Option<UiText> {
    let count = count_of(messages, |block| matches!(block, Block::Thinking { .. }))?;
    Some(text!(dialect_thoughts_left_out, count))
}

/// Says how many blocks of unknown kinds messages lose in a format that has only texts.
pub(super) fn unknown_left_out<'m>(messages: impl Iterator<Item = &'m Message>) -> Option<UiText> {
    let count = count_of(messages, |block| matches!(block, Block::Unknown(_)))?;
    Some(text!(dialect_unknown_left_out, count))
}

fn count_of<'m>(
    messages: impl Iterator<Item = &'m Message>,
    is_lost: impl Fn(&Block) -> bool,
) -> Option<usize> {
    let blocks = messages.flat_map(|message| at_any_depth(&message.body));
    let lost = blocks.filter(|block| is_lost(block));
    Some(lost.count()).filter(|count| *count > 0)
}

/// A model's blocks, with the thoughts within its texts as blocks of their own.
pub(super) fn split_thoughts(blocks: Vec<Block>) -> Vec<Block> {
    let split = |block: Block| {
        let split = block.as_text().map(|text| (text, SplitText::of(text)));
        match split {
            Some((text, split)) if !split.thinking.is_empty() || split.text != text => {
                split.into_blocks()
            }
            _ => vec![block],
        }
    };
    blocks.into_iter().flat_map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> (Option<Block>, usize) {
        let mut warnings = Vec::new();
        let block = read_block(&value, &mut warnings).unwrap();
        (block, warnings.len())
    }

    fn read_cleanly(value: Value) -> Block {
        match read(value) {
            (Some(block), 0) => block,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn unknown_members_are_ignored() {
        let text = json!({"type": "text", "text": "hi", "id": "b1", "cache_control": {}, "annotations": []});
        assert_eq!(read_cleanly(text), Block::text("hi"));
        assert_eq!(read_cleanly(json!({"text": "hi"})), Block::text("hi"));
        let thought =
            json!({"type": "thinking", "thinking": "hm", "metadata": {"thoughtSignature": "Ci4B"}});
        let signed = Block::Thinking {
            thinking: "hm".into(),
            signature: Some("Ci4B".into()),
        };
        assert_eq!(read_cleanly(thought), signed);
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
            assert_eq!(read_cleanly(value), call);
        }
        for value in [
            json!({"type": "tool_result", "tool_use_id": "c1", "content": "4"}),
            json!({"type": "tool_result", "toolUseId": "c1", "output": "4", "isError": false}),
            json!({"type": "tool_result", "id": "c1", "output": "4", "state": "success", "metadata": {}}),
            json!({"type": "tool_result", "call_id": "c1", "output": "4", "name": ""}),
        ] {
            assert_eq!(read_cleanly(value), Block::tool_result("c1", "4"));
        }
        for (member, value) in [
            ("is_error", json!(true)),
            ("isError", json!(true)),
            ("state", json!("ERROR")),
            ("status", json!("error")),
            ("metadata", json!({"is_error": true})),
        ] {
            let failed = json!({"type": "tool_result", "id": "c1", "output": "no", member: value});
            assert_eq!(read_cleanly(failed), Block::tool_error("c1", "no"));
        }
    }

    #[test]
    fn unknown_blocks_are_kept_and_reported() {
        for value in [
            json!({"type": "mystery", "x": 1}),
            json!({"type": "thinking", "thinking": "", "redacted_thinking_data": "x"}),
            json!({"type": "tool_result", "output": "whose?"}),
            json!({"type": "image", "source": {"type": "moon"}}),
            json!(7),
        ] {
            assert_eq!(read(value.clone()), (Some(Block::Unknown(value)), 1));
        }
        for absent in [
            Value::Null,
            json!({"type": "text", "text": null}),
            json!({"type": "output_text", "text": null, "annotations": []}),
            json!({"text": null}),
            json!({"type": "thinking", "thinking": null}),
            json!({"type": "reasoning", "reasoning": null}),
        ] {
            assert_eq!(read(absent.clone()), (None, 0), "{absent}");
        }
        let (block, warnings) =
            read(json!({"type": "tool_use", "id": "1", "name": "f", "input": [1, 2]}));
        assert_eq!(
            (block, warnings),
            (Some(Block::tool_use("1", "f", json!({}))), 1)
        );
    }

    #[test]
    fn a_block_that_lacks_what_it_is_about_is_an_error_that_names_the_member() {
        for (block, member) in [
            (json!({"type": "text", "text": 5}), "content[1].text"),
            (json!({"type": "text"}), "content[1].text"),
            (json!({"type": "image"}), "content[1].source"),
            (
                json!({"type": "video", "source": null}),
                "content[1].source",
            ),
        ] {
            let content = json!([{"type": "text", "text": "a"}, block]);
            let error = read_content(Some(&content), &mut Vec::new()).unwrap_err();
            assert_eq!(error.path, member);
            let mut warnings = Vec::new();
            let output = read_output(Some(&content), &mut warnings);
            assert_eq!(
                (&output, warnings.len()),
                (&content, 1),
                "a tool may return it"
            );
        }
    }

    #[test]
    fn the_blocks_of_a_result_are_in_our_spelling() {
        let output =
            json!([{"type": "text", "text": "a", "id": "b1"}, null, "b", {"type": "mystery"}]);
        let mut warnings = Vec::new();
        assert_eq!(
            read_output(Some(&output), &mut warnings),
            json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, {"type": "mystery"}])
        );
        assert_eq!(warnings.len(), 1);
        assert_eq!(read_output(None, &mut warnings), json!(""));
    }
}
