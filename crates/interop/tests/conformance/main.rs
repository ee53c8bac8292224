//! Behaviour agreed on with other frameworks, case by case; the cases stand beside this file.
//!
//! Values are compared by structure: the order of members is free, that of lists is not, and a text
//! named `arguments` is read as JSON first, because its spaces are nobody's business.
#![expect(clippy::unwrap_used, reason = "tests")]

mod blocks;
mod dialects;
mod formats;
mod runner;

use serde_json::Value;

use runner::{Operation, Runner};

fn unequal(expected: &Value, got: &Value) -> Option<String> {
    let [expected, got] = [expected, got].map(|value| comparable(value.clone()));
    (expected != got).then(|| format!("expected {expected}\n        got {got}"))
}

/// The value with every text named `arguments` read as JSON.
fn comparable(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(comparable).collect(),
        Value::Object(map) => {
            let member = |(key, value): (String, Value)| match value {
                Value::String(text) if key == "arguments" => {
                    let read = serde_json::from_str(&text);
                    (key, read.unwrap_or(Value::String(text)))
                }
                value => (key, comparable(value)),
            };
            Value::Object(map.into_iter().map(member).collect())
        }
        other => other,
    }
}

#[test]
fn every_case_is_met() {
    let runner = Runner {
        operations: &[
            blocks::OPERATIONS,
            dialects::OPERATIONS,
            formats::OPERATIONS,
        ],
        difference: unequal,
    };
    runner.check_all("tests/conformance");
}
