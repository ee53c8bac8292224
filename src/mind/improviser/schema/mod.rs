//! JSON Schema as far as asks use it: filling a schema, and checking a value against one.
//!
//! Known are types, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`,
//! `prefixItems`, bounds on numbers, lengths and counts, `multipleOf`, `uniqueItems`, `allOf`, `anyOf`,
//! `oneOf`, `not`, and `$ref` within the schema. `pattern` and `format` are not: a text is a sentence.

mod check;
mod fill;

pub(super) use check::accepts;
pub(super) use fill::fill;

use serde_json::Value;

/// How deep references may lead before a schema counts as endless.
const DEPTH: usize = 24;

/// The schema that a reference of this schema names.
fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}
