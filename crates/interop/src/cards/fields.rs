//! Members of cards as people's programs write them: null and numbers where texts should be, texts
//! where lists should be.

use serde_json::{Map, Value};

/// The members as the specifications have them.
pub(super) fn settled(mut data: Map<String, Value>) -> Map<String, Value> {
    for (name, value) in &mut data {
        *value = match name.as_str() {
            "alternate_greetings" | "tags" | "group_only_greetings" => match value.take() {
                Value::Array(items) => items.into_iter().filter_map(text_of).collect(),
                value => text_of(value)
                    .filter(|text| !text.is_empty())
                    .into_iter()
                    .collect(),
            },
            "extensions" if !value.is_object() => Value::Object(Map::new()),
            name if TEXTS.contains(&name) => text_of(value.take()).unwrap_or_default().into(),
            _ => continue,
        };
    }
    data
}

const TEXTS: [&str; 12] = [
    "name",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
    "nickname",
];

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
