//! Members of answers that are read from whatever JSON was written.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::exchange::folded;

/// A yes.
pub(super) fn truth<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(value)? {
        Value::Bool(is) => is,
        Value::String(text) => matches!(folded(&text).as_str(), "true" | "yes" | "是"),
        _ => false,
    })
}

/// A number; 0 if there is none.
pub(super) fn number<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(value)?;
    let digits = value.as_str().unwrap_or_default();
    let digits = digits.trim_matches(|char: char| !char.is_ascii_digit());
    Ok(value.as_u64().or(digits.parse().ok()).unwrap_or_default())
}

/// Text; empty if there is none.
pub(super) fn words<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(value)? {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    })
}
