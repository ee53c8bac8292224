//! Conversations as Python has them: a list of dictionaries, as OpenAI's chat format.

use std::borrow::Cow;

use playhouse::context::AgentContext;
use playhouse::message::{Block, Role};
use playhouse::mind::{Prompt, Tools, TurnContent};
use playhouse::session::{PromptMessage, messages_of};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pythonize::pythonize;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Value>,
}

/// What a mind is asked.
pub(crate) fn of_prompt<'py>(py: Python<'py>, prompt: &Prompt<'_>) -> PyResult<Bound<'py, PyAny>> {
    let turns = prompt.turns().flat_map(|turn| {
        let text = move || match (turn.shared_prefix, turn.content) {
            (None, TurnContent::Text(text)) => text.as_str().into(),
            _ => turn.to_text().into(),
        };
        chat(turn.role, turn.speaker, turn.blocks(), text)
    });
    Ok(pythonize(py, &turns.collect::<Vec<_>>())?)
}

/// What an entity remembers.
pub(crate) fn of_context<'py>(
    py: Python<'py>,
    context: &AgentContext,
) -> PyResult<Bound<'py, PyAny>> {
    of_request(py, &messages_of(context))
}

/// What was sent.
pub(crate) fn of_request<'py>(
    py: Python<'py>,
    messages: &[PromptMessage],
) -> PyResult<Bound<'py, PyAny>> {
    let messages = messages.iter().flat_map(|message| {
        let (role, speaker) = (message.role, message.speaker.as_deref());
        chat(role, speaker, &message.blocks, || {
            message.text.as_str().into()
        })
    });
    Ok(pythonize(py, &messages.collect::<Vec<_>>())?)
}

/// Tools as OpenAI's chat format describes them; `None` if none can be called.
pub(crate) fn of_tools<'py>(py: Python<'py>, tools: &Tools<'_>) -> PyResult<Bound<'py, PyAny>> {
    if !tools.callable || tools.specs.is_empty() {
        return Ok(py.None().into_bound(py));
    }
    let tools = tools.specs.iter().map(|spec| {
        let [name, about] = [spec.name(), spec.description().as_str()].map(|text| json!(text));
        let schema = spec.schema();
        format!(r#"{{"name":{name},"description":{about},"parameters":{schema}}}"#)
    });
    of_json(py, &format!("[{}]", tools.collect::<Vec<_>>().join(",")))
}

/// JSON as Python reads it, which takes a fifth of the time of making objects one by one. Without
/// what `json.loads` does around its reader, a schema takes two thirds.
fn of_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    static READER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let reader = READER.get_or_try_init(py, || {
        let decoder = py.import("json")?.call_method0("JSONDecoder")?;
        decoder.getattr("scan_once").map(Bound::unbind)
    })?;
    reader.bind(py).call1((json, 0))?.get_item(0)
}

pub(crate) fn of_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    // Faster than `Display`. A value can't fail to be written.
    of_json(py, &serde_json::to_string(value).unwrap_or_default())
}

/// A message; of results of tools, one for each.
fn chat<'a>(
    role: Role,
    name: Option<&'a str>,
    blocks: &'a [Block],
    text: impl FnOnce() -> Cow<'a, str>,
) -> Vec<ChatMessage<'a>> {
    let results = blocks.iter().filter_map(Block::as_tool_result);
    let results: Vec<_> = results
        .map(|result| ChatMessage {
            role: "tool",
            content: result.text(),
            name: None,
            tool_call_id: Some(result.id),
            tool_calls: Vec::new(),
        })
        .collect();
    if !results.is_empty() {
        return results;
    }
    let calls = blocks.iter().filter_map(Block::as_tool_call);
    let tool_calls: Vec<_> = calls
        .map(|call| {
            let function = json!({"name": call.name, "arguments": call.input.to_string()});
            json!({"id": call.id, "type": "function", "function": function})
        })
        .collect();
    let content = if tool_calls.is_empty() {
        text()
    } else {
        let texts: Vec<_> = blocks.iter().filter_map(Block::as_text).collect();
        texts.join("\n").into()
    };
    vec![ChatMessage {
        role: match role {
            Role::System => "system",
            Role::Human => "user",
            Role::Ai => "assistant",
            Role::Tool => "tool",
        },
        content,
        name,
        tool_call_id: None,
        tool_calls,
    }]
}
