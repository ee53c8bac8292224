//! Filling any JSON schema.
//!
//! What a schema may hold, `tool::schema_check` says. `pattern` and `format` are passed over: a text is
//! a sentence.

mod fill;

pub(super) use fill::fill;

use serde_json::Value;

use crate::tool::schema_check::SchemaCheck;

/// Whether the schema accepts the value, patterns of texts aside.
pub(super) fn accepts(schema: &Value, value: &Value) -> bool {
    part_accepts(schema, schema, value)
}

/// Whether a part of the root schema accepts the value, patterns of texts aside.
fn part_accepts(root: &Value, part: &Value, value: &Value) -> bool {
    let check = SchemaCheck {
        root,
        patterns: false,
    };
    check.accepts(part, value)
}
