//! Values for any JSON schema that `tool::schema_check` knows: texts by grammar, choices by seed.
//! `pattern` and `format` are passed over: a text is a sentence.

use std::borrow::Cow;

use indexmap::IndexSet;
use serde_json::{Map, Number, Value};

use super::limit::fit;
use super::writer::Writer;
use crate::tool::schema_check::{LARGEST_MINIMUM, SchemaCheck, TEXT_STEP, resolve};

/// How deep values and references go at most.
const DEPTH: usize = 24;
/// From this depth on only what must be there is filled, so that recursion ends.
const PLAIN: usize = 5;
/// How often another value is tried if its schema does not accept the first.
const TRIES: usize = 16;
/// How many values one try may make, so that wide recursion ends too.
const BUDGET: usize = 20_000;
/// How many bytes all tries together may make.
const BYTES: usize = 1024 * 1024;
/// How many sentences a long text is made of at most before it is padded.
const SENTENCES: usize = 64;
/// The longest list that is filled, whatever the schema asks.
const ITEMS: u64 = 4096;

/// Whether the schema accepts the value, patterns of texts aside.
pub(super) fn accepts(schema: &Value, value: &Value) -> bool {
    SchemaCheck::new(schema, false).accepts(schema, value)
}

/// A value that the schema accepts, if one is found.
pub(super) fn fill(schema: &Value, writer: &mut Writer<'_>) -> Value {
    let mut filler = Filler {
        root: schema,
        check: SchemaCheck::new(schema, false),
        writer,
        left: BUDGET,
        bytes: BYTES,
    };
    let mut value = Value::Null;
    for _ in 0..TRIES {
        filler.left = BUDGET;
        value = filler.value(schema, "", 0);
        if filler.is_spent() || filler.check.accepts(schema, &value) {
            break;
        }
    }
    value
}

struct Filler<'a, 'w, 'g> {
    root: &'a Value,
    /// What is checked and copied on the way takes steps of all tries together.
    check: SchemaCheck<'a>,
    writer: &'w mut Writer<'g>,
    left: usize,
    bytes: usize,
}

impl<'a> Filler<'a, '_, '_> {
    /// Whether no further try can make anything.
    fn is_spent(&self) -> bool {
        self.bytes == 0 || !self.check.step(0)
    }

    /// Whether the bytes of one more text are left, and takes them; if not, none are left. Each
    /// counts some more, since it takes time also if it is short.
    fn takes(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes.saturating_add(TEXT_STEP));
        self.bytes = left.unwrap_or(0);
        left.is_some()
    }

    /// A value for a part of the schema; `name` is the member it is for.
    fn value(&mut self, schema: &Value, name: &str, depth: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        let Some(schema) = schema.as_object() else {
            return Value::Null;
        };
        if depth > DEPTH || self.left == 0 || self.is_spent() {
            return Value::Null;
        }
        let schema = self.flatten(schema, depth);
        if let Some(only) = schema.get("const") {
            return self.copy(only);
        }
        if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
            return self.listed(&schema, listed);
        }
        match self.kind(&schema, depth) {
            "object" => self.object(&schema, depth),
            "array" => self.array(&schema, name, depth),
            "integer" => self.integer(&schema),
            "number" => self.number(&schema),
            "boolean" => Value::Bool(self.writer.rng().happens(50)),
            "null" => Value::Null,
            _ => self.text(&schema, name),
        }
    }

    fn copy(&mut self, value: &Value) -> Value {
        if self.takes(size(value) * TEXT_STEP) {
            value.clone()
        } else {
            Value::Null
        }
    }

    /// The schema without references and branches: what they say stands in it.
    fn flatten<'s>(
        &mut self,
        schema: &'s Map<String, Value>,
        depth: usize,
    ) -> Cow<'s, Map<String, Value>> {
        const BRANCHES: [&str; 4] = ["$ref", "allOf", "anyOf", "oneOf"];
        let mut flat = Cow::Borrowed(schema);
        for _ in 0..DEPTH {
            if !BRANCHES.iter().any(|key| flat.contains_key(*key)) {
                break;
            }
            if !self.check.step(flat.values().map(size).sum()) {
                break;
            }
            let mut own = flat.into_owned();
            let mut parts = Vec::new();
            let reference = own.remove("$ref");
            let name = reference.as_ref().and_then(Value::as_str);
            parts.extend(name.and_then(|name| resolve(self.root, name)).cloned());
            if let Some(Value::Array(both)) = own.remove("allOf") {
                parts.extend(both);
            }
            for key in ["anyOf", "oneOf"] {
                if let Some(Value::Array(branches)) = own.remove(key) {
                    // What a branch does not require might make another branch true as well.
                    own.insert(CLOSED.into(), Value::Bool(true));
                    parts.extend(self.branch(&branches, depth));
                }
            }
            if !self.check.step(parts.iter().map(size).sum()) {
                return Cow::Owned(own);
            }
            for part in parts {
                if let Value::Object(part) = part {
                    merge(&mut own, part);
                }
            }
            flat = Cow::Owned(own);
        }
        flat
    }

    /// One of several branches; deep down one that ends.
    fn branch(&mut self, branches: &[Value], depth: usize) -> Option<Value> {
        let ends = |branch: &&Value| !has_reference(branch);
        let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
        if depth >= PLAIN {
            let null = branches.iter().find(|branch| is_null(branch));
            let plain = null.or_else(|| branches.iter().find(ends));
            return plain.or(branches.first()).cloned();
        }
        let full: Vec<_> = branches.iter().filter(|branch| !is_null(branch)).collect();
        let chosen = self.writer.rng().pick(&full).copied();
        chosen.or(branches.first()).cloned()
    }

    fn listed(&mut self, schema: &Map<String, Value>, listed: &[Value]) -> Value {
        let rest = schema.iter().filter(|(key, _)| *key != "enum");
        if !self
            .check
            .step(rest.clone().map(|(_, part)| size(part)).sum())
        {
            return Value::Null;
        }
        let others = rest.map(|(key, part)| (key.clone(), part.clone()));
        let rest = Value::Object(others.collect());
        let legal: Vec<_> = listed
            .iter()
            .filter(|value| self.check.accepts(&rest, value))
            .collect();
        let filled: Vec<_> = legal
            .iter()
            .copied()
            .filter(|value| !value.is_null())
            .collect();
        let among = if filled.is_empty() { legal } else { filled };
        let chosen = self.writer.rng().pick(&among).copied();
        chosen.map(|value| self.copy(value)).unwrap_or_default()
    }

    /// The type to fill: of several one that is not null, but null deep down.
    fn kind<'s>(&mut self, schema: &'s Map<String, Value>, depth: usize) -> &'s str {
        match schema.get("type") {
            Some(Value::String(kind)) => kind,
            Some(Value::Array(kinds)) => {
                self.check.step(kinds.len());
                let kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
                let filled: Vec<_> = kinds
                    .iter()
                    .copied()
                    .filter(|kind| *kind != "null")
                    .collect();
                let nullable = filled.len() < kinds.len();
                let null = filled.is_empty() || (nullable && depth >= PLAIN);
                let kind = self.writer.rng().pick(&filled).copied();
                kind.filter(|_| !null).unwrap_or("null")
            }
            _ => implied(schema),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let none = Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&none);
        let required = schema.get("required").and_then(Value::as_array);
        if !self
            .check
            .step(properties.len() + required.map_or(0, Vec::len))
        {
            return Value::Null;
        }
        let required: IndexSet<_> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let least = count(schema, "minProperties").unwrap_or(0);
        let closed = schema.contains_key(CLOSED) || depth >= PLAIN;
        let mut filled = Map::new();
        for (name, part) in properties {
            let wanted = required.contains(name.as_str()) || (filled.len() as u64) < least;
            if wanted || (!closed && self.writer.rng().happens(50)) {
                if !self.takes(name.len()) {
                    break;
                }
                filled.insert(name.clone(), self.value(part, name, depth + 1));
            }
        }
        let free = schema
            .get("additionalProperties")
            .cloned()
            .unwrap_or(Value::Bool(true));
        for name in required {
            if !filled.contains_key(name) {
                if !self.takes(name.len()) {
                    break;
                }
                filled.insert(name.into(), self.value(&free, name, depth + 1));
            }
        }
        while (filled.len() as u64) < least.min(ITEMS) {
            let name = format!("{}-{}", self.writer.line("label"), filled.len() + 1);
            if self.left == 0 || !self.takes(name.len()) {
                break;
            }
            let value = self.value(&free, &name, depth + 1);
            filled.insert(name, value);
        }
        Value::Object(filled)
    }

    fn array(&mut self, schema: &Map<String, Value>, name: &str, depth: usize) -> Value {
        let first = schema
            .get("prefixItems")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let least = count(schema, "minItems").unwrap_or(0).min(ITEMS);
        let most = count(schema, "maxItems").unwrap_or(least.max(3)).min(ITEMS);
        let most = if depth >= PLAIN {
            least
        } else {
            most.min(least + 2)
        };
        let room = usize::try_from(most.saturating_sub(least)).unwrap_or(0) + 1;
        let wanted = least
            .max(first.len() as u64)
            .max(u64::from(depth < PLAIN).min(most))
            .max(least + self.writer.rng().below(room) as u64);
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let any = Value::Bool(true);
        let mut items: Vec<Value> = Vec::new();
        // Where items must differ, some tries are in vain.
        for _ in 0..wanted * if unique { 8 } else { 1 } {
            if items.len() as u64 >= wanted || self.left == 0 || self.is_spent() {
                break;
            }
            let part = first
                .get(items.len())
                .or_else(|| schema.get("items"))
                .unwrap_or(&any);
            let item = self.value(part, name, depth + 1);
            if !unique || !items.contains(&item) {
                items.push(item);
            }
        }
        Value::Array(items)
    }

    fn integer(&mut self, schema: &Map<String, Value>) -> Value {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        let step = bound("multipleOf")
            .filter(|step| *step >= 1.0)
            .unwrap_or(1.0);
        let (least, most) = range(schema, 1.0);
        let first = (least / step).ceil();
        let steps = ((most / step).floor() - first).clamp(0.0, 1e6);
        let count = first + self.writer.rng().below(steps as usize + 1) as f64;
        Value::Number(Number::from((count * step) as i64))
    }

    fn number(&mut self, schema: &Map<String, Value>) -> Value {
        let (least, most) = range(schema, 0.0);
        if let Some(step) = schema.get("multipleOf").and_then(Value::as_f64) {
            let first = (least / step).ceil();
            let steps = ((most / step).floor() - first).clamp(0.0, 1e6);
            let count = first + self.writer.rng().below(steps as usize + 1) as f64;
            return Number::from_f64(count * step).map_or(Value::Null, Value::Number);
        }
        // The middle parts keep clear of bounds that are not included.
        let share = (1 + self.writer.rng().below(99)) as f64 / 100.0;
        let within = if least < most {
            least + (most - least) * share
        } else {
            least
        };
        let round = (within * 100.0).round() / 100.0;
        let fits = round > least && round < most;
        let number = if fits { round } else { within };
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }

    fn text(&mut self, schema: &Map<String, Value>, name: &str) -> Value {
        const LABELS: [&str; 5] = ["name", "title", "label", "topic", "id"];
        let least = count(schema, "minLength").unwrap_or(0).min(LARGEST_MINIMUM) as usize;
        if !self.takes(least) {
            return Value::Null;
        }
        let most = count(schema, "maxLength").map_or(usize::MAX, |most| most as usize);
        let language = self.writer.language();
        let mut text = if LABELS.contains(&name) || most < 40 {
            self.writer.line("label")
        } else {
            self.writer.anything()
        };
        for _ in 0..SENTENCES {
            if text.chars().count() >= least {
                break;
            }
            let more = self.writer.line("generic.more");
            text = self.writer.paragraph(&[text, more]);
        }
        let mut text = fit(language, &text, most);
        let missing = least.saturating_sub(text.chars().count());
        text.extend(std::iter::repeat_n('…', missing));
        self.takes(text.len().saturating_sub(least));
        Value::String(text)
    }
}

/// A mark of our own on a schema one of whose branches was chosen.
const CLOSED: &str = "\u{0}closed";

/// The type that a schema without one means.
fn implied(schema: &Map<String, Value>) -> &'static str {
    let has = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
    if has(&[
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
    ]) {
        "object"
    } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
        "array"
    } else if has(&[
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    ]) {
        "number"
    } else {
        "string"
    }
}

fn count(schema: &Map<String, Value>, key: &str) -> Option<u64> {
    schema.get(key).and_then(Value::as_u64)
}

/// How many steps it takes to copy a part of a schema: one for each value and each part of a text.
fn size(part: &Value) -> usize {
    let text_steps = |text: &str| text.len() / TEXT_STEP;
    let of_member = |(name, part): (&String, _)| text_steps(name) + size(part);
    match part {
        Value::String(text) => 1 + text_steps(text),
        Value::Array(parts) => 1 + parts.iter().map(size).sum::<usize>(),
        Value::Object(parts) => 1 + parts.iter().map(of_member).sum::<usize>(),
        _ => 1,
    }
}

/// The bounds of a number; exclusive ones are moved by `gap`, missing ones lie near the other.
fn range(schema: &Map<String, Value>, gap: f64) -> (f64, f64) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let tighter = |a: Option<f64>, b: Option<f64>, pick: fn(f64, f64) -> f64| match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    };
    // An integer above 2.5 starts at 3, one above 2 at 3 as well.
    let above = bound("exclusiveMinimum").map(|least| {
        if gap > 0.0 {
            least.floor() + gap
        } else {
            least
        }
    });
    let below =
        bound("exclusiveMaximum").map(|most| if gap > 0.0 { most.ceil() - gap } else { most });
    let least = tighter(bound("minimum"), above, f64::max);
    let most = tighter(bound("maximum"), below, f64::min);
    match (least, most) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least + 10.0),
        (None, Some(most)) => ((most - 10.0).max(0.0).min(most), most),
        (None, None) => (0.0, 10.0),
    }
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("$ref") || members.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

/// Puts what a part says into a schema, so that a value that satisfies the sum satisfies both.
fn merge(schema: &mut Map<String, Value>, part: Map<String, Value>) {
    for (key, value) in part {
        let Some(own) = schema.remove(&key) else {
            schema.insert(key, value);
            continue;
        };
        let sum = match (key.as_str(), own, value) {
            ("properties", Value::Object(mut own), Value::Object(other)) => {
                for (name, part) in other {
                    let both = match own.remove(&name) {
                        Some(first) => serde_json::json!({"allOf": [first, part]}),
                        None => part,
                    };
                    own.insert(name, both);
                }
                Value::Object(own)
            }
            ("required" | "allOf", Value::Array(mut own), Value::Array(other)) => {
                own.extend(other);
                Value::Array(own)
            }
            ("enum", Value::Array(mut own), Value::Array(other)) => {
                own.retain(|value| other.contains(value));
                Value::Array(own)
            }
            ("items", own, other) => serde_json::json!({"allOf": [own, other]}),
            ("type", own, other) => both_types(own, other),
            (key, own, other) => tighter(key, own, other),
        };
        schema.insert(key, sum);
    }
}

fn both_types(own: Value, other: Value) -> Value {
    let list = |value: Value| match value {
        Value::Array(kinds) => kinds,
        kind => vec![kind],
    };
    let other = list(other);
    let mut both: Vec<_> = list(own)
        .into_iter()
        .filter(|kind| other.contains(kind))
        .collect();
    match (both.pop(), both.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            both.push(last);
            Value::Array(both)
        }
        // An integer is a number too.
        (None, _) => Value::from("integer"),
    }
}

fn tighter(key: &str, own: Value, other: Value) -> Value {
    let (a, b) = (own.as_f64(), other.as_f64());
    let least = key.starts_with("min") || key == "exclusiveMinimum";
    match (a, b) {
        (Some(a), Some(b)) if (least && a >= b) || (!least && a <= b) => own,
        _ => other,
    }
}
