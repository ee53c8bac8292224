//! Filling any JSON schema by dialogue.
//!
//! Closed lists become menus. Where an object must hold exactly one of several members (`oneOf`
//! with `required`), the person chooses which, and the others are left out. What the dialogue has
//! no way to ask for is typed as JSON.

use std::io;

use serde_json::{Map, Value};

use super::dialogue::Dialogue;
use super::lessons::SeatLessons;
use super::question::{Question, SeatAnswer};
use crate::locale::{Argument, UiText, text};

/// The thought that stands for none.
const NO_THOUGHT: &str = "…";
/// Deeper schemas are typed as JSON.
const DEEPEST: usize = 8;

/// Asks for everything that a value of this schema needs.
pub(super) fn fill(
    dialogue: &mut Dialogue<'_>,
    lessons: &SeatLessons,
    schema: &Value,
) -> io::Result<Value> {
    let mut form = SchemaForm { dialogue, lessons };
    form.fill(schema, &UiText::default(), 0)
}

struct SchemaForm<'f, 'd> {
    dialogue: &'f mut Dialogue<'d>,
    lessons: &'f SeatLessons,
}

impl SchemaForm<'_, '_> {
    fn fill(&mut self, schema: &Value, label: &UiText, depth: usize) -> io::Result<Value> {
        if let Some(value) = schema.get("const") {
            return Ok(value.clone());
        }
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            return self.choose(options, label);
        }
        match kind(schema) {
            _ if depth > DEEPEST => self.raw(schema, label),
            "object" if schema.get("properties").is_some() => self.object(schema, depth),
            "array" if schema.get("items").is_some() => self.list(schema, label, depth),
            "string" => self.dialogue.text(label.clone()).map(Value::String),
            "integer" | "number" => self.number(schema, label),
            "boolean" => self.yes(label.clone()).map(Value::Bool),
            _ => self.raw(schema, label),
        }
    }

    fn yes(&mut self, question: UiText) -> io::Result<bool> {
        let options = vec![text!(mind_seat_yes), text!(mind_seat_no)];
        Ok(self.dialogue.choice(question, options)? == 0)
    }

    fn choose(&mut self, options: &[Value], label: &UiText) -> io::Result<Value> {
        if !options.is_empty() && options.iter().all(Value::is_u64) {
            return self.choose_number(options, label);
        }
        let names: Vec<_> = options
            .iter()
            .map(|option| self.lessons.label_of_option(&shown(option)))
            .collect();
        if names.is_empty() {
            return Ok(Value::Null);
        }
        let chosen = self.dialogue.choice(label.clone(), names)?;
        Ok(options.get(chosen).cloned().unwrap_or_default())
    }

    /// One of some numbers, typed as it is: its place in a menu would be another number.
    fn choose_number(&mut self, options: &[Value], label: &UiText) -> io::Result<Value> {
        loop {
            let line = self.dialogue.text(label.clone())?;
            let typed = line.parse::<u64>().map(Value::from).ok();
            if let Some(typed) = typed.filter(|typed| options.contains(typed)) {
                return Ok(typed);
            }
            let numbers = Argument::list(options.iter().map(shown));
            self.dialogue
                .show(text!(mind_seat_one_number_of, numbers))?;
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> io::Result<Value> {
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
            let in_all = |name: &String| {
                let mut alternatives = alternatives.iter();
                alternatives.all(|alternative| alternative.contains(name))
            };
            let option = |alternative: &Vec<String>| {
                let own = alternative.iter().filter(|name| !in_all(name));
                let own = own.map(|name| self.lessons.label_of_member(name));
                text!(mind_seat_together, members = Argument::list(own))
            };
            let options: Vec<_> = alternatives.iter().map(option).collect();
            let chosen = self.dialogue.choice(text!(mind_seat_what_to_do), options)?;
            wanted.extend(alternatives.into_iter().nth(chosen).unwrap_or_default());
        }
        if wanted.is_empty() {
            wanted = members.keys().cloned().collect();
        }
        // A thought comes last: it is about what was chosen.
        wanted.sort_by_key(|name| self.lessons.is_thought(name));
        let mut filled = Map::new();
        for name in wanted {
            if let Some(member) = members.get(&name).filter(|_| !filled.contains_key(&name)) {
                let value = if self.lessons.is_thought(&name) {
                    let question = Question::words(text!(mind_seat_thought));
                    match self.dialogue.ask(&question.or(text!(mind_seat_nothing)))? {
                        SeatAnswer::Words(words) => words.into(),
                        _ => NO_THOUGHT.into(),
                    }
                } else {
                    let label = self.lessons.label_of_member(&name);
                    self.fill(member, &label, depth + 1)?
                };
                filled.insert(name, value);
            }
        }
        Ok(Value::Object(filled))
    }

    fn number(&mut self, schema: &Value, label: &UiText) -> io::Result<Value> {
        let bound = |name| schema.get(name).and_then(Value::as_f64);
        let (least, most) = (bound("minimum"), bound("maximum"));
        let fits = |number: f64| {
            least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
        };
        loop {
            let line = self.dialogue.text(label.clone())?;
            let read = match kind(schema) {
                "integer" => line.parse::<i64>().map(Value::from).ok(),
                _ => line.parse::<f64>().map(Value::from).ok(),
            };
            if let Some(value) = read.filter(|value| value.as_f64().is_some_and(fits)) {
                return Ok(value);
            }
            let [least, most] =
                [least, most].map(|bound| bound.map_or("…".into(), |bound| bound.to_string()));
            self.dialogue.show(text!(mind_seat_number, least, most))?;
        }
    }

    fn list(&mut self, schema: &Value, label: &UiText, depth: usize) -> io::Result<Value> {
        let items = schema.get("items").cloned().unwrap_or_default();
        if let Some(options) = items.get("enum").and_then(Value::as_array) {
            let names = options.iter().map(|option| UiText::verbatim(shown(option)));
            let chosen = self.dialogue.order(label.clone(), names.collect())?;
            let chosen = chosen
                .into_iter()
                .filter_map(|index| options.get(index).cloned());
            return Ok(Value::Array(chosen.collect()));
        }
        let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(0) as usize;
        let most = bound("maxItems").map_or(usize::MAX, |most| most as usize);
        let mut filled = Vec::new();
        while filled.len() < most {
            let wants_more = filled.len() < least || self.yes(text!(mind_seat_more, label))?;
            if !wants_more {
                break;
            }
            let label = text!(mind_seat_nth, label, number = filled.len() + 1);
            filled.push(self.fill(&items, &label, depth + 1)?);
        }
        Ok(Value::Array(filled))
    }

    /// JSON, typed by hand; the schema is shown.
    fn raw(&mut self, schema: &Value, label: &UiText) -> io::Result<Value> {
        self.dialogue.show(text!(mind_seat_type_json))?;
        let shown = serde_json::to_string_pretty(schema).unwrap_or_default();
        self.dialogue.show(UiText::verbatim(shown))?;
        loop {
            match serde_json::from_str(&self.dialogue.text(label.clone())?) {
                Ok(value) => return Ok(value),
                Err(error) => self
                    .dialogue
                    .show(text!(mind_seat_no_json, error = &error))?,
            }
        }
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

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}
