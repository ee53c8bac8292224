//! Small mistakes in the JSON of an answer, corrected by the schema of its ask. Rules are not bent:
//! what is corrected here has one possible meaning.

use serde_json::{Map, Value};

/// How deep an answer is corrected.
const DEPTH: usize = 16;

/// Corrects what a schema leaves no doubt about: unknown members are dropped where the schema is
/// closed, `null` counts as absent, a single value stands for a list of one, and a word of a closed
/// list may differ in case, width, quotes and a leading article, or be a part that only one of them
/// has. Returns whether anything changed.
pub(super) fn correct(value: &mut Value, schema: &Value) -> bool {
    correct_part(value, schema, DEPTH)
}

/// The names of the members that an answer has lost by being corrected.
pub(super) fn left_out(given: &Value, corrected: &Value) -> Vec<String> {
    let members = given.as_object().into_iter().flatten();
    let lost = members.filter(|(name, value)| !value.is_null() && corrected.get(name).is_none());
    lost.map(|(name, _)| name.clone()).collect()
}

fn correct_part(value: &mut Value, schema: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    if let Some(branch) = branch_for(value, schema) {
        return correct_part(value, branch, depth);
    }
    let wants_list = schema.get("type").and_then(Value::as_str) == Some("array");
    if wants_list && !value.is_array() && !value.is_null() {
        *value = Value::Array(vec![value.take()]);
        correct_part(value, schema, depth);
        return true;
    }
    match value {
        Value::String(text) => correct_word(text, schema),
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else {
                return false;
            };
            let items = items.iter_mut();
            items.fold(false, |changed, item| {
                correct_part(item, schema, depth) | changed
            })
        }
        Value::Object(members) => correct_members(members, schema, depth),
        _ => false,
    }
}

/// The branch of a union for values of this type; `None` if the schema is none.
fn branch_for<'s>(value: &Value, schema: &'s Value) -> Option<&'s Value> {
    let branches = schema.get("anyOf").or(schema.get("oneOf"))?.as_array()?;
    let kind = match value {
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        _ => return None,
    };
    let mut branches = branches.iter();
    branches.find(|branch| branch.get("type").and_then(Value::as_str) == Some(kind))
}

fn correct_members(members: &mut Map<String, Value>, schema: &Value, depth: usize) -> bool {
    let Some(known) = schema.get("properties").and_then(Value::as_object) else {
        return false;
    };
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let count = members.len();
    members.retain(|name, value| {
        let is_known = known.contains_key(name);
        !((value.is_null() && is_known) || (is_closed && !is_known))
    });
    let mut changed = members.len() < count;
    for (name, value) in members {
        if let Some(schema) = known.get(name) {
            changed |= correct_part(value, schema, depth);
        }
    }
    changed
}

/// Replaces a word by the only one of a closed list that it can mean.
fn correct_word(text: &mut String, schema: &Value) -> bool {
    let Some(listed) = schema.get("enum").and_then(Value::as_array) else {
        return false;
    };
    let listed = || listed.iter().filter_map(Value::as_str);
    if listed().any(|word| word == text) {
        return false;
    }
    let wanted = folded(text);
    let only = |is_meant: &dyn Fn(&str) -> bool| {
        let mut meant = listed().filter(|word| is_meant(&folded(word)));
        let word = meant.next();
        word.filter(|_| meant.next().is_none())
    };
    let word = only(&|word| word == wanted).or_else(|| only(&|word| is_part(&wanted, word)));
    if let Some(word) = word {
        *text = word.to_owned();
    }
    word.is_some()
}

/// Whether a text is a part of a name: whole words of it, or two Chinese characters or more.
fn is_part(part: &str, name: &str) -> bool {
    if part.is_ascii() {
        !part.is_empty() && format!(" {name} ").contains(&format!(" {part} "))
    } else {
        part.chars().count() > 1 && name.contains(part)
    }
}

/// A name without case, width, quotes around it and a leading article.
pub(crate) fn folded(name: &str) -> String {
    const AROUND: &[char] = &[
        '"', '\'', '`', '“', '”', '‘', '’', '「', '」', '『', '』', '《', '》', '*', '.', '。',
    ];
    let narrow = name.chars().map(|char| match char {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        char => char,
    });
    let name: String = narrow.flat_map(char::to_lowercase).collect();
    let is_around = |char: char| char.is_whitespace() || AROUND.contains(&char);
    let name = name.trim_matches(is_around);
    let articles = ["the ", "a ", "an "];
    let bare = articles
        .iter()
        .find_map(|article| name.strip_prefix(article));
    let words = bare.unwrap_or(name).split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        let name = json!({"type": "string", "enum": ["Bob", "The Rope Widow", "甲"]});
        json!({
            "type": "object",
            "properties": {
                "who": name,
                "all": {"type": "array", "items": name},
                "maybe": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"who": name}, "additionalProperties": false}]},
            },
            "additionalProperties": false,
        })
    }

    fn corrected(mut value: Value) -> Option<Value> {
        correct(&mut value, &schema()).then_some(value)
    }

    #[test]
    fn slips_with_one_meaning_are_corrected() {
        for (given, meant) in [
            (json!({"who": " “ＢＯＢ” "}), json!({"who": "Bob"})),
            (
                json!({"who": "rope  widow"}),
                json!({"who": "The Rope Widow"}),
            ),
            (json!({"who": "「甲」"}), json!({"who": "甲"})),
            (
                json!({"who": "the Widow"}),
                json!({"who": "The Rope Widow"}),
            ),
            (json!({"all": "bob"}), json!({"all": ["Bob"]})),
            (
                json!({"who": "Bob", "all": null, "mood": 3}),
                json!({"who": "Bob"}),
            ),
            (
                json!({"maybe": {"who": "the bob", "x": 1}}),
                json!({"maybe": {"who": "Bob"}}),
            ),
        ] {
            assert_eq!(corrected(given), Some(meant));
        }
    }

    #[test]
    fn what_is_right_or_means_nothing_stays() {
        for given in [
            json!({"who": "Bob", "all": ["Bob"]}),
            json!({"who": "Eve"}),
            json!([1, null]),
            json!("bob"),
        ] {
            assert_eq!(corrected(given), None);
        }
        let mut doubtful = json!("THE END");
        let schema = json!({"enum": ["The end", "end"]});
        assert!(!correct(&mut doubtful, &schema));
    }
}
