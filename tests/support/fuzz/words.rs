//! Texts of models (thoughts, tool calls and their arguments, answers), and web pages.

use std::sync::LazyLock;

use playhouse::interop::Arguments;
use playhouse::reading::{CallableTool, Form, Offers, SplitText, TextCalls, find_json};
use playhouse::tool::{page_text, read_arguments};
use serde_json::{Value, json};

const DICE: [CallableTool; 1] = [CallableTool {
    name: "dice",
    schema: "{}",
}];

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let one = json!({"type": "string", "enum": ["a", "the b", "c-d"]});
    let item = json!({"type": "object", "properties": {"a": one, "n": {"type": "integer"}}, "required": ["a"]});
    json!({
        "type": "object",
        "properties": {"one": one, "all": {"type": "array", "items": item}, "is": {"type": "boolean"}},
        "required": ["one"],
        "additionalProperties": false,
    })
});

/// One input.
pub(crate) fn run(text: &str) {
    let split = SplitText::of(text);
    assert!(split.text.len() + split.thinking.len() <= text.len());
    if let Some(found) = TextCalls::find(text, &DICE) {
        assert!(found.before.len() <= text.len());
    }
    let form = Form {
        name: "answer",
        schema: &SCHEMA,
        optional: &[],
        unasked: &[],
        other_names: &[],
        other_words: &[],
        fillers: &[],
        question: text,
    };
    if let Ok(found) = find_json(text) {
        form.fit(found.value);
    }
    Offers::of_names(["a", "the b", "c-d"]).meant(text);
    Arguments::from_text(text);
    let _ = read_arguments::<Value>(text);
    page_text(text);
}
