//! JSON as guards leave its texts.

use serde_json::{Map, Value};

/// Lets a judge look at every text of a value, names of members and numbers included; `judge` gives what is
/// left of a text that it changed. Says whether anything was changed.
pub(super) fn guard_texts(
    json: &mut Value,
    judge: &mut impl FnMut(&str) -> Option<String>,
) -> bool {
    // What was read as JSON is at most 128 deep.
    match json {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => {
            let left = judge(&number.to_string());
            replace(json, left)
        }
        Value::String(text) => {
            let left = judge(text);
            replace(json, left)
        }
        Value::Array(all) => {
            let all = all.iter_mut();
            all.fold(false, |changed, one| guard_texts(one, judge) | changed)
        }
        Value::Object(members) => guard_members(members, judge),
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
    judge: &mut impl FnMut(&str) -> Option<String>,
) -> bool {
    let mut changed = false;
    let mut left = Map::new();
    for (name, mut value) in std::mem::take(members) {
        changed |= guard_texts(&mut value, judge);
        let other = judge(&name);
        changed |= other.is_some();
        left.insert(other.unwrap_or(name), value);
    }
    *members = left;
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_text_of_json_is_judged() {
        let mut judge = |text: &str| text.contains("red").then(|| text.replace("red", "blue"));
        let mut json = json!({"a": ["red", {"red hat": 1}], "b": null});
        assert!(guard_texts(&mut json, &mut judge));
        assert_eq!(json, json!({"a": ["blue", {"blue hat": 1}], "b": null}));
        assert!(!guard_texts(&mut json, &mut judge));
        let mut judge = |text: &str| (text == "7").then(|| "?".to_owned());
        let mut json = json!([7, 77, true]);
        assert!(guard_texts(&mut json, &mut judge));
        assert_eq!(json, json!(["?", 77, true]));
    }
}
