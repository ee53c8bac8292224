//! The page on records for programs, made from their types, so that it can't be wrong.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;

use super::printed::Printed;
use crate::event::Record;

const PAGE: &str = "docs/records.md";
/// Where the kinds begin in the page.
const MARK: &str = "<!-- from the types -->\n";

/// A section for each kind of record.
fn kinds<T: JsonSchema>(page: &mut String, generator: &mut SchemaGenerator) {
    let schema = T::json_schema(generator).to_value();
    for kind in schema["oneOf"].as_array().into_iter().flatten() {
        let name = &kind["properties"]["record"]["const"];
        let name = name.as_str().unwrap_or_default();
        let about = about(kind).unwrap_or_default();
        let _ = write!(page, "\n### `{name}`\n\n{about}\n\n");
        if kind["$ref"].is_string() {
            let _ = writeln!(page, "Its members are those of {}.", kind_of(kind));
        } else {
            table(page, kind);
        }
    }
}

/// The part of the page that follows from the types.
fn generated() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut page = "\n## While a story is played\n".to_owned();
    kinds::<Record>(&mut page, &mut generator);
    page += "\n## Commands\n";
    kinds::<Printed<'_>>(&mut page, &mut generator);
    let _ = write!(page, "\n## Parts\n");
    let parts: BTreeMap<_, _> = generator.definitions().iter().collect();
    for (name, schema) in parts {
        let _ = write!(page, "\n### {name}\n\n");
        definition(&mut page, schema);
    }
    page
}

fn definition(page: &mut String, schema: &Value) {
    if let Some(about) = about(schema) {
        let _ = write!(page, "{about}\n\n");
    }
    if schema["properties"].is_object() {
        table(page, schema);
    } else if let Some(alternatives) = schema["oneOf"].as_array() {
        for alternative in alternatives {
            let about = about(alternative).map_or(String::new(), |about| format!(": {about}"));
            let _ = writeln!(page, "- {}{about}", kind_of(alternative));
        }
    } else {
        let _ = writeln!(page, "{}", kind_of(schema));
    }
}

fn table(page: &mut String, schema: &Value) {
    *page += "| member | type | meaning |\n| --- | --- | --- |\n";
    let members = schema["properties"].as_object().into_iter().flatten();
    for (name, schema) in members.filter(|(name, _)| *name != "record") {
        let about = about(schema).unwrap_or_default();
        let _ = writeln!(page, "| `{name}` | {} | {about} |", kind_of(schema));
    }
}

/// What a type is, in one line.
fn about(schema: &Value) -> Option<String> {
    let text = schema["description"].as_str()?;
    Some(
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace('|', "\\|"),
    )
}

/// A type in words.
fn kind_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(", ");
    }
    let any = schema["anyOf"]
        .as_array()
        .or_else(|| schema["oneOf"].as_array());
    if let Some(any) = any {
        let kinds: Vec<_> = any.iter().map(kind_of).collect();
        return kinds.join(" or ");
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().map_or_else(Vec::new, |kind| vec![kind]),
    };
    let kinds: Vec<_> = kinds
        .into_iter()
        .map(|kind| of_kind(kind, schema))
        .collect();
    match kinds.join(" or ") {
        kinds if kinds.is_empty() => "any JSON".to_owned(),
        kinds => kinds,
    }
}

fn of_kind(kind: &str, schema: &Value) -> String {
    match (kind, &schema["prefixItems"]) {
        ("array", Value::Array(items)) => {
            let items: Vec<_> = items.iter().map(kind_of).collect();
            format!("[{}]", items.join(", "))
        }
        ("array", _) => format!("list of {}", kind_of(&schema["items"])),
        ("object", _) => object(schema),
        (kind, _) => kind.to_owned(),
    }
}

fn object(schema: &Value) -> String {
    if let Some(members) = schema["properties"].as_object() {
        let members = members
            .iter()
            .map(|(name, schema)| format!("`{name}`: {}", kind_of(schema)));
        return format!("object with {}", members.collect::<Vec<_>>().join(", "));
    }
    match &schema["additionalProperties"] {
        Value::Object(_) => format!(
            "object of {} by name",
            kind_of(&schema["additionalProperties"])
        ),
        _ => "object".to_owned(),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "as snapshots are updated")]
fn the_page_of_records_is_that_of_their_types() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (words, old) = page.split_once(MARK).unwrap();
    let new = generated();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(PAGE, format!("{words}{MARK}{new}")).unwrap();
    } else {
        assert!(
            old == new,
            "{PAGE} is out of date; update it with INSTA_UPDATE=always"
        );
    }
}
