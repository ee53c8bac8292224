//! Conversations as Python has them: a list of dictionaries, as OpenAI's chat format.

use std::borrow::Cow;

use playhouse::context::AgentContext;
use playhouse::message::{Block, Role};
use playhouse::mind::{Prompt, Tools, TurnContent};
use playhouse::session::{PromptMessage, messages_of};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::Value;

fn role_name(py: Python<'_>, role: Role) -> &Bound<'_, PyString> {
    match role {
        Role::System => intern!(py, "system"),
        Role::Human => intern!(py, "user"),
        Role::Ai => intern!(py, "assistant"),
        Role::Tool => intern!(py, "tool"),
    }
}

/// What a mind is asked.
pub(crate) fn of_prompt<'py>(py: Python<'py>, prompt: &Prompt<'_>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for turn in prompt.turns() {
        add(&list, turn.role, turn.speaker, turn.blocks(), || {
            match (turn.shared_prefix, turn.content) {
                (None, TurnContent::Text(text)) => text.as_str().into(),
                _ => turn.to_text().into(),
            }
        })?;
    }
    Ok(list)
}

/// What an entity remembers.
pub(crate) fn of_context<'py>(
    py: Python<'py>,
    context: &AgentContext,
) -> PyResult<Bound<'py, PyList>> {
    of_request(py, &messages_of(context))
}

/// What was sent.
pub(crate) fn of_request<'py>(
    py: Python<'py>,
    messages: &[PromptMessage],
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for message in messages {
        let speaker = message.speaker.as_deref();
        add(&list, message.role, speaker, &message.blocks, || {
            message.text.as_str().into()
        })?;
    }
    Ok(list)
}

/// Tools as OpenAI's chat format describes them; `None` if none can be called.
pub(crate) fn of_tools<'py>(py: Python<'py>, tools: &Tools<'_>) -> PyResult<Bound<'py, PyAny>> {
    if !tools.callable || tools.specs.is_empty() {
        return Ok(py.None().into_bound(py));
    }
    let list = PyList::empty(py);
    for spec in tools.specs {
        let tool = PyDict::new(py);
        tool.set_item("name", spec.name())?;
        tool.set_item("description", spec.description().as_str())?;
        tool.set_item("parameters", of_json(py, spec.schema())?)?;
        list.append(tool)?;
    }
    Ok(list.into_any())
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

fn add<'t>(
    list: &Bound<'_, PyList>,
    role: Role,
    speaker: Option<&str>,
    blocks: &[Block],
    text: impl Fn() -> Cow<'t, str>,
) -> PyResult<()> {
    let py = list.py();
    let results = blocks.iter().filter_map(|block| match block {
        Block::ToolResult {
            tool_use_id,
            output,
            ..
        } => Some((tool_use_id, output)),
        _ => None,
    });
    let mut is_result = false;
    for (id, output) in results {
        is_result = true;
        let message = message(py, Role::Tool, &words(output))?;
        message.set_item(intern!(py, "tool_call_id"), id)?;
        list.append(message)?;
    }
    if is_result {
        return Ok(());
    }
    let calls: Vec<_> = blocks.iter().filter_map(|block| call(py, block)).collect();
    let said = if calls.is_empty() {
        text()
    } else {
        let texts = blocks.iter().filter_map(|block| match block {
            Block::Text { text } => Some(&**text),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n").into()
    };
    let message = message(py, role, &said)?;
    if let Some(speaker) = speaker {
        message.set_item(intern!(py, "name"), speaker)?;
    }
    if !calls.is_empty() {
        let calls = calls.into_iter().collect::<PyResult<Vec<_>>>()?;
        message.set_item(intern!(py, "tool_calls"), calls)?;
    }
    list.append(message)
}

fn message<'py>(py: Python<'py>, role: Role, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let message = PyDict::new(py);
    message.set_item(intern!(py, "role"), role_name(py, role))?;
    message.set_item(intern!(py, "content"), text)?;
    Ok(message)
}

fn call<'py>(py: Python<'py>, block: &Block) -> Option<PyResult<Bound<'py, PyDict>>> {
    let Block::ToolUse {
        id, name, input, ..
    } = block
    else {
        return None;
    };
    let made = || {
        let function = PyDict::new(py);
        function.set_item("name", name)?;
        function.set_item("arguments", input.to_string())?;
        let call = PyDict::new(py);
        call.set_item("id", id)?;
        call.set_item("type", "function")?;
        call.set_item("function", function)?;
        Ok(call)
    };
    Some(made())
}

fn words(output: &Value) -> String {
    output
        .as_str()
        .map_or_else(|| output.to_string(), str::to_owned)
}
