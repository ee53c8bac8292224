//! The interchange form of a context: `{"name": "...", "context": [...]}`.

use serde_json::{Value, json};

use super::AgentContext;
use crate::locale::{Localize, text};
use crate::message::{FormatError, message_from_json, message_to_json};

/// Writes a context in the interchange form.
pub fn context_to_json(context: &AgentContext) -> Value {
    let messages = context.messages();
    let list: Vec<_> = messages
        .map(|held| message_to_json(&held.message))
        .collect();
    json!({"name": context.name().as_ref(), "context": list})
}

/// Reads a context in the interchange form. Null entries are skipped; unknown tags are kept.
///
/// # Errors
/// The path of the first invalid member, and how to fix it.
pub fn context_from_json(value: &Value) -> Result<AgentContext, FormatError> {
    let name = value
        .get("name")
        .and_then(Value::as_str)
        .ok_or_else(|| FormatError::new("name", text!(context_without_name)))?;
    let messages = value
        .get("context")
        .and_then(Value::as_array)
        .ok_or_else(|| FormatError::new("context", text!(context_without_messages)))?;
    let mut context = AgentContext::new(name);
    for (index, value) in messages.iter().enumerate() {
        if value.is_null() {
            continue;
        }
        let path = format!("context[{index}]");
        let message = message_from_json(value).map_err(|error| error.nested_in(&path))?;
        context
            .add_message(message)
            .map_err(|error| FormatError::new(path, error.text()))?;
    }
    Ok(context)
}
