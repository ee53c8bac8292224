//! Gemini's contents, and the chunks of a prompt that Google AI Studio saved.
//!
//! Source: <https://ai.google.dev/api/caching#Content>. Members are read in camel and in snake
//! case, as its libraries write either.

use playhouse_engine::message::{FormatError, Role};
use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::stream::{MAX_OPEN, Streamed};
use super::{blocks, roles, stream};

const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];

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

/// The answers that were streamed, if any came in several chunks: those of the same id, and without
/// one those up to a reason to finish. `None` if anything else is among the events.
pub(super) fn streamed(events: &[&Value]) -> Option<Vec<Streamed>> {
    const RESTS: [&str; 4] = ["error", "usageMetadata", "usage_metadata", "promptFeedback"];
    let mut streamed = Vec::<(Option<&Value>, Streamed)>::new();
    for event in events {
        let Some(candidates) = event.get("candidates").and_then(Value::as_array) else {
            RESTS.iter().find_map(|rest| event.get(*rest))?;
            continue;
        };
        let id = member(event, ["responseId", "response_id"]);
        let known = match id {
            Some(_) => {
                let mut open = streamed.iter_mut().rev().take(MAX_OPEN);
                open.find(|(known, _)| *known == id)
            }
            None => streamed.last_mut().filter(|(_, last)| !last.is_whole),
        };
        let is_whole = candidates.iter().any(is_finished);
        match known {
            Some((_, known)) => {
                let whole = known.answer.get_mut("candidates")?.as_array_mut()?;
                candidates.iter().for_each(|more| add(whole, more));
                known.is_whole |= is_whole;
            }
            None => {
                let answer = json!({"candidates": candidates});
                streamed.push((id, Streamed { answer, is_whole }));
            }
        }
    }
    let has_chunks = streamed.len() < events.len() && !streamed.is_empty();
    has_chunks.then(|| streamed.into_iter().map(|(_, one)| one).collect())
}

/// Old libraries write the reason as a number, and 0 if there is none.
fn is_finished(candidate: &Value) -> bool {
    let reason = member(candidate, ["finishReason", "finish_reason"]);
    reason.is_some_and(|reason| !reason.is_null() && *reason != 0)
}

/// Adds what a chunk says to the candidate of the same number.
fn add(candidates: &mut Vec<Value>, more: &Value) {
    let number = |candidate: &Value| candidate.get("index").map_or(Some(0), Value::as_u64);
    let mut known = candidates.iter_mut();
    let Some(known) = known.find(|known| number(known) == number(more)) else {
        return candidates.push(more.clone());
    };
    let Some(parts) = known
        .pointer_mut("/content/parts")
        .and_then(Value::as_array_mut)
    else {
        return *known = more.clone();
    };
    let more = more.pointer("/content/parts").and_then(Value::as_array);
    more.into_iter()
        .flatten()
        .for_each(|part| add_part(parts, part));
}

/// A text goes on with the last one, and so does a thought until it is signed.
fn add_part(parts: &mut Vec<Value>, part: &Value) {
    let is_thought = |part: &Value| part.get("thought") == Some(&Value::Bool(true));
    let goes_on = |last: &Value| {
        let are_texts = [last, part].iter().all(|part| part.get("text").is_some());
        are_texts && is_thought(last) == is_thought(part) && member(last, SIGNATURE).is_none()
    };
    match parts.last_mut() {
        Some(last) if goes_on(last) => stream::grow(last, part),
        _ => parts.push(part.clone()),
    }
}

/// A member in either spelling.
fn member<'a>(value: &'a Value, spellings: [&str; 2]) -> Option<&'a Value> {
    spellings.into_iter().find_map(|name| value.get(name))
}

/// Parts as blocks in a spelling that `blocks` reads.
pub(super) fn spelled_parts(parts: &Value) -> Value {
    match parts {
        Value::Array(parts) => parts.iter().map(spelled).collect(),
        part => Value::Array(vec![spelled(part)]),
    }
}

fn spelled(part: &Value) -> Value {
    let member = |names| member(part, names);
    if let Some(call) = member(["functionCall", "function_call"]) {
        let (id, name) = (call.get("id"), call.get("name"));
        return json!({"type": "tool_call", "id": id.or(name), "name": name, "args": call.get("args"),
            "signature": member(SIGNATURE)});
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
            "signature": member(SIGNATURE)}),
        (Some(text), _) => json!({"type": "text", "text": text}),
        _ => part.clone(),
    }
}
