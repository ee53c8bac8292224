//! Conversations as Python has them: a list of dictionaries, as OpenAI's chat format.

use std::borrow::Cow;

use playhouse::message::{Block, Role};
use playhouse::mind::{Prompt, Tools, TurnContent};
use playhouse::session::PromptMessage;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use pythonize::pythonize;
use serde_json::{Value, json};

/// What a mind is asked.
pub(crate) fn of_prompt<'py>(py: Python<'py>, prompt: &Prompt<'_>) -> PyResult<Bound<'py, PyList>> {
    let messages = PyList::empty(py);
    for turn in prompt.turns() {
        let text = || match (turn.shared_prefix, turn.content) {
            (None, TurnContent::Text(text)) => text.as_str().into(),
            _ => turn.to_text().into(),
        };
        add(&messages, turn.role, turn.speaker, turn.blocks(), text)?;
    }
    Ok(messages)
}

/// What was sent, or what an entity remembers.
pub(crate) fn of_request<'py>(
    py: Python<'py>,
    sent: &[PromptMessage],
) -> PyResult<Bound<'py, PyList>> {
    let messages = PyList::empty(py);
    for message in sent {
        let (speaker, text) = (message.speaker.as_deref(), || message.text.as_str().into());
        add(&messages, message.role, speaker, &message.blocks, text)?;
    }
    Ok(messages)
}

/// Tools as OpenAI's chat format describes them; `None` if none can be called.
pub(crate) fn of_tools<'py>(py: Python<'py>, tools: &Tools<'_>) -> PyResult<Bound<'py, PyAny>> {
    if !tools.callable || tools.specs.is_empty() {
        return Ok(py.None().into_bound(py));
    }
    let tools = tools.specs.iter().map(|spec| {
        let schema = serde_json::from_str::<Value>(spec.schema()).unwrap_or_default();
        json!({"name": spec.name(), "description": spec.description().as_str(), "parameters": schema})
    });
    of_value(py, &tools.collect())
}

/// JSON as Python has it, in a third of the time that pythonize and `json.loads` take.
pub(crate) fn of_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(values) => {
            let values = values.iter().map(|value| of_value(py, value));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for (name, value) in members {
                dict.set_item(PyString::intern(py, name), of_value(py, value)?)?;
            }
            dict.into_any()
        }
        value => pythonize(py, value)?,
    })
}

/// Adds a message; of results of tools, one for each.
fn add<'a>(
    messages: &Bound<'_, PyList>,
    role: Role,
    name: Option<&str>,
    blocks: &'a [Block],
    text: impl FnOnce() -> Cow<'a, str>,
) -> PyResult<()> {
    let py = messages.py();
    let add = |role: &Bound<'_, PyString>, content: &str| {
        let message = PyDict::new(py);
        message.set_item(intern!(py, "role"), role)?;
        message.set_item(intern!(py, "content"), content)?;
        messages.append(&message)?;
        PyResult::Ok(message)
    };
    let mut results = blocks.iter().filter_map(Block::as_tool_result).peekable();
    if results.peek().is_some() {
        return results.try_for_each(|result| {
            let message = add(intern!(py, "tool"), &result.text())?;
            message.set_item("tool_call_id", result.id)
        });
    }
    let calls = blocks.iter().filter_map(Block::as_tool_call).map(|call| {
        let function = json!({"name": call.name, "arguments": call.input.to_string()});
        json!({"id": call.id, "type": "function", "function": function})
    });
    let calls: Vec<_> = calls.collect();
    let content = match calls.is_empty() {
        true => text(),
        false => {
            let texts: Vec<_> = blocks.iter().filter_map(Block::as_text).collect();
            texts.join("\n").into()
        }
    };
    let role = match role {
        Role::System => intern!(py, "system"),
        Role::Human => intern!(py, "user"),
        Role::Ai => intern!(py, "assistant"),
        Role::Tool => intern!(py, "tool"),
    };
    let message = add(role, &content)?;
    if let Some(name) = name {
        message.set_item(intern!(py, "name"), name)?;
    }
    if !calls.is_empty() {
        message.set_item("tool_calls", of_value(py, &calls.into())?)?;
    }
    Ok(())
}
