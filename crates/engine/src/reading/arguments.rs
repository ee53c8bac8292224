//! The arguments of tool calls, and their repair.
//!
//! Providers send arguments as a text that should be a JSON object. What has one meaning is
//! repaired, and a text that was cut off (the answer ran into its token limit) is completed, after
//! dropping a last member without a value; anything else that is not an object is replaced by an
//! empty one, and reported.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{find_json, json_at};
use crate::locale::{Localize, UiText};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// The arguments by name.
    pub input: Map<String, Value>,
    pub repair: ArgumentsRepair,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ArgumentsRepair {
    /// Not at all: they are as they came.
    #[default]
    None,
    /// They were not quite JSON, or cut off. What was missing was added, and a last member
    /// without a value dropped.
    Completed,
    /// They were not an object and were replaced by an empty one.
    Discarded(ArgumentsError),
}

/// Why arguments were discarded.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum ArgumentsError {
    #[text(dialect_arguments_not_json)]
    NotJson {
        /// What the parser says.
        reason: UiText,
    },
    #[text(dialect_arguments_list)]
    List,
    #[text(dialect_arguments_text)]
    Text,
    #[text(dialect_arguments_number)]
    Number,
    /// They are `true`, `false` or `null`.
    #[text(dialect_arguments_other_value)]
    OtherValue,
}

impl Arguments {
    /// Reads the text of a call's arguments. An empty text means no arguments.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() {
            return Self::default();
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(input)) => Self::unchanged(input),
            Ok(Value::String(inner)) if inner.trim_start().starts_with('{') => {
                Self::from_text(&inner)
            }
            Ok(other) => Self::discarded(&other),
            Err(error) => Self::repaired(text).unwrap_or_else(|| Self::not_json(error.text())),
        }
    }

    /// The object that a text means. Some servers send it twice.
    fn repaired(text: &str) -> Option<Self> {
        let found = find_json(text).ok()?;
        let first = found.verbatim.unwrap_or(text);
        let rest = text.split_once(first).map_or("", |(_, rest)| rest);
        let second = json_at(rest.trim_start()).map(|(value, _)| value);
        let is_other = second.is_some_and(|second| second.is_object() && second != found.value);
        match found.value {
            Value::Object(input) if !is_other => Some(Self {
                input,
                repair: ArgumentsRepair::Completed,
            }),
            _ => None,
        }
    }

    /// Reads arguments that are JSON already: an object, or the text of one.
    pub fn from_json(value: &Value) -> Self {
        match value {
            Value::Null => Self::default(),
            Value::Object(input) => Self::unchanged(input.clone()),
            Value::String(text) => Self::from_text(text),
            other => Self::discarded(other),
        }
    }

    fn not_json(reason: UiText) -> Self {
        Self {
            input: Map::new(),
            repair: ArgumentsRepair::Discarded(ArgumentsError::NotJson { reason }),
        }
    }

    fn unchanged(input: Map<String, Value>) -> Self {
        Self {
            input,
            repair: ArgumentsRepair::None,
        }
    }

    fn discarded(value: &Value) -> Self {
        let error = match value {
            Value::Array(_) => ArgumentsError::List,
            Value::String(_) => ArgumentsError::Text,
            Value::Number(_) => ArgumentsError::Number,
            _ => ArgumentsError::OtherValue,
        };
        Self {
            input: Map::new(),
            repair: ArgumentsRepair::Discarded(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> (Value, ArgumentsRepair) {
        let arguments = Arguments::from_text(text);
        (Value::Object(arguments.input), arguments.repair)
    }

    #[test]
    fn complete_arguments_are_unchanged() {
        assert_eq!(read("{\"a\": 1}"), (json!({"a": 1}), ArgumentsRepair::None));
        assert_eq!(read(" \n"), (json!({}), ArgumentsRepair::None));
        assert_eq!(
            read("\"{\\\"a\\\": 1}\""),
            (json!({"a": 1}), ArgumentsRepair::None)
        );
        let tag = "{\"note\": \"<think>no thought</think>\"}";
        assert_eq!(read(tag).0, json!({"note": "<think>no thought</think>"}));
    }

    #[test]
    fn a_missing_end_is_added() {
        for (text, whole) in [
            ("{\"a\": 1", json!({"a": 1})),
            ("{", json!({})),
            (
                "{\"a\": {\"b\": [1, {\"c\": \"城",
                json!({"a": {"b": [1, {"c": "城"}]}}),
            ),
            ("{\"a\": 1, ", json!({"a": 1})),
            ("{\"a\": 1, \"b", json!({"a": 1})),
            ("{\"a\": 1, \"b\":", json!({"a": 1})),
            ("{\"a\": 1, \"b\": tru", json!({"a": 1})),
            ("{\"a\": \"x\\", json!({"a": "x"})),
            ("{\"a\": \"x\\u4f", json!({"a": "x"})),
            ("{\"a\": \"{[\\\"", json!({"a": "{[\""})),
            // What is wrong in another way, too.
            ("{\"a\": 1,}", json!({"a": 1})),
            ("{'a': True}", json!({"a": true})),
            ("{\"a\": 1}}", json!({"a": 1})),
            ("{\"a\": 1}{\"a\": 1}", json!({"a": 1})),
            ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
        ] {
            assert_eq!(read(text), (whole, ArgumentsRepair::Completed), "{text}");
        }
    }

    #[test]
    fn anything_but_an_object_is_discarded_and_reported() {
        for (text, why) in [
            ("[1,2]", "a list"),
            ("[1,2", "not JSON"),
            ("7", "a number"),
            ("\"words\"", "a text"),
            ("{\"a\": 1}{\"a\": 2}", "not JSON"),
            ("{\"a\": 1]", "not JSON"),
            ("roll the dice", "not JSON"),
        ] {
            let (input, repair) = read(text);
            assert_eq!(input, json!({}));
            let ArgumentsRepair::Discarded(error) = repair else {
                panic!("{text}: {repair:?}");
            };
            assert!(error.to_string().contains(why), "{text}: {error}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a\"\\\\城\n{}\\[\\],:]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"\\\\]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn an_object_cut_anywhere_keeps_its_complete_members(
            members in prop::collection::btree_map("[a-c]{1,3}", any_json(), 0..5), cut in 1usize..200,
        ) {
            let whole = json!(members);
            let text = whole.to_string();
            let end = (0..=cut.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
            let arguments = Arguments::from_text(&text[..end.unwrap_or_default()]);
            prop_assert!(!matches!(arguments.repair, ArgumentsRepair::Discarded(_)));
            // All members but the last that arrived are as they were.
            for (key, value) in arguments.input.iter().rev().skip(1) {
                prop_assert_eq!(Some(value), whole.get(key));
            }
        }

        #[test]
        fn any_text_gives_an_object(text in "\\PC{0,60}") {
            let _ = Arguments::from_text(&text);
        }
    }
}
