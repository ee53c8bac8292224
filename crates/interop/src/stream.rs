//! Answers that were saved as they were streamed: chunks of chat completions, events of Anthropic's
//! messages and of Responses, as lines, as a list, or as server-sent events.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The members whose texts come in parts; others are told once.
const IN_PARTS: [&str; 9] = [
    "content", "reasoning_content", "reasoning", "refusal", "arguments", "text", "thinking",
    "signature", "input",
];

/// Among so many entries of a list, the one that a chunk continues is looked for.
const MAX_OPEN: usize = 256;

/// What a line says: itself, or the data of a server-sent event. `None` for the rest of an event.
pub(super) fn data_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let data = line.strip_prefix("data:").map_or(line, str::trim);
    let rest = ["event:", "id:", "retry:", ":", "[DONE]"];
    let is_rest = data.is_empty() || rest.iter().any(|field| data.starts_with(field));
    (!is_rest).then_some(data)
}

/// The answers that were streamed, each as it comes without a stream; `None` if anything else is
/// among the events.
pub(super) fn answers(value: &Value) -> Option<Value> {
    let events = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    let mut answers = Vec::new();
    let mut of_chunks = BTreeMap::new();
    for event in events.iter().filter(|event| !event.is_null()) {
        let kind = event.get("type").or_else(|| event.get("object"));
        match kind.and_then(Value::as_str).unwrap_or_default() {
            "chat.completion.chunk" => {
                let id = event.get("id").map(Value::to_string);
                let number = *of_chunks.entry(id).or_insert(answers.len());
                if number == answers.len() {
                    answers.push(json!({"choices": []}));
                }
                let whole = answers.get_mut(number);
                let whole = whole.and_then(|answer: &mut Value| answer.get_mut("choices"));
                grow(whole?, event.get("choices").unwrap_or(&Value::Null));
            }
            "message_start" => answers.push(json!([event.get("message")?])),
            "content_block_start" | "content_block_delta" => {
                if answers.is_empty() {
                    answers.push(json!([{"role": "assistant", "content": []}]));
                }
                let content = answers.last_mut()?.get_mut(0)?.get_mut("content")?;
                grow(content, &json!([part(event)?]));
            }
            "content_block_stop" | "message_delta" | "message_stop" | "ping" | "error" => {}
            "response.completed" | "response.incomplete" => {
                answers.push(event.get("response")?.clone());
            }
            kind if kind.starts_with("response.") => {}
            _ => return None,
        }
    }
    for choice in answers
        .iter_mut()
        .filter_map(|answer| answer.get_mut("choices"))
    {
        for choice in choice
            .as_array_mut()?
            .iter_mut()
            .filter_map(Value::as_object_mut)
        {
            let mut message = json!({"role": "assistant"});
            grow(&mut message, &choice.remove("delta").unwrap_or_default());
            choice.insert("message".into(), message);
        }
    }
    (!answers.is_empty()).then_some(Value::Array(answers))
}

/// What an event of Anthropic's adds to a block.
fn part(event: &Value) -> Option<Value> {
    let begun = event.get("content_block");
    let mut part = begun.or_else(|| event.get("delta"))?.as_object()?.clone();
    if begun.is_none() {
        part.remove("type");
    }
    if let Some(json) = part.remove("partial_json") {
        part.insert("input".into(), json);
    }
    part.insert("index".into(), event.get("index")?.clone());
    Some(Value::Object(part))
}

/// Adds what a chunk says: texts grow, and so do the entries of lists that have the same `index`.
fn grow(whole: &mut Value, more: &Value) {
    match (whole, more) {
        (_, Value::Null) => {}
        (Value::String(whole), Value::String(more)) => whole.push_str(more),
        (Value::Object(whole), Value::Object(more)) => {
            for (key, value) in more {
                let whole = whole.entry(key.as_str()).or_insert(Value::Null);
                if IN_PARTS.contains(&key.as_str()) || !whole.is_string() || whole == "" {
                    grow(whole, value);
                }
            }
        }
        (Value::Array(whole), Value::Array(more)) => {
            for entry in more {
                let index = entry.get("index");
                let mut open = whole.iter_mut().rev().take(MAX_OPEN);
                match open.find(|known| index.is_some() && known.get("index") == index) {
                    Some(known) => grow(known, entry),
                    None => whole.push(entry.clone()),
                }
            }
        }
        (whole, more) => *whole = more.clone(),
    }
}
