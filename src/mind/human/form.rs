//! Filling any JSON schema by dialogue.
//!
//! Closed lists become menus. Where an object must hold exactly one of several members (`oneOf` with
//! `required`), the person chooses which, and the others are left out. What the dialogue has no way
//! to ask for is typed as JSON.

use std::io;

use serde_json::{Map, Value};

use super::console::Dialogue;

/// The thought that stands for none.
const NO_THOUGHT: &str = "…";
/// The member for a private thought, which may stay empty.
const THOUGHT: &str = "mind";
/// Deeper schemas are typed as JSON.
const DEEPEST: usize = 8;

/// Asks for everything that a value of this schema needs.
pub(super) fn fill(dialogue: &mut Dialogue<'_>, schema: &Value, label: &str) -> io::Result<Value> {
    fill_at(dialogue, schema, label, 0)
}

fn fill_at(
    dialogue: &mut Dialogue<'_>,
    schema: &Value,
    label: &str,
    depth: usize,
) -> io::Result<Value> {
    if let Some(value) = schema.get("const") {
        return Ok(value.clone());
    }
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return choose(dialogue, options, label);
    }
    match kind(schema) {
        _ if depth > DEEPEST => raw(dialogue, schema, label),
        "object" if schema.get("properties").is_some() => object(dialogue, schema, depth),
        "array" if schema.get("items").is_some() => list(dialogue, schema, label, depth),
        "string" => string(dialogue, label),
        "integer" | "number" => number(dialogue, schema, label),
        "boolean" => {
            let options = dialogue.phrases.yes_and_no();
            Ok(Value::Bool(dialogue.choice(label, &options)? == 0))
        }
        _ => raw(dialogue, schema, label),
    }
}

/// The type of a schema; of several, the first that is not null.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or("")
        }
        _ => "",
    }
}

fn choose(dialogue: &mut Dialogue<'_>, options: &[Value], label: &str) -> io::Result<Value> {
    if !options.is_empty() && options.iter().all(Value::is_u64) {
        return choose_number(dialogue, options, label);
    }
    let phrases = dialogue.phrases;
    let names = options.iter().map(|option| phrases.option(&shown(option)));
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return Ok(Value::Null);
    }
    let chosen = dialogue.choice(label, &names)?;
    Ok(options.get(chosen).cloned().unwrap_or_default())
}

/// One of some numbers, typed as it is: its place in a menu would be another number.
fn choose_number(dialogue: &mut Dialogue<'_>, options: &[Value], label: &str) -> io::Result<Value> {
    loop {
        let line = dialogue.text(label)?;
        let typed = line.parse::<u64>().map(Value::from).ok();
        match typed.filter(|typed| options.contains(typed)) {
            Some(typed) => return Ok(typed),
            None => {
                let all: Vec<_> = options.iter().map(shown).collect();
                let hint = dialogue.phrases.one_number_of(&all.join(", "));
                dialogue.show(&hint)?;
            }
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}

fn object(dialogue: &mut Dialogue<'_>, schema: &Value, depth: usize) -> io::Result<Value> {
    let empty = Map::new();
    let members = schema.get("properties").and_then(Value::as_object);
    let members = members.unwrap_or(&empty);
    let names = |value: &Value| -> Vec<String> {
        let required = value.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let alternatives = schema.get("oneOf").and_then(Value::as_array);
    let alternatives: Vec<_> = alternatives.into_iter().flatten().map(names).collect();
    let mut wanted = names(schema);
    if !alternatives.is_empty() {
        let in_all = |name: &String| alternatives.iter().all(|one| one.contains(name));
        let mark = |one: &Vec<String>| {
            let own: Vec<_> = one.iter().filter(|name| !in_all(name)).collect();
            let own = own.iter().map(|name| dialogue.phrases.member(name));
            own.collect::<Vec<_>>().join(" + ")
        };
        let options: Vec<_> = alternatives.iter().map(mark).collect();
        let label = dialogue.phrases.what_to_do();
        let chosen = dialogue.choice(&label, &options)?;
        let chosen = alternatives.into_iter().nth(chosen).unwrap_or_default();
        wanted.extend(chosen);
    }
    if wanted.is_empty() {
        wanted = members.keys().cloned().collect();
    }
    // A thought comes last: it is about what was chosen.
    wanted.sort_by_key(|name| name == THOUGHT);
    let mut filled = Map::new();
    for name in wanted {
        if let Some(member) = members.get(&name).filter(|_| !filled.contains_key(&name)) {
            let value = match name.as_str() {
                THOUGHT => thought(dialogue)?,
                _ => {
                    let label = dialogue.phrases.member(&name);
                    fill_at(dialogue, member, &label, depth + 1)?
                }
            };
            filled.insert(name, value);
        }
    }
    Ok(Value::Object(filled))
}

fn thought(dialogue: &mut Dialogue<'_>) -> io::Result<Value> {
    let label = dialogue.phrases.member(THOUGHT);
    let text = dialogue.text_or(&label, NO_THOUGHT)?;
    Ok(Value::String(text))
}

fn string(dialogue: &mut Dialogue<'_>, label: &str) -> io::Result<Value> {
    dialogue.text(label).map(Value::String)
}

fn number(dialogue: &mut Dialogue<'_>, schema: &Value, label: &str) -> io::Result<Value> {
    loop {
        let line = dialogue.text(label)?;
        let bound = |name| schema.get(name).and_then(Value::as_f64);
        let fits = |number: f64| {
            bound("minimum").is_none_or(|least| number >= least)
                && bound("maximum").is_none_or(|most| number <= most)
        };
        let read = match kind(schema) {
            "integer" => line.parse::<i64>().map(Value::from).ok(),
            _ => line.parse::<f64>().map(Value::from).ok(),
        };
        match read.filter(|value| value.as_f64().is_some_and(fits)) {
            Some(value) => return Ok(value),
            None => {
                let hint = dialogue
                    .phrases
                    .no_number(bound("minimum"), bound("maximum"));
                dialogue.show(&hint)?;
            }
        }
    }
}

fn list(
    dialogue: &mut Dialogue<'_>,
    schema: &Value,
    label: &str,
    depth: usize,
) -> io::Result<Value> {
    let items = schema.get("items").cloned().unwrap_or_default();
    if let Some(options) = items.get("enum").and_then(Value::as_array) {
        let names: Vec<_> = options.iter().map(shown).collect();
        let chosen = dialogue.order(label, &names, false)?;
        let chosen = chosen.into_iter().filter_map(|at| options.get(at).cloned());
        return Ok(Value::Array(chosen.collect()));
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    let least = bound("minItems").unwrap_or(0) as usize;
    let most = bound("maxItems").map_or(usize::MAX, |most| most as usize);
    let mut filled = Vec::new();
    while filled.len() < most {
        if filled.len() >= least {
            let (more, options) = (dialogue.phrases.more(label), dialogue.phrases.yes_and_no());
            if dialogue.choice(&more, &options)? != 0 {
                break;
            }
        }
        let label = format!("{label} {}", filled.len() + 1);
        filled.push(fill_at(dialogue, &items, &label, depth + 1)?);
    }
    Ok(Value::Array(filled))
}

/// JSON, typed by hand; the schema is shown.
fn raw(dialogue: &mut Dialogue<'_>, schema: &Value, label: &str) -> io::Result<Value> {
    let hint = dialogue.phrases.type_json();
    dialogue.show(&hint)?;
    dialogue.show(&serde_json::to_string_pretty(schema).unwrap_or_default())?;
    loop {
        match serde_json::from_str(&dialogue.text(label)?) {
            Ok(value) => return Ok(value),
            Err(error) => {
                let hint = dialogue.phrases.no_json(&error.to_string());
                dialogue.show(&hint)?;
            }
        }
    }
}
