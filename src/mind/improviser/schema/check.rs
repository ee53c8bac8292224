//! Whether a value satisfies a schema.

use serde_json::{Map, Value};

use super::{DEPTH, resolve};

/// Whether the schema accepts the value. Members that it does not know are passed over.
pub(in super::super) fn accepts(schema: &Value, value: &Value) -> bool {
    Checker { root: schema }.check(schema, value, DEPTH)
}

/// Whether a part of the root schema accepts the value.
pub(super) fn part_accepts(root: &Value, part: &Value, value: &Value) -> bool {
    Checker { root }.check(part, value, DEPTH)
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match schema {
            Value::Bool(any) => *any,
            Value::Object(schema) => {
                self.combined(schema, value, depth)
                    && literal(schema, value)
                    && typed(schema, value)
                    && match value {
                        Value::Object(members) => self.object(schema, members, depth),
                        Value::Array(items) => self.array(schema, items, depth),
                        Value::String(text) => string(schema, text),
                        Value::Number(number) => bounded(schema, number.as_f64().unwrap_or(0.0)),
                        _ => true,
                    }
            }
            _ => true,
        }
    }

    fn combined(&self, schema: &Map<String, Value>, value: &Value, depth: usize) -> bool {
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        let count = |all: &[Value]| {
            let accepting = all.iter().filter(|part| self.check(part, value, depth));
            accepting.count()
        };
        let reference = schema.get("$ref").and_then(Value::as_str);
        reference.is_none_or(|reference| {
            resolve(self.root, reference).is_some_and(|part| self.check(part, value, depth))
        }) && list("allOf").is_none_or(|all| count(all) == all.len())
            && list("anyOf").is_none_or(|any| count(any) > 0)
            && list("oneOf").is_none_or(|one| count(one) == 1)
            && schema
                .get("not")
                .is_none_or(|not| !self.check(not, value, depth))
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        members: &Map<String, Value>,
        depth: usize,
    ) -> bool {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let has = |name: &Value| name.as_str().is_some_and(|name| members.contains_key(name));
        let additional = schema.get("additionalProperties");
        required.is_none_or(|names| names.iter().all(has))
            && count_within(schema, "minProperties", "maxProperties", members.len())
            && members.iter().all(|(name, value)| {
                match properties.and_then(|properties| properties.get(name)) {
                    Some(part) => self.check(part, value, depth),
                    None => additional.is_none_or(|part| self.check(part, value, depth)),
                }
            })
    }

    fn array(&self, schema: &Map<String, Value>, items: &[Value], depth: usize) -> bool {
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let first = first.map_or(&[][..], Vec::as_slice);
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let repeats = |at: usize| {
            items
                .iter()
                .take(at)
                .any(|other| Some(other) == items.get(at))
        };
        count_within(schema, "minItems", "maxItems", items.len())
            && !(unique && (0..items.len()).any(repeats))
            && items.iter().enumerate().all(|(at, item)| {
                let part = first.get(at).or_else(|| schema.get("items"));
                part.is_none_or(|part| self.check(part, item, depth))
            })
    }
}

fn literal(schema: &Map<String, Value>, value: &Value) -> bool {
    let listed = schema.get("enum").and_then(Value::as_array);
    schema.get("const").is_none_or(|only| only == value)
        && listed.is_none_or(|listed| listed.contains(value))
}

fn typed(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
    }
}

fn string(schema: &Map<String, Value>, text: &str) -> bool {
    count_within(schema, "minLength", "maxLength", text.chars().count())
}

fn count_within(schema: &Map<String, Value>, least: &str, most: &str, count: usize) -> bool {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let count = count as u64;
    bound(least).is_none_or(|least| count >= least) && bound(most).is_none_or(|most| count <= most)
}

fn bounded(schema: &Map<String, Value>, number: f64) -> bool {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
        && bound("multipleOf").is_none_or(|step| {
            let times = number / step;
            (times - times.round()).abs() < 1e-9
        })
}
