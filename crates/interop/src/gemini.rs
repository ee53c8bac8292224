//! Gemini's contents, and the chunks of a prompt that Google AI Studio saved.
//!
//! Source: <https://ai.google.dev/api/caching#Content>. Members are read in camel and in snake
//! case, as its libraries write either.

use playhouse_engine::message::{FormatError, Role};
use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::{blocks, roles};

/// Whether it is a content with parts, or a chunk, which has its text beside its role.
pub(super) fn is_content(map: &Map<String, Value>) -> bool {
    map.get("parts").is_some_and(|parts| !parts.is_object())
        || (map.contains_key("role") && map.contains_key("text") && !map.contains_key("content"))
}

pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Neutral, FormatError> {
    const ROLES: [(&str, Role); 5] = [
        ("user", Role::Human),
        ("function", Role::Human),
        ("model", Role::Ai),
        ("assistant", Role::Ai),
        ("system", Role::System),
    ];
    // A content without a role is the user's.
    let role = map.get("role").and_then(Value::as_str).or(Some("user"));
    let role = roles::read(role, "role", &ROLES)?;
    let parts = match map.get("parts") {
        Some(parts) => spelled_parts(parts),
        None => Value::Array(vec![spelled(&Value::Object(map.clone()))]),
    };
    Ok(Neutral {
        role: Some(role),
        blocks: blocks::read_content(Some(&parts), warnings)?,
        ..Neutral::default()
    })
}

/// Parts as blocks in a spelling that `blocks` reads.
pub(super) fn spelled_parts(parts: &Value) -> Value {
    match parts {
        Value::Array(parts) => parts.iter().map(spelled).collect(),
        part => Value::Array(vec![spelled(part)]),
    }
}

fn spelled(part: &Value) -> Value {
    let member = |names: [&str; 2]| names.into_iter().find_map(|name| part.get(name));
    if let Some(call) = member(["functionCall", "function_call"]) {
        let (id, name) = (call.get("id"), call.get("name"));
        return json!({"type": "tool_call", "id": id.or(name), "name": name, "args": call.get("args"),
            "signature": member(["thoughtSignature", "thought_signature"])});
    }
    if let Some(result) = member(["functionResponse", "function_response"]) {
        let (id, name) = (result.get("id"), result.get("name"));
        return json!({"type": "tool_result", "id": id.or(name), "name": name,
            "output": result.get("response")});
    }
    if let Some(data) = member(["inlineData", "inline_data"]) {
        return json!({"type": "data", "source": data});
    }
    if let Some(file) = member(["fileData", "file_data"]) {
        let url = file.get("fileUri").or_else(|| file.get("file_uri"));
        let kind = file.get("mimeType").or_else(|| file.get("mime_type"));
        return json!({"type": "data", "source": {"url": url, "mimeType": kind}});
    }
    match (part.get("text"), member(["thought", "isThought"])) {
        (Some(text), Some(Value::Bool(true))) => json!({"type": "thinking", "thinking": text,
            "signature": member(["thoughtSignature", "thought_signature"])}),
        (Some(text), _) => json!({"type": "text", "text": text}),
        _ => part.clone(),
    }
}
