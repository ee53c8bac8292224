//! Members of answers that are read from whatever JSON was written.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

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

/// A step up or down; 0 if there is none.
pub(super) fn step<'de, D: Deserializer<'de>>(value: D) -> Result<i8, D::Error> {
    let value = Value::deserialize(value)?;
    let step = match value.as_str() {
        Some(text) => text.trim().trim_start_matches('+').parse().unwrap_or(0),
        None => value.as_f64().unwrap_or_default().clamp(-9.0, 9.0) as i64,
    };
    Ok(step.signum() as i8)
}

/// Something with one member that says it all.
pub(super) trait Bare: DeserializeOwned {
    /// The member.
    const MEMBER: &'static str;
}

/// Such a thing, of which the member may stand alone: `"move": "Mill"` for `{"to": "Mill"}`.
pub(super) fn bare<'de, D: Deserializer<'de>, T: Bare>(value: D) -> Result<Option<T>, D::Error> {
    let value = match Value::deserialize(value)? {
        Value::Null => return Ok(None),
        Value::String(text) => json!({ T::MEMBER: text }),
        value => value,
    };
    let read = serde_json::from_value(value);
    read.map(Some).map_err(D::Error::custom)
}

/// Text; empty if there is none.
pub(super) fn words<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(value)? {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    })
}
