//! The error within a server's response.

use serde_json::Value;

/// The error that a response holds, if it is one: the member `error` of most servers, FastAPI's
/// `detail`, DashScope's `code` with a `message`; each maybe in a list, as Gemini sends it.
pub(super) fn find_error(response: &Value) -> Option<&Value> {
    let response = match response {
        Value::Array(list) => list.first()?,
        value => value,
    };
    let members = [&response["error"], &response["detail"]];
    let named = members.into_iter().find(|member| !member.is_null());
    let is_error = response["code"].is_string()
        && response["message"].is_string()
        && response["output"].is_null();
    named.or(Some(response).filter(|_| is_error))
}

/// The message of an error, or all of it.
pub(super) fn error_message(error: &Value) -> String {
    let message = [error, &error["message"], &error["error"]];
    match message.iter().find_map(|value| value.as_str()) {
        Some(text) => text.into(),
        None => validation_errors(error).unwrap_or_else(|| error.to_string()),
    }
}

/// FastAPI's validation errors:
/// `[{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]`.
fn validation_errors(error: &Value) -> Option<String> {
    let message = |error: &Value| {
        let steps = error["loc"].as_array()?.iter();
        let steps = steps.map(|step| match step.as_str() {
            Some(name) => name.to_owned(),
            None => step.to_string(),
        });
        let path = steps.collect::<Vec<_>>().join(".");
        Some(format!("{path}: {}", error["msg"].as_str()?))
    };
    let messages: Option<Vec<_>> = error.as_array()?.iter().map(message).collect();
    let messages = messages.filter(|messages| !messages.is_empty())?;
    Some(messages.join("; "))
}
