//! JSON schemas of Rust types, in the one form that all requests use.

use schemars::JsonSchema;
use serde_json::Value;

/// A type's JSON schema: flat, since several servers don't follow references, and without the name
/// of its draft.
pub fn schema_for<T: JsonSchema>() -> Value {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}
