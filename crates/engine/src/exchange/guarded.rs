//! JSON with its texts as guards leave them.

use serde_json::{Map, Value};

/// Which parts of JSON are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    Texts,
    /// Texts, names of members and numbers.
    All,
}

/// Passes parts of a value to `judge`, which returns the new text if it changes one. Returns
/// whether anything changed.
pub(super) fn guard_json(
    json: &mut Value,
    parts: Parts,
    judge: &mut impl FnMut(&str) -> Option<String>,
) -> bool {
    // What was read as JSON is at most 128 deep.
    match json {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) if parts == Parts::Texts => false,
        Value::Number(number) => {
            let left = judge(&number.to_string());
            replace(json, left)
        }
        Value::String(text) => {
            let left = judge(text);
            replace(json, left)
        }
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| {
            guard_json(item, parts, judge) | changed
        }),
        Value::Object(members) => guard_members(members, parts, judge),
    }
}

fn replace(json: &mut Value, left: Option<String>) -> bool {
    let changed = left.is_some();
    if let Some(left) = left {
        *json = Value::String(left);
    }
    changed
}

fn guard_members(
    members: &mut Map<String, Value>,
    parts: Parts,
    judge: &mut impl FnMut(&str) -> Option<String>,
) -> bool {
    let mut changed = false;
    let mut left = Map::new();
    for (name, mut value) in std::mem::take(members) {
        changed |= guard_json(&mut value, parts, judge);
        let new_name = (parts == Parts::All).then(|| judge(&name)).flatten();
        changed |= new_name.is_some();
        left.insert(new_name.unwrap_or(name), value);
    }
    *members = left;
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn without(word: &str) -> impl FnMut(&str) -> Option<String> {
        move |text| text.contains(word).then(|| text.replace(word, "?"))
    }

    #[test]
    fn texts_are_judged_and_names_and_numbers_if_wanted() {
        let whole = json!({"a": ["7 up", {"b7": 71}], "c": null, "d": true});
        let mut json = whole.clone();
        assert!(guard_json(&mut json, Parts::Texts, &mut without("7")));
        assert_eq!(
            json,
            json!({"a": ["? up", {"b7": 71}], "c": null, "d": true})
        );
        let mut json = whole.clone();
        assert!(guard_json(&mut json, Parts::All, &mut without("7")));
        assert_eq!(
            json,
            json!({"a": ["? up", {"b?": "?1"}], "c": null, "d": true})
        );
        assert!(!guard_json(&mut json, Parts::All, &mut without("7")));
    }
}
