//! Answers that were saved as they were streamed: chunks of chat completions and of Gemini, events
//! of Anthropic's messages and of Responses, as lines, as a list, or as server-sent events. What
//! came of one that was cut off is read, too.

use std::collections::BTreeMap;

use playhouse_engine::locale::text;
use playhouse_engine::message::FormatError;
use serde_json::{Map, Value, json};

use super::gemini;

/// The members whose texts come in parts; others are told once.
const IN_PARTS: [&str; 9] = [
    "content", "reasoning_content", "reasoning", "refusal", "arguments", "text", "thinking",
    "signature", "input",
];

/// The member with the number of an entry.
const INDEX: &str = "index";

/// Among so many entries of a list, the one that a chunk continues is looked for.
pub(super) const MAX_OPEN: usize = 256;

/// What a line says: itself, or the data of a server-sent event. `None` for the rest of an event.
pub(super) fn data_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let data = line.strip_prefix("data:").map_or(line, str::trim);
    let rest = ["event:", "id:", "retry:", ":", "[DONE]"];
    let is_rest = data.is_empty() || rest.iter().any(|field| data.starts_with(field));
    (!is_rest).then_some(data)
}

/// An answer of which events have told.
pub(super) struct Streamed {
    /// As it comes without a stream.
    pub(super) answer: Value,
    /// Whether it has ended.
    pub(super) is_whole: bool,
}

/// The answers that were streamed, each as it comes without a stream; `None` if anything else is
/// among the events. Those that were cut off have a warning.
pub(super) fn answers(value: &Value, warnings: &mut Vec<FormatError>) -> Option<Value> {
    let events = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    let events: Vec<_> = events.iter().filter(|event| !event.is_null()).collect();
    let streamed = gemini::streamed(&events).or_else(|| of_events(&events))?;
    let cut = streamed.iter().enumerate().filter(|(_, one)| !one.is_whole);
    warnings.extend(
        cut.map(|(number, _)| FormatError::new(format!("[{number}]"), text!(dialect_stream_cut))),
    );
    Some(streamed.into_iter().map(|one| one.answer).collect())
}

fn of_events(events: &[&Value]) -> Option<Vec<Streamed>> {
    let mut streamed = Vec::new();
    let mut of_chunks = BTreeMap::new();
    for event in events {
        let kind = event.get("type").or_else(|| event.get("object"));
        match kind.and_then(Value::as_str).unwrap_or_default() {
            "chat.completion.chunk" => {
                let id = event.get("id").map(Value::to_string);
                let number = *of_chunks.entry(id).or_insert(streamed.len());
                if number == streamed.len() {
                    streamed.push(Streamed::begun(json!({"choices": []})));
                }
                let choices = streamed.get_mut(number)?.answer.get_mut("choices")?;
                grow(choices, event.get("choices").unwrap_or(&Value::Null));
            }
            "message_start" => {
                let message = event.get("message")?;
                let (role, content) = (message.get("role"), message.get("content"));
                let said = json!([{"role": role, "content": content}]);
                streamed.push(Streamed::begun(said));
            }
            "content_block_start" | "content_block_delta" => {
                let nothing = json!([{"role": "assistant", "content": []}]);
                let one = Streamed::open(&mut streamed, nothing)?;
                let content = one.answer.get_mut(0)?.get_mut("content")?;
                grow(content, &json!([part(event)?]));
            }
            "message_delta" | "message_stop" => {
                let reason = event.pointer("/delta/stop_reason");
                if let Some(one) = streamed.last_mut() {
                    one.is_whole |= event.get("delta").is_none() || is_given(reason);
                }
            }
            "content_block_stop" | "ping" | "error" => {}
            "response.created" => {
                let response = event.get("response").and_then(Value::as_object);
                let mut response = response.cloned().unwrap_or_default();
                response.insert("output".into(), json!([]));
                streamed.push(Streamed::begun(response.into()));
            }
            "response.completed" | "response.incomplete" => {
                let one = Streamed::open(&mut streamed, Value::Null)?;
                one.answer = event.get("response")?.clone();
                one.is_whole = true;
            }
            kind if kind.starts_with("response.") => {
                let Some(item) = item(kind, event) else {
                    continue;
                };
                let one = Streamed::open(&mut streamed, json!({"output": []}))?;
                let items = one.answer.get_mut("output")?.as_array_mut()?;
                let known = items.iter_mut().rev().take(MAX_OPEN);
                let mut known = known.filter(|known| known.get(INDEX) == item.get(INDEX));
                match known.next() {
                    Some(known) if kind.ends_with(".done") => *known = item,
                    Some(known) => grow(known, &item),
                    None => items.push(item),
                }
            }
            _ => return None,
        }
    }
    streamed.iter_mut().for_each(Streamed::settle);
    (!streamed.is_empty()).then_some(streamed)
}

impl Streamed {
    fn begun(answer: Value) -> Self {
        Self {
            answer,
            is_whole: false,
        }
    }

    /// The one that is being told; if its beginning is missing, this.
    fn open(streamed: &mut Vec<Self>, beginning: Value) -> Option<&mut Self> {
        if streamed.last().is_none_or(|last| last.is_whole) {
            streamed.push(Self::begun(beginning));
        }
        streamed.last_mut()
    }

    /// Spells what was put together as an answer that was not streamed.
    fn settle(&mut self) {
        fn objects<'a>(answer: &'a mut Value, list: &str) -> Vec<&'a mut Map<String, Value>> {
            let list = answer.get_mut(list).and_then(Value::as_array_mut);
            let entries = list.into_iter().flatten();
            entries.filter_map(Value::as_object_mut).collect()
        }
        for item in objects(&mut self.answer, "output") {
            item.remove(INDEX);
        }
        let choices = objects(&mut self.answer, "choices");
        let all_end = |choices: &[&mut Map<_, _>]| {
            let mut reasons = choices.iter().map(|choice| choice.get("finish_reason"));
            !choices.is_empty() && reasons.all(is_given)
        };
        self.is_whole |= all_end(&choices);
        for choice in choices {
            let mut message = json!({"role": "assistant"});
            grow(&mut message, &choice.remove("delta").unwrap_or_default());
            choice.insert("message".into(), message);
        }
    }
}

fn is_given(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

/// What an event of Responses adds to an item.
fn item(kind: &str, event: &Value) -> Option<Value> {
    // What tells it, the kind of the item, and its list with the kind of part that grows, or its
    // member.
    const DELTAS: [(&str, &str, &str, &str); 6] = [
        ("output_text", "message", "content", "output_text"),
        ("refusal", "message", "content", "refusal"),
        ("reasoning_text", "reasoning", "content", "reasoning_text"),
        (
            "reasoning_summary_text",
            "reasoning",
            "summary",
            "summary_text",
        ),
        ("function_call_arguments", "function_call", "arguments", ""),
        ("custom_tool_call_input", "custom_tool_call", "input", ""),
    ];
    let kind = kind.strip_prefix("response.")?;
    let mut item = if let "output_item.added" | "output_item.done" = kind {
        event.get("item")?.clone()
    } else {
        let told = kind.strip_suffix(".delta")?;
        let (_, kind, list, part) = DELTAS.iter().find(|(delta, ..)| *delta == told)?;
        let delta = event.get("delta")?;
        let text = if *part == "refusal" { part } else { "text" };
        let index = event
            .get("content_index")
            .or_else(|| event.get("summary_index"));
        let more = match *part {
            "" => delta.clone(),
            part => json!([{"type": part, text: delta, INDEX: index}]),
        };
        let mut item = json!({"type": kind, *list: more});
        if *kind == "message" {
            item["role"] = "assistant".into();
        }
        item
    };
    let index = event.get("output_index").cloned();
    item.as_object_mut()?.insert(INDEX.into(), index.into());
    Some(item)
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
    part.insert(INDEX.into(), event.get(INDEX)?.clone());
    Some(Value::Object(part))
}

/// Adds what a chunk says: texts grow, and so do the entries of lists that have the same number.
pub(super) fn grow(whole: &mut Value, more: &Value) {
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
                let index = entry.get(INDEX);
                let mut open = whole.iter_mut().rev().take(MAX_OPEN);
                match open.find(|known| index.is_some() && known.get(INDEX) == index) {
                    Some(known) => grow(known, entry),
                    None => whole.push(entry.clone()),
                }
            }
        }
        (whole, more) => *whole = more.clone(),
    }
}
