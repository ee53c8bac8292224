//! Records for programs.

use serde::Serialize;
use serde_json::{Value, json};

/// A record of this kind with the members of a value.
pub(crate) fn record(kind: &str, value: &impl Serialize) -> Value {
    joined([json!({"record": kind}), json!(value)])
}

/// One object with the members of all parts.
pub(crate) fn joined(parts: impl IntoIterator<Item = Value>) -> Value {
    let members = parts.into_iter().filter_map(|part| match part {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Value::Object(members.flatten().collect())
}
