//! Whether a value satisfies a JSON schema, and whether a schema is one that can be checked.
//!
//! Known keywords: `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`,
//! `items`, `prefixItems`, `pattern` (in the syntax of the `regex` crate: no look-around), the
//! bounds on numbers, lengths and counts, `multipleOf`, `uniqueItems`, `allOf`, `anyOf`, `oneOf`,
//! `not`, and `$ref` to a place in the same schema. Keywords that assert something else are refused
//! by [`check_schema`]; `format` and all others are annotations, as JSON Schema has it. Start
//! reading at [`accepts`].

use std::cell::Cell;

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};

/// The deepest value, references counted, that a schema can accept.
const DEPTH: usize = 128;
/// How many steps a check takes, so that branches of branches end: one for each part of the schema
/// and each value that is compared, and as many as it takes time for texts, lists and patterns.
const STEPS: usize = 1_000_000;
/// How many bytes of a text are one step.
pub(crate) const TEXT_STEP: usize = 64;
/// How many steps a byte of a pattern is, which is compiled whenever it is met.
const PATTERN_STEPS: usize = 20;
/// The largest program that a pattern may become, in bytes.
const LARGEST_PATTERN: usize = 100_000;

/// The most letters, items or members that a schema of a file may require: more fit into no answer
/// that others hear.
pub const LARGEST_MINIMUM: u64 = 100_000;

/// Keywords that assert something and are not known here.
const UNSUPPORTED: [&str; 12] = [
    "$dynamicRef",
    "$recursiveRef",
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Why a schema can't be used. Paths are JSON pointers into the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaError {
    /// The keyword here asserts something that we don't check.
    Unsupported(String),
    /// The schema, or the value of the keyword, here has the wrong form.
    Malformed(String),
    /// The minimum here is beyond [`LARGEST_MINIMUM`].
    TooMuch(String),
}

pub fn accepts(schema: &Value, value: &Value) -> bool {
    SchemaCheck::new(schema, true).accepts(schema, value)
}

/// The part of a schema that a reference names.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// Checks of values against a schema or its parts, which share their steps.
pub struct SchemaCheck<'a> {
    /// The schema in which references are looked up.
    root: &'a Value,
    /// Whether texts must match their `pattern`.
    patterns: bool,
    /// How many steps are left; at 0 nothing is accepted.
    steps: Cell<usize>,
}

impl<'a> SchemaCheck<'a> {
    /// Checks against a schema or its parts.
    pub fn new(root: &'a Value, patterns: bool) -> Self {
        Self {
            root,
            patterns,
            steps: Cell::new(STEPS),
        }
    }

    pub fn accepts(&self, part: &Value, value: &Value) -> bool {
        self.check(part, value, DEPTH) && self.steps.get() > 0
    }

    /// Takes some steps; false if none are left.
    pub(crate) fn step(&self, count: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(count));
        self.steps.get() > 0
    }

    fn check(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            self.steps.set(0);
            return false;
        };
        if !self.step(1) {
            return false;
        }
        match schema {
            Value::Bool(any) => *any,
            Value::Object(schema) => {
                self.combined(schema, value, depth)
                    && self.literal(schema, value)
                    && typed(schema, value)
                    && match value {
                        Value::Object(members) => self.object(schema, members, depth),
                        Value::Array(items) => self.array(schema, items, depth),
                        Value::String(text) => self.string(schema, text),
                        Value::Number(number) => bounded(schema, number.as_f64().unwrap_or(0.0)),
                        _ => true,
                    }
            }
            _ => true,
        }
    }

    fn combined(&self, schema: &Map<String, Value>, value: &Value, depth: usize) -> bool {
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        let accepts = |part: &Value| self.check(part, value, depth);
        let reference = schema.get("$ref").and_then(Value::as_str);
        reference.is_none_or(|name| resolve(self.root, name).is_some_and(accepts))
            && list("allOf").is_none_or(|parts| parts.iter().all(accepts))
            && list("anyOf").is_none_or(|parts| parts.iter().any(accepts))
            && list("oneOf").is_none_or(|parts| parts.iter().filter(|p| accepts(p)).count() == 1)
            && schema.get("not").is_none_or(|part| !accepts(part))
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
        self.step(required.map_or(0, Vec::len))
            && required.is_none_or(|names| names.iter().all(has))
            && count_within(schema, "minProperties", "maxProperties", members.len())
            && members.iter().all(|(name, value)| {
                match properties.and_then(|properties| properties.get(name)) {
                    Some(part) => self.check(part, value, depth),
                    None => additional.is_none_or(|part| self.check(part, value, depth)),
                }
            })
    }

    fn array(&self, schema: &Map<String, Value>, items: &[Value], depth: usize) -> bool {
        let first = schema
            .get("prefixItems")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let repeats = |(place, item): (usize, &Value)| {
            let mut before = items.iter().take(place);
            before.any(|earlier| self.same(earlier, item))
        };
        count_within(schema, "minItems", "maxItems", items.len())
            && !(unique && items.iter().enumerate().any(repeats))
            && items.iter().enumerate().all(|(place, item)| {
                let part = first.get(place).or_else(|| schema.get("items"));
                part.is_none_or(|part| self.check(part, item, depth))
            })
    }

    fn string(&self, schema: &Map<String, Value>, text: &str) -> bool {
        let pattern = schema
            .get("pattern")
            .and_then(Value::as_str)
            .filter(|_| self.patterns);
        let bytes = pattern.map_or(0, str::len);
        self.step(text.len() / TEXT_STEP + bytes.saturating_mul(PATTERN_STEPS))
            && count_within(schema, "minLength", "maxLength", text.chars().count())
            && pattern.is_none_or(|pattern| {
                compile(pattern).is_some_and(|pattern| pattern.is_match(text))
            })
    }

    fn literal(&self, schema: &Map<String, Value>, value: &Value) -> bool {
        let listed = schema.get("enum").and_then(Value::as_array);
        let is_listed = |listed: &Vec<Value>| listed.iter().any(|option| self.same(option, value));
        let only = schema.get("const");
        only.is_none_or(|only| self.same(only, value)) && listed.is_none_or(is_listed)
    }

    /// Whether two values are equal as JSON Schema counts it: 1 and 1.0 are.
    fn same(&self, a: &Value, b: &Value) -> bool {
        if !self.step(1) {
            return false;
        }
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
            (Value::String(a), Value::String(b)) => self.step(a.len() / TEXT_STEP) && a == b,
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                let has = |(name, value)| b.get(name).is_some_and(|other| self.same(value, other));
                a.len() == b.len() && a.iter().all(has)
            }
            _ => a == b,
        }
    }
}

fn compile(pattern: &str) -> Option<Regex> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(LARGEST_PATTERN).build().ok()
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

/// Whether [`accepts`] checks all that a schema asserts.
///
/// # Errors
/// The first keyword that is not supported, or whose value has the wrong form or is too large.
pub fn check_schema(schema: &Value) -> Result<(), SchemaError> {
    check_part(schema, schema, "#")
}

fn check_part(root: &Value, part: &Value, path: &str) -> Result<(), SchemaError> {
    let keywords = match part {
        Value::Bool(_) => return Ok(()),
        Value::Object(keywords) => keywords,
        _ => return Err(SchemaError::Malformed(path.into())),
    };
    for (keyword, value) in keywords {
        let path = format!("{path}/{keyword}");
        if UNSUPPORTED.contains(&keyword.as_str()) {
            return Err(SchemaError::Unsupported(path));
        }
        let texts = || {
            value
                .as_array()
                .map(|names| names.iter().all(Value::is_string))
        };
        let is_valid = match keyword.as_str() {
            "items" | "additionalProperties" | "not" => {
                check_part(root, value, &path)?;
                true
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let parts = value.as_array().map_or(&[][..], Vec::as_slice);
                for (place, part) in parts.iter().enumerate() {
                    check_part(root, part, &format!("{path}/{place}"))?;
                }
                !parts.is_empty()
            }
            "properties" | "$defs" | "definitions" => {
                for (name, part) in value.as_object().into_iter().flatten() {
                    check_part(root, part, &format!("{path}/{name}"))?;
                }
                value.is_object()
            }
            "type" => match value.as_array() {
                Some(names) => !names.is_empty() && names.iter().all(is_type),
                None => is_type(value),
            },
            "enum" => value.is_array(),
            "required" => texts() == Some(true),
            "$ref" => value
                .as_str()
                .is_some_and(|name| resolve(root, name).is_some()),
            "pattern" => value.as_str().is_some_and(|text| compile(text).is_some()),
            "uniqueItems" => value.is_boolean(),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
            "multipleOf" => value.as_f64().is_some_and(|step| step > 0.0),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => value.is_u64(),
            _ => true,
        };
        let is_minimum = matches!(keyword.as_str(), "minLength" | "minItems" | "minProperties");
        if is_minimum && value.as_u64().is_some_and(|least| least > LARGEST_MINIMUM) {
            return Err(SchemaError::TooMuch(path));
        }
        if !is_valid {
            return Err(SchemaError::Malformed(path));
        }
    }
    Ok(())
}

fn is_type(name: &Value) -> bool {
    const TYPES: [&str; 7] = [
        "null", "boolean", "object", "array", "string", "number", "integer",
    ];
    name.as_str().is_some_and(|name| TYPES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::each_row;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn no_schema_takes_more_than_its_steps() {
        let mut branches = serde_json::Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/{}", level + 1)});
            for key in ["anyOf", "allOf", "oneOf"] {
                let part = json!({key: [next, next, {"not": next}]});
                branches.insert(format!("{key}{level}"), part.clone());
                branches.insert(level.to_string(), part);
            }
        }
        branches.insert("40".into(), json!({"const": 1}));
        let doubling = json!({"$defs": branches, "$ref": "#/$defs/0"});
        let long = "a".repeat(90_000);
        let pattern = json!({"items": {"pattern": format!("({long})?")}});
        let listed = json!({"items": {"enum": (0..5_000).collect::<Vec<_>>()}});
        let last = json!(vec![4_999; 5_000]);
        let unlike = json!((0..5_000).collect::<Vec<_>>());
        let texts = json!(vec!["b"; 5_000]);
        for (schema, value) in [
            (&doubling, &json!(2)),
            (&pattern, &texts),
            (&listed, &last),
            (&json!({"uniqueItems": true}), &unlike),
        ] {
            let check = SchemaCheck::new(schema, true);
            assert!(!check.accepts(schema, value));
            assert_eq!(check.steps.get(), 0);
        }
    }

    #[test]
    fn a_schema_tells_right_from_wrong() {
        each_row(
            r##"
                {"type": "integer", "minimum": 3} => 3 => 2
                {"type": "integer"} => 2.0 => 2.5
                {"const": [1, {"a": 2}]} => [1.0, {"a": 2.0}] => [1, {"a": 3}]
                {"type": "number", "exclusiveMaximum": 1, "multipleOf": 0.25} => 0.75 => 1
                {"type": ["string", "null"], "maxLength": 2} => "你好" => "你好啊"
                {"pattern": "^[0-9]{3}$"} => "123" => "1234"
                {"type": "array", "minItems": 1, "uniqueItems": true} => [1, 2] => [1, 1.0]
                {"prefixItems": [{"const": 1}], "items": {"type": "string"}} => [1, "x"] => [1, 2]
                {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": {"type": "integer"}} => {"a": 1} => {"a": 1, "b": 2}
                {"not": {"type": "null"}} => 0 => null
                {"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"enum": [1]}}} => 1 => 2
                {"properties": {"a": {"type": "boolean"}}, "required": ["a"]} => {"a": true} => {}
        "##,
            |row| {
                let [schema, right, wrong] = row.map(|value| serde_json::from_str(value).unwrap());
                assert_eq!(check_schema(&schema), Ok(()));
                assert!(accepts(&schema, &right));
                assert!(!accepts(&schema, &wrong));
            },
        );
    }

    #[test]
    fn endless_references_accept_nothing() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"not": {"$ref": "#"}}),
            json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}),
        ] {
            assert!(!accepts(&schema, &Value::Null), "{schema}");
        }
    }

    #[test]
    fn schemas_that_would_be_checked_in_part_are_refused() {
        each_row(
            r##"
                {"format": "uri", "title": 7, "default": []} => right
                {"properties": {"if": true}} => right
                [] => malformed #
                {"type": "text"} => malformed #/type
                {"properties": {"a": 7}} => malformed #/properties/a
                {"anyOf": []} => malformed #/anyOf
                {"$ref": "#/$defs/none"} => malformed #/$ref
                {"minLength": -1} => malformed #/minLength
                {"pattern": "(?=a)"} => malformed #/pattern
                {"items": {"anyOf": [{"contains": {}}]}} => unsupported #/items/anyOf/0/contains
                {"if": {}} => unsupported #/if
                {"minLength": 100000, "maxItems": 100001} => right
                {"items": {"minItems": 100001}} => too much #/items/minItems
        "##,
            |[schema, result]| {
                let found = match check_schema(&serde_json::from_str(schema).unwrap()) {
                    Ok(()) => "right".to_owned(),
                    Err(SchemaError::Malformed(path)) => format!("malformed {path}"),
                    Err(SchemaError::Unsupported(path)) => format!("unsupported {path}"),
                    Err(SchemaError::TooMuch(path)) => format!("too much {path}"),
                };
                assert_eq!(found, result);
            },
        );
    }

    /// Values of few kinds, so that they often fit.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3..4_i64).prop_map(Value::from),
            (-3..4_i64).prop_map(|number| json!(number as f64 / 2.0)),
            "[ab雨]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map)),
            ]
        })
    }

    /// Schemas of all known keywords.
    fn schemas() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            Just(json!({"$ref": "#/$defs/tree"})),
            prop::sample::select(vec![
                "null", "boolean", "object", "array", "string", "number", "integer"
            ])
            .prop_map(|name| json!({"type": name})),
            values().prop_map(|value| json!({"const": value})),
            prop::collection::vec(values(), 1..3).prop_map(|values| json!({"enum": values})),
            (-2..3_i64, 0..3_i64, 1..3_i64).prop_map(|(least, more, step)| json!({
                "minimum": least, "exclusiveMaximum": least + more, "multipleOf": step as f64 / 2.0,
            })),
            (0..3_u64, 0..2_u64).prop_map(|(least, more)| json!({
                "minLength": least, "maxLength": least + more, "pattern": "^[a雨]*$",
                "minItems": least, "maxItems": least + more, "uniqueItems": true,
                "minProperties": least, "maxProperties": least + more,
            })),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            let parts = prop::collection::vec(inner.clone(), 1..3);
            let members = prop::collection::btree_map("[abc]", inner.clone(), 0..3);
            prop_oneof![
                parts.clone().prop_map(|parts| json!({"anyOf": parts})),
                parts.clone().prop_map(|parts| json!({"allOf": parts})),
                parts.clone().prop_map(|parts| json!({"oneOf": parts})),
                inner.clone().prop_map(|part| json!({"not": part})),
                (parts, inner.clone())
                    .prop_map(|(first, items)| json!({"prefixItems": first, "items": items})),
                (members, inner, "[abc]").prop_map(|(properties, more, name)| json!({
                    "properties": properties, "additionalProperties": more, "required": [name],
                })),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// What the reference implementation accepts is accepted, and nothing else.
        #[test]
        fn a_value_is_judged_as_by_the_reference(part in schemas(), value in values()) {
            let tree = json!({"type": ["object", "integer"], "additionalProperties": {"$ref": "#/$defs/tree"}});
            let schema = json!({"$defs": {"tree": tree}, "allOf": [part]});
            prop_assert_eq!(check_schema(&schema), Ok(()));
            let reference = jsonschema::validator_for(&schema).unwrap();
            prop_assert_eq!(accepts(&schema, &value), reference.is_valid(&value), "{} {}", schema, value);
        }
    }
}
