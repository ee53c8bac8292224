//! The messages of Microsoft's Agent Framework, as its libraries for Python and .NET write them.

use playhouse_engine::message::FormatError;
use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::{blocks, openai, roles};

/// Whether it is a message with contents.
pub(super) fn is_message(map: &Map<String, Value>) -> bool {
    map.contains_key("role") && map.get("contents").is_some_and(Value::is_array)
}

/// Whether it is what an agent or a client answered, which holds messages.
pub(super) fn is_answer(map: &Map<String, Value>) -> bool {
    let kind = map.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| kind.ends_with("_response")) && map.contains_key("messages")
}

pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    let role = map.get("role").unwrap_or(&Value::Null);
    let role = role.get("value").unwrap_or(role).as_str();
    let role = roles::read(role, "role", &openai::ROLES)?;
    let contents = map.get("contents").and_then(Value::as_array);
    let contents: Value = contents.into_iter().flatten().filter_map(spelled).collect();
    let either = |names: [&str; 2]| names.into_iter().find_map(|name| map.get(name));
    let name = either(["author_name", "authorName"]).and_then(Value::as_str);
    let mut neutral = Neutral {
        role: Some(role),
        blocks: blocks::read_content(Some(&contents), warnings)?,
        name: name.filter(|name| !name.is_empty()).map(Into::into),
        ..Neutral::default()
    };
    neutral.keep("id", either(["message_id", "messageId"]));
    neutral.keep("timestamp", either(["created_at", "createdAt"]));
    neutral.keep(
        "additional_properties",
        either(["additional_properties", "additionalProperties"]),
    );
    Ok(neutral)
}

/// A document that .NET wrote with capital letters, with those that its libraries read.
pub(super) fn with_small_letters(value: &Value) -> Option<Value> {
    fn small(value: &Value) -> Value {
        match value {
            Value::Array(list) => list.iter().map(small).collect(),
            Value::Object(map) => {
                let members = map.iter().map(|(key, value)| match key.as_str() {
                    // What people and tools say is theirs.
                    "Arguments" | "Result" | "AdditionalProperties" => (key, value.clone()),
                    _ => (key, small(value)),
                });
                let members = members.map(|(key, value)| {
                    let first = key.chars().take(1).map(|char| char.to_ascii_lowercase());
                    (first.chain(key.chars().skip(1)).collect(), value)
                });
                Value::Object(members.collect())
            }
            value => value.clone(),
        }
    }
    let first = value.as_array().and_then(|list| list.first());
    let members = ["Messages", "Role", "StateBag", "StoreState"];
    let mut members = members.iter();
    members
        .any(|member| first.unwrap_or(value).get(member).is_some())
        .then(|| small(value))
}

/// A content as a block in a spelling that `blocks` reads; `None` for a count of tokens.
fn spelled(content: &Value) -> Option<Value> {
    let either = |names: [&str; 2]| names.into_iter().find_map(|name| content.get(name));
    let call_id = either(["call_id", "callId"]);
    // Without its kind, a content shows by its members what it is.
    let kinds = [
        ("text", "text"),
        ("arguments", "function_call"),
        ("result", "function_result"),
        ("uri", "uri"),
    ];
    let mut shown = kinds
        .iter()
        .filter(|(member, _)| content.get(*member).is_some());
    let kind = either(["$type", "type"]).and_then(Value::as_str);
    let kind = kind
        .or_else(|| shown.next().map(|(_, kind)| *kind))
        .unwrap_or("unknown");
    Some(match kind {
        "usage" => return None,
        "text" => json!({"type": "text", "text": content.get("text")}),
        "text_reasoning" | "reasoning" => {
            json!({"type": "thinking", "thinking": content.get("text")})
        }
        "function_call" | "functionCall" => json!({"type": "tool_call", "id": call_id,
            "name": content.get("name"), "args": content.get("arguments")}),
        "function_result" | "functionResult" => {
            let failed = content
                .get("exception")
                .is_some_and(|exception| !exception.is_null());
            json!({"type": "tool_result", "id": call_id, "output": content.get("result"),
                "is_error": failed})
        }
        "data" | "uri" => json!({"type": "data", "source": {"url": content.get("uri"),
            "mimeType": either(["media_type", "mediaType"])}}),
        kind => {
            let mut kept = content.clone();
            if let Some(map) = kept.as_object_mut() {
                map.entry("type").or_insert_with(|| kind.into());
            }
            kept
        }
    })
}
