//! Reading the state of AgentScope's in-memory memory (Python 1.0): messages with marks, which
//! become tags with the value true, and a summary of condensed messages, which becomes the first
//! message: `{"content": [[message, [marks]]], "_compressed_summary": "…"}`.

use playhouse_engine::locale::text;
use playhouse_engine::message::{FormatError, Message};
use serde_json::{Map, Value};

use super::blocks::read_at;
use super::messages::read_message;
use super::{Profile, leftovers};

const SUMMARY: &str = "_compressed_summary";

/// Whether JSON is the state of a memory.
pub(super) fn is_state(map: &Map<String, Value>) -> bool {
    map.contains_key(SUMMARY) && map.get("content").is_some_and(Value::is_array)
}

/// Reads the state of a memory. Entries without marks are messages.
///
/// # Errors
/// A message can't be read; the error says where and why.
pub(super) fn read(
    state: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    let missing = || FormatError::new("content", text!(dialect_missing_memory_content));
    let content = state.get("content").and_then(Value::as_array);
    let summary = state.get(SUMMARY).and_then(Value::as_str);
    let summary = summary.filter(|summary| !summary.is_empty());
    let mut messages: Vec<_> = summary.map(Message::human).into_iter().collect();
    for (index, entry) in content.ok_or_else(missing)?.iter().enumerate() {
        let (message, marks) = match entry.as_array().map(Vec::as_slice) {
            Some([message, marks, ..]) => (message, marks.as_array()),
            _ => (entry, None),
        };
        if message.is_null() {
            continue;
        }
        let path = format!("content[{index}]");
        let profile = Profile::AgentScopePython1;
        let read = |found: &mut _| read_message(message, profile, found);
        for mut message in read_at(&path, warnings, read)? {
            for mark in marks.into_iter().flatten().filter_map(Value::as_str) {
                leftovers::add_tag(&mut message.tags, mark, &Value::Bool(true));
            }
            messages.push(message);
        }
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_become_tags_and_the_summary_comes_first() {
        let hi = json!({"name": "Wren", "role": "user", "content": "hi"});
        let state = json!({"content": [[hi, ["hint"]], hi], SUMMARY: "SUM"});
        let read = read(state.as_object().unwrap(), &mut Vec::new()).unwrap();
        let texts: Vec<_> = read
            .iter()
            .map(|message| message.body.full_text())
            .collect();
        assert_eq!(texts, ["SUM", "hi", "hi"]);
        let is_marked = |message: &Message| message.tags.get("hint").is_some();
        assert_eq!(
            read.iter().map(is_marked).collect::<Vec<_>>(),
            [false, true, false]
        );
    }
}
