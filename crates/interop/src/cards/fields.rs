//! Members of cards as people's programs write them: null and numbers where texts should be, texts
//! where lists should be.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Value::deserialize(from).map(|value| text_of(value).unwrap_or_default())
}

pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Array(items) => items.into_iter().filter_map(text_of).collect(),
        value => text_of(value)
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect(),
    })
}

pub(super) fn members<'de, D: Deserializer<'de>>(from: D) -> Result<Map<String, Value>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Object(members) => members,
        _ => Map::new(),
    })
}

/// What was left out is no book.
pub(super) fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Ok(Some(Value::deserialize(from)?).filter(|value| !value.is_null()))
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Array(parts) => {
            let parts: Vec<_> = parts.into_iter().filter_map(text_of).collect();
            Some(parts.join("\n"))
        }
        Value::Null | Value::Object(_) => None,
    }
}
