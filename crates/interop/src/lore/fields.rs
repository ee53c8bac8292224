//! The members of an entry under any of the names that programs give them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The members of an entry. Those in its `extensions` come first, since programs keep there what
/// they mean.
pub(super) struct Fields<'v>(BTreeMap<String, &'v Value>);

impl<'v> Fields<'v> {
    pub(super) fn of(entry: &'v Map<String, Value>) -> Self {
        let extensions = entry.get("extensions").and_then(Value::as_object);
        let all = entry.iter().chain(extensions.into_iter().flatten());
        let known = all.filter(|(_, value)| !value.is_null());
        Self(known.map(|(name, value)| (folded(name), value)).collect())
    }

    fn get(&self, names: &[&str]) -> Option<&'v Value> {
        names.iter().find_map(|name| self.0.get(*name).copied())
    }

    pub(super) fn text(&self, names: &[&str]) -> &'v str {
        self.get(names).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn truth(&self, names: &[&str]) -> Option<bool> {
        match self.get(names)? {
            Value::Bool(truth) => Some(*truth),
            Value::Number(number) => number.as_f64().map(|number| number != 0.0),
            _ => None,
        }
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.truth(&[name]) == Some(true)
    }

    pub(super) fn number(&self, names: &[&str]) -> Option<i64> {
        match self.get(names)? {
            Value::Number(number) => number.as_f64().map(|number| number as i64),
            Value::String(text) => text.trim().parse().ok(),
            Value::Bool(truth) => Some((*truth).into()),
            _ => None,
        }
    }

    /// A number of at least 0.
    pub(super) fn count(&self, names: &[&str]) -> Option<u32> {
        let number = self.number(names)?;
        Some(number.clamp(0, u32::MAX.into()) as u32)
    }

    /// A list of texts, or a text with commas.
    pub(super) fn texts(&self, names: &[&str]) -> Vec<String> {
        let texts: Vec<&str> = match self.get(names) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            // A comma in a pattern separates nothing.
            Some(Value::String(text)) if text.starts_with('/') => vec![text],
            Some(Value::String(text)) => text.split([',', '，']).collect(),
            _ => Vec::new(),
        };
        let texts = texts.into_iter().map(str::trim);
        let texts = texts.filter(|text| !text.is_empty());
        texts.map(str::to_owned).collect()
    }

    pub(super) fn object(&self, names: &[&str]) -> Option<Self> {
        Some(Self::of(self.get(names)?.as_object()?))
    }
}

/// `scanDepth` and `scan_depth` are one name.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|char| *char != '_');
    letters.map(|char| char.to_ascii_lowercase()).collect()
}
