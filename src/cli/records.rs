//! The page on records for programs, made from their types, so that it can't be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;

use super::comparison::{ComparisonRecord, ConditionRecord};
use super::printed::Printed;
use super::provenance::Provenance;
use crate::event::{AnswerRecord, EventRecord, Record};
use crate::rpg::rehearsal::{Rehearsal, RunFigures};
use crate::statistics::Comparison;
use crate::undercover::{GameFigures, Statistics};

const PAGE: &str = "docs/records.md";
/// Where the records begin in the page.
const MARK: &str = "<!-- from the types -->\n";

/// A kind of record: when it is printed, and the types whose members it has.
struct Kind {
    name: &'static str,
    about: &'static str,
    parts: Vec<Value>,
}

fn kinds(generator: &mut SchemaGenerator) -> Vec<Kind> {
    fn part<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        T::json_schema(generator).to_value()
    }
    /// A variant of what feeds tell.
    fn told(generator: &mut SchemaGenerator, name: &str) -> Value {
        let record = part::<Record>(generator);
        let variants = record["oneOf"].as_array().cloned().unwrap_or_default();
        let is_it = |variant: &Value| variant["properties"]["record"]["const"] == name;
        variants.into_iter().find(is_it).unwrap_or_default()
    }
    let told = [
        Kind {
            name: "event",
            about: "Something happened.",
            parts: vec![part::<EventRecord>(generator)],
        },
        Kind {
            name: "answer",
            about: "Somebody's mind answered.",
            parts: vec![part::<AnswerRecord>(generator)],
        },
        Kind {
            name: "chapter",
            about: "A part of somebody's past was archived.",
            parts: vec![told(generator, "chapter")],
        },
        Kind {
            name: "turn",
            about: "A turn is over.",
            parts: vec![told(generator, "turn")],
        },
    ];
    let provenance = part::<Provenance>(generator);
    let kind = |name, about, parts: Vec<Value>| Kind {
        name,
        about,
        parts: std::iter::once(provenance.clone()).chain(parts).collect(),
    };
    let of_many = [
        kind(
            "run",
            "A story of `run --games`, `experiment` or `rehearse`, as soon as it ends. Saved ones have the name of their `slot`.",
            vec![part::<RunFigures>(generator)],
        ),
        kind(
            "rehearsal",
            "All stories of `run --games` or `rehearse` together, with the `title` of the world and the first `seed`.",
            vec![part::<Rehearsal>(generator)],
        ),
        kind(
            "game",
            "A game of `undercover --games`, as soon as it ends.",
            vec![part::<GameFigures>(generator)],
        ),
        kind(
            "tournament",
            "All games of `undercover --games` together.",
            vec![part::<Statistics>(generator)],
        ),
        kind(
            "condition",
            "A condition of `experiment` or `rehearse --against`.",
            vec![part::<ConditionRecord>(generator)],
        ),
        kind(
            "comparison",
            "How an outcome differs between a condition and the first.",
            vec![
                part::<ComparisonRecord>(generator),
                part::<Comparison>(generator),
            ],
        ),
    ];
    told.into_iter().chain(of_many).collect()
}

/// A row for each kind of record of commands.
fn commands(page: &mut String, generator: &mut SchemaGenerator) {
    *page += "\n## Commands\n\n| record | printed by, meaning | members |\n| --- | --- | --- |\n";
    let schema = Printed::json_schema(generator).to_value();
    for kind in schema["oneOf"].as_array().into_iter().flatten() {
        let members = kind["properties"].as_object().into_iter().flatten();
        let members = members.filter(|(name, _)| *name != "record");
        let members = members.map(|(name, schema)| {
            let about = about(schema).map_or_else(String::new, |about| format!(" ({about})"));
            format!("`{name}`: {}{about}", kind_of(schema))
        });
        // Those of a type of its own.
        let all = kind["$ref"].is_string().then(|| kind_of(kind));
        let members: Vec<_> = all.into_iter().chain(members).collect();
        let name = kind["properties"]["record"]["const"]
            .as_str()
            .unwrap_or_default();
        let about = about(kind).unwrap_or_default();
        let _ = writeln!(page, "| `{name}` | {about} | {} |", members.join("; "));
    }
}

/// The part of the page that follows from the types.
fn generated() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut page = String::new();
    commands(&mut page, &mut generator);
    for Kind { name, about, parts } in kinds(&mut generator) {
        let _ = write!(page, "\n## `{name}`\n\n{about}\n\n");
        table(&mut page, &parts);
    }
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
        table(page, std::slice::from_ref(schema));
    } else if let Some(alternatives) = schema["oneOf"].as_array() {
        for alternative in alternatives {
            let about = about(alternative).map_or(String::new(), |about| format!(": {about}"));
            let _ = writeln!(page, "- {}{about}", kind_of(alternative));
        }
    } else {
        let _ = writeln!(page, "{}", kind_of(schema));
    }
}

/// A table of the members of all parts.
fn table(page: &mut String, parts: &[Value]) {
    *page += "| member | type | meaning |\n| --- | --- | --- |\n";
    for part in parts {
        for (name, schema) in part["properties"].as_object().into_iter().flatten() {
            let about = about(schema).unwrap_or_default();
            let _ = writeln!(page, "| `{name}` | {} | {about} |", kind_of(schema));
        }
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

/// The kinds of records that the program prints, as its source names them.
fn printed(folder: &std::path::Path, kinds: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            printed(&path, kinds);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        for before in ["\"record\": \"", " record(\"", "(record(\""] {
            let names = product.split(before).skip(1);
            kinds.extend(names.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
}

#[test]
fn every_kind_of_record_is_on_the_page() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let mut kinds = BTreeSet::new();
    printed("src/cli/commands".as_ref(), &mut kinds);
    assert!(kinds.contains("rehearsal"), "{kinds:?}");
    kinds.retain(|kind| !page.contains(&format!("`{kind}`")));
    assert!(kinds.is_empty(), "not in {PAGE}: {kinds:?}");
}
