//! What a text says that a tool could be asked for: values that its schema names, sums, addresses,
//! and whether the text speaks of the same thing at all.

use std::collections::BTreeSet;

use regex::RegexBuilder;
use serde_json::{Map, Value, json};

use crate::tool::ToolSpec;

/// The most calls of one tool that one text gives.
const MOST: usize = 4;
/// The largest program that a schema's pattern may become, in bytes.
const LARGEST_PATTERN: usize = 100_000;

/// The words of a text that say what it is about, cut to their stems; pairs of characters in
/// scripts without spaces. Words of `idle` say nothing.
pub(super) fn stems(text: &str, idle: &BTreeSet<String>) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    let lower = text.to_lowercase();
    for word in lower.split(|char: char| !char.is_alphanumeric()) {
        if word.is_ascii() {
            let stem = stem(word);
            if stem.len() > 2 && !word.starts_with(|char: char| char.is_ascii_digit()) {
                stems.insert(stem.to_owned());
            }
            continue;
        }
        let chars: Vec<char> = word.chars().collect();
        stems.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
    }
    stems.retain(|stem| !idle.contains(stem));
    stems
}

/// A word without the endings that grammar gives it.
pub(super) fn stem(word: &str) -> &str {
    let endings = ["ing", "ed", "es", "s", "e"];
    let cut = endings.iter().find_map(|ending| {
        let stem = word.strip_suffix(ending)?;
        (stem.len() > 2).then_some(stem)
    });
    cut.unwrap_or(word)
}

/// What the description of a tool speaks of.
pub(super) fn about(spec: &ToolSpec, idle: &BTreeSet<String>) -> BTreeSet<String> {
    let words = format!(
        "{} {}",
        spec.name().replace('_', " "),
        spec.description().as_str()
    );
    stems(&words, idle)
}

/// The arguments with which a text asks for a tool, most telling first; none if it does not.
/// `is_meant` says whether the text speaks of what the tool is for: without that, only what nobody
/// writes by chance counts, such as a sum or an address.
pub(super) fn arguments(spec: &ToolSpec, text: &str, is_meant: bool) -> Vec<Value> {
    let schema: Value = serde_json::from_str(spec.schema()).unwrap_or_default();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let of = |name: &str| &schema["properties"][name];
    match required.as_slice() {
        [] => is_meant.then(|| json!({})).into_iter().collect(),
        [only] => {
            let each = found(of(only), text, is_meant).into_iter().take(MOST);
            each.map(|value| json!({*only: value})).collect()
        }
        several => together(several, &schema, text, is_meant)
            .into_iter()
            .collect(),
    }
}

/// One call with several arguments: what follows an argument's own name is its value, then
/// values are taken in the order of the text, no value twice.
fn together(names: &[&str], schema: &Value, text: &str, is_meant: bool) -> Option<Value> {
    let mut given = Map::new();
    for name in names {
        let found = found(&schema["properties"][*name], text, is_meant);
        let named = found.iter().find(|value| {
            let value = value.as_str().unwrap_or_default();
            text.to_lowercase()
                .contains(&format!("{name} {}", value.to_lowercase()))
        });
        if let Some(value) = named {
            given.insert((*name).to_owned(), value.clone());
        }
    }
    for name in names {
        if !given.contains_key(*name) {
            let found = found(&schema["properties"][*name], text, is_meant);
            let is_free = |value: &Value| !given.values().any(|other| other == value);
            let value = found.into_iter().find(is_free)?;
            given.insert((*name).to_owned(), value);
        }
    }
    Some(Value::Object(given))
}

/// The values that a text holds for one argument, in the order of the text.
fn found(schema: &Value, text: &str, is_meant: bool) -> Vec<Value> {
    if let Some(values) = schema["enum"].as_array() {
        let names = values.iter().filter_map(Value::as_str);
        let mut found: Vec<_> = names
            .filter_map(|name| Some((position(text, name)?, name)))
            .collect();
        found.sort_unstable();
        // A name within another one is not named.
        let inside = |start: usize, name: &str| {
            found.iter().any(|(outer, long)| {
                *outer <= start && long.len() > name.len() && start < outer + long.len()
            })
        };
        let free = found
            .iter()
            .filter(|(start, name)| is_meant && !inside(*start, name));
        return free.map(|(_, name)| json!(name)).collect();
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        return matches(pattern, text)
            .into_iter()
            .map(Value::from)
            .collect();
    }
    if schema["format"] == "uri" {
        return addresses(text).into_iter().map(Value::from).collect();
    }
    if !is_meant {
        return Vec::new();
    }
    match schema["type"].as_str() {
        Some("integer") => numbers(text).map(Value::from).collect(),
        Some("number") => numbers(text).map(|number| json!(number as f64)).collect(),
        Some("string") => vec![text.trim().into()],
        _ => Vec::new(),
    }
}

/// Where a name stands in a text, with no letter of its own script beside it.
fn position(text: &str, name: &str) -> Option<usize> {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let in_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let alphabetic = name.is_ascii();
    text.match_indices(&name)
        .find(|(start, _)| {
            let before = text.get(..*start).and_then(|text| text.chars().next_back());
            let after = text
                .get(start + name.len()..)
                .and_then(|text| text.chars().next());
            !alphabetic || !(before.is_some_and(in_word) || after.is_some_and(in_word))
        })
        .map(|(start, _)| start)
}

/// What in a text a schema's pattern describes.
fn matches(pattern: &str, text: &str) -> Vec<String> {
    let begun = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = begun.strip_suffix('$').unwrap_or(begun);
    let Ok(pattern) = RegexBuilder::new(inner).size_limit(LARGEST_PATTERN).build() else {
        return Vec::new();
    };
    pattern
        .find_iter(text)
        .map(|found| found.as_str().trim())
        .filter(|found| !found.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The addresses of web pages in a text.
fn addresses(text: &str) -> Vec<String> {
    let starts = text.match_indices("http").map(|(start, _)| start);
    let found = starts.filter_map(|start| {
        let rest = text
            .get(start..)?
            .split(|char: char| char.is_whitespace() || !char.is_ascii())
            .next()?
            .trim_end_matches(['.', ',', ';', ':', ')', ']', '"', '\'', '!', '?', '>']);
        let host = rest
            .strip_prefix("https://")
            .or_else(|| rest.strip_prefix("http://"))?;
        (!host.is_empty()).then(|| rest.to_owned())
    });
    let mut addresses: Vec<String> = Vec::new();
    for address in found {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

fn numbers(text: &str) -> impl Iterator<Item = i64> + '_ {
    let parts = text.split(|char: char| !char.is_ascii_digit() && char != '-');
    parts.filter_map(|part| part.parse().ok())
}

pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = ['.', '!', '?', ';', '。', '！', '？', '；', '\n'];
    let parts = text.split_inclusive(ends).map(str::trim);
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, about: &str, schema: Value) -> ToolSpec {
        ToolSpec::new(name, about, &schema).unwrap()
    }

    fn asked(schema: Value, text: &str, is_meant: bool) -> Value {
        json!(arguments(&spec("tool", "", schema), text, is_meant))
    }

    #[test]
    fn values_that_a_schema_names_are_found_in_the_order_of_the_text() {
        let towns = json!({"enum": ["Rome", "York", "New York", "北京"]});
        let schema = json!({"properties": {"town": towns}, "required": ["town"]});
        let text = "From New York by sea to rome, then 去北京看看; not to Romeo.";
        assert_eq!(
            asked(schema.clone(), text, true),
            json!([{"town": "New York"}, {"town": "Rome"}, {"town": "北京"}])
        );
        assert_eq!(asked(schema, text, false), json!([]));
        let two = json!({"properties": {"to": towns, "from": towns}, "required": ["to", "from"]});
        assert_eq!(
            asked(two.clone(), text, true),
            json!([{"to": "Rome", "from": "New York"}])
        );
        assert_eq!(asked(two, "only Rome", true), json!([]));
    }

    #[test]
    fn sums_and_addresses_are_evidence_of_their_own() {
        let sum = json!({"properties": {"sum": {"type": "string", "pattern": "^[0-9]+( [+*] [0-9]+)+$"}}, "required": ["sum"]});
        assert_eq!(
            asked(sum.clone(), "What is 123 * 456, and 7?", false),
            json!([{"sum": "123 * 456"}])
        );
        assert_eq!(asked(sum, "nothing", true), json!([]));
        let page = json!({"properties": {"url": {"type": "string", "format": "uri"}}, "required": ["url"]});
        let text = "Read (http://127.0.0.1:80/a) and http://127.0.0.1:80/a, https:// not.";
        assert_eq!(
            asked(page, text, false),
            json!([{"url": "http://127.0.0.1:80/a"}])
        );
        let broken = json!({"properties": {"x": {"pattern": "(("}}, "required": ["x"]});
        assert_eq!(asked(broken, "((", true), json!([]));
    }

    #[test]
    fn a_text_and_a_tool_are_about_the_same_where_they_share_a_word() {
        let idle = BTreeSet::from(["tell".to_owned()]);
        let trains = about(
            &spec("trains", "Tells what tickets cost.", json!({})),
            &idle,
        );
        assert!(!trains.is_disjoint(&stems("One ticket, please", &idle)));
        assert!(trains.is_disjoint(&stems("Tell me of the sea", &idle)));
        let weather = about(&spec("weather", "查一个城市的天气", json!({})), &idle);
        assert!(!weather.is_disjoint(&stems("北京天气怎样？", &idle)));
    }
}
