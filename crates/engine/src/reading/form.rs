//! A value in the form that was asked for: what was meant is put where the schema has it.
//!
//! Wrappers are taken off, members are found under other names, words become what was offered, and
//! what can only be one thing need not be said. What remains wrong is told all at once.

use serde_json::{Map, Value, json};

use super::json::json_at;
use super::lines::list_item;
use super::listing::Listing;
use super::names::OtherNames;
use super::options::{Meant, Offers, is_slip, words_of};
use super::text::narrow;
use super::words::{WRAPPERS, is_ellipsis, is_nothing, is_set_aside, number_in_words, truth};

/// How deep an answer is read.
const DEPTH: usize = 16;

#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// What the form is called.
    pub name: &'a str,
    /// Its schema, with what is offered.
    pub schema: &'a Value,
    /// The paths of members that need not be said, although the schema asks for them.
    pub optional: &'a [&'a str],
    /// Outermost members that may be said, although the schema does not ask for them.
    pub unasked: &'a [&'a str],
    pub other_names: OtherNames,
    /// Other words for what is offered: each with the word for which it stands.
    pub other_words: &'a [(&'a str, &'a str)],
    /// Words around what is offered that say nothing of their own.
    pub fillers: &'static [&'static str],
    /// The question, which lists what is offered.
    pub question: &'a str,
}

/// A value in its form.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    pub value: Value,
    /// The outermost members of the answer that have no place in the form.
    pub left_out: Vec<String>,
    /// What is still wrong.
    pub faults: Vec<Fault>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Where, such as `cards[2].targets[0]`; empty for the whole answer.
    pub path: String,
    pub kind: FaultKind,
}

impl Fault {
    /// Whether the value is not in its form, whatever is offered.
    pub fn spoils_form(&self) -> bool {
        !matches!(self.kind, FaultKind::NotOffered { .. })
    }

    /// Whether it is within a member, where a list or a choice is missing: that is none.
    pub fn lacks_a_part(&self) -> bool {
        let is_none = matches!(
            self.kind,
            FaultKind::Missing(Wanted::List | Wanted::OneOf(_))
        );
        is_none && self.path.contains(['.', '['])
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    Missing(Wanted),
    /// It is something else.
    Other(Wanted),
    /// Several things were said where there is one.
    Twice(Vec<String>),
    /// It was not offered, or fits several that were.
    NotOffered {
        given: String,
        options: Vec<String>,
    },
}

/// What should be there.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    OneOf(Vec<String>),
    Text,
    Number,
    Truth,
    List,
    Object,
}

impl Form<'_> {
    /// Puts a value into the form.
    pub fn fit(&self, value: Value) -> Fitted {
        let mut fitter = Fitter {
            form: self,
            listing: Listing::of(self.question),
            faults: Vec::new(),
            left_out: Vec::new(),
        };
        let value = fitter.fit(value, self.schema, &Path::default());
        Fitted {
            value,
            left_out: fitter.left_out,
            faults: fitter.faults,
        }
    }

    /// Whether a value has no member that the form does not know.
    pub fn knows(&self, value: &Value) -> bool {
        knows(value, self.schema, DEPTH)
    }

    /// Whether the form has a member of this name, however it is written.
    pub fn has_member(&self, name: &str) -> bool {
        let known: Vec<_> = properties(self.schema)
            .map(Map::keys)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        self.same_member(name, &known).is_some()
    }

    /// The only one of these members that a name means.
    fn same_member<'k>(&self, name: &str, known: &[&'k str]) -> Option<&'k str> {
        let words = words_of(name);
        let (glued, joined) = (words.concat(), words.join("_"));
        let one = |name: &str| name.trim_end_matches('s').to_owned();
        let rules: [&dyn Fn(&str) -> bool; 4] = [
            &|known| words_of(known).concat() == glued,
            &|known| one(&words_of(known).concat()) == one(&glued),
            &|known| self.is_called(known, &joined) || self.is_called(known, &glued),
            &|known| is_slip(&words_of(known), &words),
        ];
        let (first, second) = rules
            .iter()
            .map(|is_meant| {
                let mut meant = known.iter().filter(|known| is_meant(known));
                (meant.next().copied(), meant.next())
            })
            .find(|(first, _)| first.is_some())?;
        first.filter(|_| second.is_none())
    }

    /// Whether a member has this other name.
    fn is_called(&self, member: &str, name: &str) -> bool {
        let mut rows = self.other_names.iter();
        rows.any(|(known, names)| *known == member && names.contains(&name))
    }

    /// Takes those that are meant by these members.
    fn taken(
        &self,
        from: &mut Vec<(String, Value)>,
        members: &Map<String, Value>,
    ) -> Map<String, Value> {
        let names: Vec<_> = members.keys().map(String::as_str).collect();
        from.extract_if(.., |(name, _)| self.same_member(name, &names).is_some())
            .collect()
    }

    /// Offers with what is known of them here.
    fn knowing(&self, offers: Offers) -> Offers {
        let offers = offers.with_other_words(self.other_words);
        offers.with_fillers(self.fillers)
    }

    /// What an answer in prose says for this member: one of what is offered there if it is nothing
    /// else, or its text.
    pub fn bare(&self, member: &str, text: &str) -> Option<Value> {
        let schema = properties(self.schema)?.get(member)?;
        let Some(listed) = schema.get("enum").and_then(Value::as_array) else {
            return (kind_of(schema) == "string").then(|| text.into());
        };
        let listed_names: Vec<_> = listed.iter().map(name_of).collect();
        let names: Vec<_> = listed_names.iter().map(String::as_str).collect();
        let offers = self.knowing(Listing::of(self.question).offers(&names));
        match offers.meant_alone(text) {
            Meant::One(index) => listed.get(index).cloned(),
            _ => None,
        }
    }

    /// A value without what is wrong at these paths, such as `cards[2].targets[0]`: the smallest
    /// part is left out that need not be said. `None` if one has to be.
    pub fn without(&self, mut value: Value, wrong: &[&str]) -> Option<Value> {
        let are_left_out = wrong
            .iter()
            .all(|path| leave_out(&mut value, self.schema, path));
        drop_nulls(&mut value);
        are_left_out.then_some(value)
    }

    /// The same, but what has to be said, and is wrong, becomes what it can be, and so do parts of
    /// the members to be `shown`. `None` if all of it is wrong.
    pub fn corrected(&self, mut value: Value, wrong: &[&str], shown: &[&str]) -> Option<Value> {
        let known = properties(self.schema)?;
        let listing = Listing::of(self.question);
        for path in wrong {
            let (outer, inner) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
            let schema = known.get(outer)?;
            if shown.contains(&outer) || !leave_out(&mut value, self.schema, path) {
                let member = value.as_object_mut()?.entry(outer).or_insert(Value::Null);
                mend(member, schema, inner, &listing);
            }
        }
        drop_nulls(&mut value);
        Some(value)
    }

    /// The smallest value in the form, and with these of the outermost members. Texts are left to
    /// the asked entity.
    pub fn example(&self, with: &[&str]) -> Value {
        example(self.schema, with, DEPTH)
    }
}

#[derive(Clone, Debug, Default)]
struct Path {
    shown: String,
    /// Without the numbers of items.
    plain: String,
}

impl Path {
    fn member(&self, name: &str) -> Self {
        let joined = |path: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        Self {
            shown: joined(&self.shown),
            plain: joined(&self.plain),
        }
    }

    fn item(&self, index: usize) -> Self {
        Self {
            shown: format!("{}[{index}]", self.shown),
            plain: self.plain.clone(),
        }
    }

    /// Whether it is an item of a list that has the plural of this name.
    fn is_item_of(&self, name: &str) -> bool {
        let list = self.plain.rsplit('.').next().unwrap_or_default();
        self.shown.ends_with(']') && list.strip_suffix('s') == Some(name)
    }

    fn depth(&self) -> usize {
        self.shown.matches(['.', '[']).count()
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

fn kind_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or_default()
        }
        _ => kind_of_all(schema.get("enum").and_then(Value::as_array)),
    }
}

fn kind_of_all(listed: Option<&Vec<Value>>) -> &'static str {
    match listed {
        Some(listed) if listed.iter().all(Value::is_string) => "string",
        Some(listed) if listed.iter().all(Value::is_i64) => "integer",
        _ => "",
    }
}

fn may_be_null(schema: &Value) -> bool {
    let kinds = schema.get("type").and_then(Value::as_array);
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"))
}

/// The branch of a union that a value is meant for.
fn branch<'s>(value: &Value, schema: &'s Value) -> &'s Value {
    let branches = schema
        .get("anyOf")
        .or(schema.get("oneOf"))
        .and_then(Value::as_array);
    let Some(branches) = branches else {
        return schema;
    };
    let branches: Vec<_> = branches
        .iter()
        .filter(|branch| kind_of(branch) != "null")
        .collect();
    let kind = match value {
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        _ => "",
    };
    let mut fitting = branches.iter().filter(|branch| kind_of(branch) == kind);
    let tagged = fitting.clone().find(|branch| is_tagged(value, branch));
    let fitting = tagged.or(fitting.next());
    let only = branches.first().filter(|_| branches.len() == 1);
    fitting.or(only).copied().unwrap_or(schema)
}

/// Whether an object has the tag of a branch, as a member or as its only name.
fn is_tagged(value: &Value, branch: &Value) -> bool {
    let mut members = properties(branch).into_iter().flatten();
    members.any(|(name, schema)| {
        let tag = schema.get("const").and_then(Value::as_str);
        tag.is_some_and(|tag| {
            let is_name = |members: &Map<_, _>| members.len() == 1 && members.contains_key(tag);
            value.get(name).and_then(Value::as_str) == Some(tag)
                || value.as_object().is_some_and(is_name)
        })
    })
}

fn offers(words: &[&str], text: &str) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| word.to_lowercase() == text)
}

fn words_in(schema: &Value) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const") {
        return word.as_str().map(|word| vec![word]);
    }
    let listed = schema.get("enum")?.as_array()?;
    listed.iter().map(Value::as_str).collect()
}

/// The words of which a value is one: of the schema itself, or of the items of its list.
fn offered(schema: &Value) -> Option<Vec<&str>> {
    words_in(schema).or_else(|| words_in(schema.get("items")?))
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

fn knows(value: &Value, schema: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let schema = branch(value, schema);
    match value {
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            items.iter().all(|item| knows(item, schema, depth))
        }
        Value::Object(members) => members.iter().all(|(name, value)| {
            match properties(schema).and_then(|known| known.get(name)) {
                Some(schema) => knows(value, schema, depth),
                None => value.is_null() || !is_closed(schema),
            }
        }),
        _ => true,
    }
}

/// Whether an object has a member that is known, or holds nothing but one that has.
fn holds_known(
    members: &Map<String, Value>,
    is_known: &dyn Fn(&str) -> bool,
    depth: usize,
) -> bool {
    let mut inner = members.values().filter(|_| members.len() == 1);
    let only = inner.next().filter(|_| depth > 0).cloned().map(opened);
    let inner = only.as_ref().and_then(Value::as_object);
    members.keys().any(|name| is_known(name))
        || inner.is_some_and(|inner| holds_known(inner, is_known, depth - 1))
}

/// Members that stand in another one where they mean nothing, beside it: its bracket is missing.
fn raised(mut given: Map<String, Value>, known: &Map<String, Value>) -> Map<String, Value> {
    let mut strays = Vec::new();
    for (name, value) in &mut given {
        let own = known
            .get(name)
            .map(|schema| branch(value, schema))
            .filter(|schema| is_closed(schema))
            .and_then(properties);
        let (Some(own), Some(members)) = (own, value.as_object_mut()) else {
            continue;
        };
        let names: Vec<_> = members.keys().cloned().collect();
        let is_stray = |name: &String| known.contains_key(name) && !own.contains_key(name);
        for name in names.into_iter().filter(is_stray) {
            strays.extend(members.remove(&name).map(|value| (name, value)));
        }
    }
    for (name, value) in strays {
        given.entry(name).or_insert(value);
    }
    given
}

/// Members whose names are paths, within what they belong to: `{"speak.text": "…"}`.
fn nested(given: Map<String, Value>, known: &Map<String, Value>) -> Map<String, Value> {
    let mut nested = Map::new();
    for (name, value) in given {
        if let Some((choice, others)) = with_its_members(&name, &value, known) {
            nested.extend(others);
            nested.insert(name, choice);
            continue;
        }
        let path = name.split_once(['.', '/']);
        match path.filter(|(outer, _)| known.contains_key(*outer) && !known.contains_key(&name)) {
            Some((outer, inner)) => {
                let holder = nested.entry(outer).or_insert_with(|| json!({}));
                if let Value::Object(members) = holder {
                    members.insert(inner.to_owned(), value);
                }
            }
            None => {
                nested.insert(name, value);
            }
        }
    }
    nested
}

/// A choice, and the members beside it that were put within: `{"action": {"type": "play", "cards":
/// []}}`.
fn with_its_members(
    name: &str,
    value: &Value,
    known: &Map<String, Value>,
) -> Option<(Value, Map<String, Value>)> {
    words_in(known.get(name)?)?;
    let mut others = value.as_object()?.clone();
    let choice = ["type", "name", "kind", name]
        .iter()
        .find_map(|name| others.remove(*name))?;
    others.retain(|other, _| known.contains_key(other) && other != name);
    (!others.is_empty()).then_some((choice, others))
}

/// Members that stand under the name of a choice among them: `{"say": {"text": "…"}}`.
fn tagged(mut given: Map<String, Value>, known: &Map<String, Value>) -> Map<String, Value> {
    let only = given.iter().next().filter(|_| given.len() == 1);
    let Some((name, Value::Object(inner))) = only.filter(|(name, _)| !known.contains_key(*name))
    else {
        return given;
    };
    let is_named = |word: &&str| word.eq_ignore_ascii_case(name);
    let choice = known.iter().find_map(|(choice, schema)| {
        let word = words_in(schema)?.into_iter().find(is_named)?;
        Some((choice.clone(), Value::from(word)))
    });
    if let Some(choice) = choice {
        given = inner.clone();
        given.extend([choice]);
    }
    given
}

/// A value that is JSON once more, or stands in a list alone.
fn opened(value: Value) -> Value {
    match value {
        Value::Array(mut items) if items.len() == 1 => items.pop().unwrap_or_default(),
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => json_at(text.trim())
            .filter(|(value, _)| value.is_object())
            .map_or(Value::String(text), |(value, _)| value),
        value => value,
    }
}

/// Members that were listed with their names: `[{"name": "say", "value": "…"}]`.
fn paired(value: Value) -> Value {
    let pair = |item: &Value| {
        let members = item.as_object().filter(|members| members.len() == 2)?;
        let mut names = ["name", "key", "field", "member"].iter();
        let name = names.find_map(|name| members.get(*name)?.as_str())?;
        Some((name.to_owned(), members.get("value")?.clone()))
    };
    let items = value.as_array().filter(|items| items.len() > 1);
    let members = items.and_then(|items| items.iter().map(pair).collect::<Option<Map<_, _>>>());
    members.map_or(value, Value::Object)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => is_nothing(text),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(members) => members.values().all(is_empty),
    }
}

fn example(schema: &Value, with: &[&str], depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    let first = schema.get("enum").and_then(|words| words.get(0));
    if let Some(first) = first.or(schema.get("const")) {
        return first.clone();
    }
    let schema = branch(&Value::Null, schema);
    match kind_of(schema) {
        "object" => {
            let known = properties(schema).into_iter().flatten();
            let is_needed = |name: &str| required(schema).any(|needed| needed == name);
            let shown = known.filter(|(name, _)| is_needed(name) || with.contains(&name.as_str()));
            let members = shown.map(|(name, schema)| (name.clone(), example(schema, &[], depth)));
            Value::Object(members.collect())
        }
        "array" => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            json!([example(items, &[], depth)])
        }
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        _ => json!("…"),
    }
}

/// The first step of a path, and the others.
fn first_step(path: &str) -> (&str, &str) {
    let path = path.trim_start_matches(['.', '[']);
    let end = path.find(['.', '[', ']']).unwrap_or(path.len());
    let (step, rest) = path.split_at(end);
    (step, rest.trim_start_matches(']'))
}

/// Leaves out the smallest part at a path within a value that need not be said. Returns whether
/// there is one.
fn leave_out(value: &mut Value, schema: &Value, path: &str) -> bool {
    let (step, rest) = first_step(path);
    let schema = branch(value, schema);
    // Recursive: a path is as deep as the form.
    match value {
        Value::Array(items) => {
            let index = step.parse().ok();
            let item = index.and_then(|index: usize| items.get_mut(index));
            let Some((item, schema)) = item.zip(schema.get("items")) else {
                return false;
            };
            if !rest.is_empty() {
                return leave_out(item, schema, rest);
            }
            // The others keep their numbers until all is left out.
            *item = Value::Null;
            true
        }
        Value::Object(members) => {
            let known = properties(schema).and_then(|known| known.get(step));
            let inner = members.get_mut(step).zip(known);
            if inner.is_some_and(|(value, schema)| leave_out(value, schema, rest)) {
                return true;
            }
            let is_needed = step.is_empty() || required(schema).any(|needed| needed == step);
            if !is_needed {
                members.remove(step);
            }
            !is_needed
        }
        _ => false,
    }
}

/// Puts what can stand there at a path within a value.
fn mend(value: &mut Value, schema: &Value, path: &str, listing: &Listing<'_>) {
    let (step, rest) = first_step(path);
    let is_item = value.is_array();
    let inner = match value {
        Value::Array(items) => step
            .parse()
            .ok()
            .and_then(|index: usize| items.get_mut(index))
            .zip(schema.get("items")),
        Value::Object(members) if !step.is_empty() => {
            let schema = properties(schema).and_then(|known| known.get(step));
            schema.map(|schema| (members.entry(step).or_insert(Value::Null), schema))
        }
        _ => None,
    };
    match inner {
        // Another item than was meant says nothing: it is left out, and the others keep their
        // numbers until then.
        Some((item, _)) if rest.is_empty() && is_item && item.is_object() => *item = Value::Null,
        // Recursive: a path is as deep as the form.
        Some((inner, schema)) => mend(inner, schema, rest, listing),
        None => *value = likest(value, schema, listing),
    }
}

/// Leaves out the items of lists that are null.
pub fn drop_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(drop_nulls);
        }
        Value::Object(members) => members.values_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// What was offered and looks most like what was said, or else the first.
fn likest(given: &Value, schema: &Value, listing: &Listing<'_>) -> Value {
    let offered = words_in(schema).unwrap_or_default();
    let likest = listing
        .offers(&offered)
        .likest(given.as_str().unwrap_or_default());
    let likest = offered.get(likest.unwrap_or_default());
    likest.map_or_else(|| example(schema, &[], DEPTH), |likest| json!(likest))
}

struct Fitter<'a> {
    form: &'a Form<'a>,
    listing: Listing<'a>,
    faults: Vec<Fault>,
    left_out: Vec<String>,
}

impl Fitter<'_> {
    fn fault(&mut self, path: &Path, kind: FaultKind) {
        self.faults.push(Fault {
            path: path.shown.clone(),
            kind,
        });
    }

    fn fit(&mut self, value: Value, schema: &Value, path: &Path) -> Value {
        if path.depth() >= DEPTH {
            return value;
        }
        let schema = branch(&value, schema);
        match kind_of(schema) {
            "object" => self.object(value, schema, path),
            "array" => self.list(value, schema, path),
            "string" => self.text(value, schema, path),
            "integer" | "number" => self.number(value, schema, path),
            "boolean" => self.truth(value, path),
            _ => value,
        }
    }

    fn offers(&self, words: &[&str]) -> Offers {
        self.form.knowing(self.listing.offers(words))
    }

    fn object(&mut self, value: Value, schema: &Value, path: &Path) -> Value {
        match paired(opened(value)) {
            Value::Object(members) => Value::Object(self.members(members, schema, path)),
            scalar => match self.spread(&scalar, schema, path) {
                Some(members) => Value::Object(self.members(members, schema, path)),
                None => {
                    self.fault(path, FaultKind::Other(Wanted::Object));
                    scalar
                }
            },
        }
    }

    /// The members that the schema asks for and that must be said.
    fn needed<'s>(&self, schema: &'s Value, path: &Path) -> Vec<&'s str> {
        let optional = self.form.optional;
        let is_needed = |name: &&str| !optional.contains(&path.member(name).plain.as_str());
        required(schema).filter(is_needed).collect()
    }

    /// An object of which only the one thing was said that matters.
    fn spread(&self, value: &Value, schema: &Value, path: &Path) -> Option<Map<String, Value>> {
        let text = match value {
            Value::Bool(true) => return Some(Map::new()),
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        let known = properties(schema)?;
        let needed = self.needed(schema, path);
        let wanted: Vec<_> = match needed.is_empty() {
            true => required(schema).collect(),
            false => needed,
        };
        let (choices, others): (Vec<_>, Vec<_>) = wanted
            .into_iter()
            .filter_map(|name| Some((name, known.get(name)?)))
            .partition(|(_, schema)| offered(schema).is_some());
        let said = |name: &str, text: &str| Some(Map::from_iter([(name.to_owned(), text.into())]));
        let offers = |schema| self.offers(&offered(schema).unwrap_or_default());
        if let [(name, schema)] = choices.as_slice()
            && matches!(offers(schema).meant(&text), Meant::One(_))
        {
            return said(name, &text);
        }
        if let Some((name, _)) = others.iter().find(|(_, schema)| match kind_of(schema) {
            "integer" | "number" => text.trim().parse::<f64>().is_ok(),
            kind => kind == "string",
        }) {
            return said(name, &text);
        }
        let mentioned = choices.iter().map(|(name, schema)| {
            let words: Vec<_> = offered(schema)?
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect();
            match Offers::of_names(words.iter().copied())
                .mentioned(&text)
                .as_slice()
            {
                [one] => Some(((*name).to_owned(), Value::from(*words.get(*one)?))),
                _ => None,
            }
        });
        mentioned.collect()
    }

    fn members(
        &mut self,
        given: Map<String, Value>,
        schema: &Value,
        path: &Path,
    ) -> Map<String, Value> {
        let Some(known) = properties(schema) else {
            return given;
        };
        let given = raised(tagged(given, known), known);
        let given = self.unwrapped(nested(given, known), known, path);
        let (mut found, mut unknown) = (Map::new(), Vec::new());
        for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
            if known.contains_key(&name) {
                found.insert(name, value);
            } else {
                unknown.push((name, value));
            }
        }
        self.rename(&mut found, &mut unknown, known, path);
        self.gather(&mut found, &mut unknown, known, path);
        self.complete(&mut found, &mut unknown, known, path);
        self.adopt(&mut found, &mut unknown, schema, path);
        if is_closed(schema) {
            if path.shown.is_empty() {
                let is_unasked =
                    |(name, _): &mut (String, _)| self.form.unasked.contains(&name.as_str());
                found.extend(unknown.extract_if(.., is_unasked));
                self.left_out
                    .extend(unknown.into_iter().map(|(name, _)| name));
            }
        } else {
            found.extend(unknown);
        }
        self.fit_members(found, schema, known, path)
    }

    /// Members without what they were wrapped in: an object that has none of those that are known,
    /// or has the name of a wrapper.
    fn unwrapped(
        &self,
        mut given: Map<String, Value>,
        known: &Map<String, Value>,
        path: &Path,
    ) -> Map<String, Value> {
        let names: Vec<_> = known.keys().map(String::as_str).collect();
        let is_known =
            |name: &str| known.contains_key(name) || self.form.same_member(name, &names).is_some();
        let is_bare = !given.keys().any(|name| known.contains_key(name));
        let outer: Vec<_> = given
            .keys()
            .filter(|name| !known.contains_key(*name))
            .cloned()
            .collect();
        // Of two answers none is it.
        let holds = |name: &&String| {
            let value = given.get(*name).cloned().map(opened);
            let inner = value.as_ref().and_then(Value::as_object);
            !is_known(name) && inner.is_some_and(|inner| inner.keys().any(|name| is_known(name)))
        };
        if is_bare && outer.iter().filter(holds).nth(1).is_some() {
            return given;
        }
        for name in outer {
            let is_wrapper = WRAPPERS.contains(&name.to_lowercase().as_str())
                || name == self.form.name
                || path.is_item_of(&name);
            let is_set_aside = words_of(&name).iter().any(|word| is_set_aside(word));
            let value = given.remove(&name).unwrap_or_default();
            let inner = opened(value.clone());
            let collides =
                |inner: &Map<String, Value>| inner.keys().any(|name| given.contains_key(name));
            match inner {
                Value::Object(inner)
                    if (is_bare || is_wrapper)
                        && !is_set_aside
                        && holds_known(&inner, &is_known, 3)
                        && !collides(&inner) =>
                {
                    given.extend(inner);
                    if path.shown.is_empty() && is_bare {
                        return self.unwrapped(given, known, path);
                    }
                }
                _ => {
                    given.insert(name, value);
                }
            }
        }
        given
    }

    /// Finds members under other names.
    fn rename(
        &mut self,
        found: &mut Map<String, Value>,
        unknown: &mut Vec<(String, Value)>,
        known: &Map<String, Value>,
        path: &Path,
    ) {
        let all: Vec<_> = known.keys().map(String::as_str).collect();
        for (name, value) in std::mem::take(unknown) {
            let absent: Vec<_> = all
                .iter()
                .copied()
                .filter(|name| !found.contains_key(*name))
                .collect();
            if let Some(meant) = self.form.same_member(&name, &absent) {
                found.insert(meant.to_owned(), value);
                continue;
            }
            let twice = self
                .form
                .same_member(&name, &all)
                .and_then(|meant| Some((meant, found.get(meant)?)));
            match twice {
                Some((meant, said))
                    if known.get(meant).is_some_and(|s| s.get("enum").is_some())
                        && *said != value =>
                {
                    let said = vec![name_of(said), name_of(&value)];
                    self.fault(&path.member(meant), FaultKind::Twice(said));
                }
                _ => unknown.push((name, value)),
            }
        }
    }

    /// Puts members together that belong to an object within this one, if only one can hold them,
    /// or if another member says which: `{"action": "move", "to": "Mill"}`.
    fn gather(
        &mut self,
        found: &mut Map<String, Value>,
        unknown: &mut Vec<(String, Value)>,
        known: &Map<String, Value>,
        path: &Path,
    ) {
        const SAYS_WHICH: [&str; 8] = [
            "action", "type", "kind", "do", "act", "command", "said", "done",
        ];
        let inner = known.iter().filter(|(name, _)| !found.contains_key(*name));
        let said = Value::Object(unknown.iter().cloned().collect());
        let inner: Vec<_> = inner
            .filter_map(|(name, schema)| {
                let object = branch(&said, schema);
                let object = if kind_of(object) == "array" {
                    object.get("items")?
                } else {
                    object
                };
                Some((name, object, properties(object)?))
            })
            .collect();
        let named = unknown
            .iter()
            .enumerate()
            .find_map(|(index, (name, value))| {
                let which = value
                    .as_str()
                    .filter(|_| SAYS_WHICH.contains(&name.to_lowercase().as_str()))?;
                let names: Vec<_> = inner.iter().map(|(name, ..)| name.as_str()).collect();
                Some((index, self.form.same_member(which, &names)?))
            });
        let which = match named {
            Some((index, which)) => {
                unknown.remove(index);
                inner.iter().find(|(name, ..)| *name == which)
            }
            None => {
                let holds = |members: &Map<String, Value>, said: &str| {
                    let names: Vec<_> = members.keys().map(String::as_str).collect();
                    self.form.same_member(said, &names).is_some()
                };
                let mut whole = inner.iter().filter(|(name, schema, members)| {
                    let needed = self.needed(schema, &path.member(name));
                    let names: Vec<_> = members.keys().map(String::as_str).collect();
                    let is_said = |needed: &&str| {
                        unknown
                            .iter()
                            .any(|(name, _)| self.form.same_member(name, &names) == Some(needed))
                    };
                    !needed.is_empty() && needed.iter().all(is_said)
                });
                let first = whole.next();
                // What two could hold belongs to neither.
                let is_shared = |other: &&(&String, &Value, &Map<String, Value>)| {
                    let mine = unknown
                        .iter()
                        .filter(|(said, _)| first.is_some_and(|first| holds(first.2, said)));
                    mine.into_iter().any(|(said, _)| holds(other.2, said))
                };
                first.filter(|_| !whole.any(|other| is_shared(&other)))
            }
        };
        let Some((name, _, members)) = which else {
            return;
        };
        let mine = self.form.taken(unknown, members);
        found.insert((*name).clone(), Value::Object(mine));
        // Recursive: each time one more object is found.
        self.gather(found, unknown, known, path);
    }

    /// Puts members beside a choice that belong to the object of which it is a part:
    /// `{"action": "go", "target": "Mill"}`.
    fn complete(
        &self,
        found: &mut Map<String, Value>,
        unknown: &mut Vec<(String, Value)>,
        known: &Map<String, Value>,
        path: &Path,
    ) {
        for (name, value) in found.iter_mut().filter(|(_, value)| value.is_string()) {
            let Some(schema) = known.get(name).filter(|_| !unknown.is_empty()) else {
                continue;
            };
            let schema = branch(&Value::Object(Map::new()), schema);
            let Some(members) = properties(schema) else {
                continue;
            };
            if let Some(mut said) = self.spread(value, schema, &path.member(name)) {
                said.extend(self.form.taken(unknown, members));
                *value = said.into();
            }
        }
    }

    /// Takes what was said under a name that means nothing for the one choice that is missing, if
    /// it fits nothing else: `{"choice": "the left one"}`, `{"left": true}`.
    fn adopt(
        &mut self,
        found: &mut Map<String, Value>,
        unknown: &mut Vec<(String, Value)>,
        schema: &Value,
        path: &Path,
    ) {
        let mut missing = self
            .needed(schema, path)
            .into_iter()
            .filter(|name| !found.contains_key(*name))
            .filter_map(|name| {
                let schema = properties(schema)?.get(name)?;
                Some((name, words_in(schema)?))
            });
        let (Some((name, words)), None) = (missing.next(), missing.next()) else {
            return;
        };
        let offers = self.offers(&words);
        let meant = |text: &str| match offers.meant(text) {
            Meant::One(index) => Some(index),
            _ => None,
        };
        let said: Vec<_> = unknown
            .iter()
            .enumerate()
            .filter_map(|(index, (name, value))| {
                let by_value = value.as_str().and_then(meant);
                let is_said = *value == Value::Bool(true) || value.is_string() || value.is_object();
                let by_name =
                    meant(name).filter(|_| is_said && (!value.is_object() || is_empty(value)));
                match (by_value, by_name) {
                    (Some(a), Some(b)) if a != b => None,
                    (a, b) => Some((index, a.or(b)?)),
                }
            })
            .collect();
        if let [(index, meant)] = said.as_slice() {
            unknown.remove(*index);
            let word = words.get(*meant).copied().unwrap_or_default();
            found.insert(name.to_owned(), word.into());
        }
    }

    fn fit_members(
        &mut self,
        given: Map<String, Value>,
        schema: &Value,
        known: &Map<String, Value>,
        path: &Path,
    ) -> Map<String, Value> {
        let needed = self.needed(schema, path);
        let mut fitted = Map::new();
        for (name, value) in given {
            let Some(schema) = known.get(&name) else {
                fitted.insert(name, value);
                continue;
            };
            let inner = path.member(&name);
            if !self.says_nothing(&value, schema, &inner, needed.contains(&name.as_str())) {
                fitted.insert(name, self.fit(value, schema, &inner));
            }
        }
        for name in required(schema) {
            let Some(schema) = known.get(name).filter(|_| !fitted.contains_key(name)) else {
                continue;
            };
            let inner = path.member(name);
            match only_value(schema) {
                Some(value) => {
                    fitted.insert(name.to_owned(), value);
                }
                None if needed.contains(&name) => {
                    self.fault(&inner, FaultKind::Missing(wanted(schema)))
                }
                None => {}
            }
        }
        fitted
    }

    /// Whether a member is as good as left out.
    fn says_nothing(&self, value: &Value, schema: &Value, path: &Path, is_needed: bool) -> bool {
        let schema = branch(value, schema);
        match (kind_of(schema), value) {
            (_, Value::Null) => true,
            ("object", Value::Object(members)) if members.is_empty() => {
                !is_needed && !self.needed(schema, path).is_empty()
            }
            ("object", value) => !is_needed && is_empty(value),
            ("array", value) => !value.is_array() && is_empty(value),
            ("string", Value::String(text)) => match words_in(schema) {
                Some(words) => is_nothing(text) && !offers(&words, text),
                None if is_needed => is_ellipsis(text),
                None => {
                    let unsaid = ["null", "none", "n/a"];
                    is_ellipsis(text) || unsaid.contains(&text.to_lowercase().as_str())
                }
            },
            _ => false,
        }
    }

    fn list(&mut self, value: Value, schema: &Value, path: &Path) -> Value {
        let items = schema.get("items").unwrap_or(&Value::Null);
        let values = match value {
            Value::Array(values) => values,
            Value::String(text) => self.divided(text, items),
            Value::Object(members) => listed_members(members, items),
            value => vec![value],
        };
        let words = words_in(items);
        let is_said = |value: &Value| match (&words, value) {
            (Some(words), Value::String(text)) => offers(words, text) || !is_nothing(text),
            (_, value) => !value.is_null(),
        };
        let values: Vec<_> = values.into_iter().filter(is_said).collect();
        let fitted = values
            .into_iter()
            .enumerate()
            .map(|(index, value)| self.fit(value, items, &path.item(index)));
        Value::Array(fitted.collect())
    }

    /// The items that a text lists: several if each of them was offered.
    fn divided(&self, text: String, items: &Value) -> Vec<Value> {
        if let Some((Value::Array(values), _)) = json_at(&text) {
            return values;
        }
        let Some(words) = words_in(items) else {
            let lines: Option<Vec<_>> = text.lines().map(list_item).collect();
            let lines = lines.filter(|lines| lines.len() > 1);
            return lines.map_or_else(
                || vec![text.clone().into()],
                |lines| lines.into_iter().map(Value::from).collect(),
            );
        };
        let offers = self.offers(&words);
        let is_offered = |text: &str| matches!(offers.meant(text), Meant::One(_));
        let parts: Vec<_> = text
            .split([',', '，', '、', ';', '；', '\n', '和', '与', '及'])
            .flat_map(|part| part.split(" and "))
            .map(str::trim)
            .map(|part| part.strip_prefix("and ").unwrap_or(part))
            .filter(|part| !part.is_empty())
            .collect();
        if parts.len() > 1 && !is_offered(&text) && parts.iter().all(|part| is_offered(part)) {
            return parts.into_iter().map(Value::from).collect();
        }
        vec![text.into()]
    }

    fn text(&mut self, value: Value, schema: &Value, path: &Path) -> Value {
        let words = words_in(schema);
        let Some(text) = self.said(&value, words.as_deref()) else {
            let wanted = wanted(schema);
            self.fault(path, FaultKind::Other(wanted));
            return value;
        };
        let Some(words) = words else {
            let is_null = may_be_null(schema) && matches!(&*text, "null" | "None");
            return if is_null { Value::Null } else { text.into() };
        };
        match self.offers(&words).meant(&text) {
            Meant::One(index) => words.get(index).copied().unwrap_or_default().into(),
            _ => {
                let options = words.iter().map(ToString::to_string).collect();
                let given = text.clone();
                self.fault(path, FaultKind::NotOffered { given, options });
                text.into()
            }
        }
    }

    /// What a value says in words.
    fn said(&self, value: &Value, words: Option<&[&str]>) -> Option<String> {
        match value {
            Value::String(text) => match (words, opened(value.clone())) {
                (Some(_), inner @ Value::Object(_)) => self.said(&inner, words),
                _ => Some(text.clone()),
            },
            Value::Number(number) => Some(number.to_string()),
            Value::Array(items) => {
                let said: Vec<_> = items
                    .iter()
                    .map(|item| self.said(item, words))
                    .collect::<Option<_>>()?;
                let is_short = said.len() == 1
                    || words.is_some()
                    || said.iter().all(|text| text.contains(' '));
                is_short.then(|| said.join(if words.is_some() { ", " } else { " " }))
            }
            Value::Object(members) => {
                let typed = members
                    .get("value")
                    .filter(|_| members.contains_key("type"));
                let only = members.values().next().filter(|_| members.len() == 1);
                if let Some(value) = typed.or(only).filter(|value| !value.is_array()) {
                    // Recursive: the depth is that of JSON that was read.
                    return self.said(value, words);
                }
                let texts: Vec<_> = members.values().filter_map(Value::as_str).collect();
                match (texts.as_slice(), words) {
                    (texts, Some(words)) if texts.len() == members.len() => {
                        let offers = self.offers(words);
                        let mut meant: Vec<_> = texts
                            .iter()
                            .filter_map(|text| match offers.meant(text) {
                                Meant::One(index) => Some(index),
                                _ => None,
                            })
                            .collect();
                        meant.dedup();
                        let [index] = meant.as_slice() else {
                            return None;
                        };
                        words.get(*index).map(ToString::to_string)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn number(&mut self, value: Value, schema: &Value, path: &Path) -> Value {
        let whole = |number: &serde_json::Number| {
            let number = number
                .as_f64()
                .filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
            number.map(|number| number as i64)
        };
        let listed = schema.get("enum").and_then(Value::as_array);
        let found = match opened(value.clone()) {
            Value::Number(number) if kind_of(schema) == "number" => return Value::Number(number),
            Value::Number(number) => number.as_i64().or_else(|| whole(&number)),
            Value::String(text) => match listed {
                Some(listed) => self
                    .listed_number(&text, listed)
                    .or_else(|| text.trim().parse().ok()),
                None => only_number(&text),
            },
            _ => None,
        };
        let found = found.map(Value::from);
        let kind = match (&found, listed) {
            (Some(found), Some(listed)) if !listed.contains(found) => not_offered(found, listed),
            (None, Some(listed)) => not_offered(&value, listed),
            (None, None) => FaultKind::Other(wanted(schema)),
            (Some(_), _) => return found.unwrap_or_default(),
        };
        self.fault(path, kind);
        found.unwrap_or(value)
    }

    /// One of the numbers that are offered, by its name or by what the question says of it.
    fn listed_number(&self, text: &str, listed: &[Value]) -> Option<i64> {
        let listed_names: Vec<_> = listed.iter().map(name_of).collect();
        let names: Vec<_> = listed_names.iter().map(String::as_str).collect();
        match self.offers(&names).meant(text) {
            Meant::One(index) => listed.get(index)?.as_i64(),
            _ => None,
        }
    }

    fn truth(&mut self, value: Value, path: &Path) -> Value {
        let found = match opened(value.clone()) {
            Value::Bool(is) => Some(is),
            Value::Number(number) => truth(&number.to_string()),
            Value::String(text) => truth(&text).or_else(|| {
                let name = path.shown.rsplit('.').next();
                name.filter(|name| words_of(name) == words_of(&text))
                    .map(|_| true)
            }),
            _ => None,
        };
        let Some(found) = found else {
            self.fault(path, FaultKind::Other(Wanted::Truth));
            return value;
        };
        found.into()
    }
}

/// The items of a list that was written as an object: numbered, or each with whether it is one.
fn listed_members(members: Map<String, Value>, items: &Value) -> Vec<Value> {
    let are_numbered = members.keys().all(|name| name.parse::<usize>().is_ok());
    let are_chosen = words_in(items).is_some() && members.values().all(Value::is_boolean);
    if are_numbered {
        members.into_values().collect()
    } else if are_chosen {
        let chosen = members.into_iter().filter(|(_, is)| *is == true);
        chosen.map(|(name, _)| name.into()).collect()
    } else {
        vec![members.into()]
    }
}

/// The whole number that a text says, if it is the only one, or the first of "8/10", "8 out of 10".
fn only_number(text: &str) -> Option<i64> {
    let text: String = text.trim().chars().map(narrow).collect();
    if let Ok(number) = text.parse::<f64>() {
        return (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
    }
    let share = text.split_once('/').or_else(|| text.split_once(" out of "));
    if let Some((part, whole)) = share {
        let (part, whole) = (only_number(part)?, only_number(whole)?);
        return (0..=whole).contains(&part).then_some(part);
    }
    let digits = text.split(|c: char| !c.is_ascii_digit());
    let mut numbers = digits.filter(|digits| !digits.is_empty());
    let Some(number) = numbers.next() else {
        return number_in_words(&words_of(&text));
    };
    let before = text
        .split(number)
        .next()
        .filter(|_| numbers.next().is_none())?;
    let number: i64 = number.parse().ok()?;
    Some(if before.ends_with(['-', '−']) {
        -number
    } else {
        number
    })
}

/// What stands for a member of which only one value is possible.
fn only_value(schema: &Value) -> Option<Value> {
    let only = |words: Vec<&str>| match words.as_slice() {
        [word] => Some(Value::from(*word)),
        _ => None,
    };
    match kind_of(schema) {
        "string" => only(words_in(schema)?),
        "array" => only(words_in(schema.get("items")?)?).map(|word| json!([word])),
        _ => None,
    }
}

fn not_offered(given: &Value, listed: &[Value]) -> FaultKind {
    FaultKind::NotOffered {
        given: name_of(given),
        options: listed.iter().map(name_of).collect(),
    }
}

/// What something is called that is offered.
fn name_of(offered: &Value) -> String {
    offered
        .as_str()
        .map_or_else(|| offered.to_string(), str::to_owned)
}

fn wanted(schema: &Value) -> Wanted {
    if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
        return Wanted::OneOf(listed.iter().map(name_of).collect());
    }
    match kind_of(branch(&Value::Null, schema)) {
        "object" => Wanted::Object,
        "array" => match offered(schema) {
            Some(words) => Wanted::OneOf(words.iter().map(ToString::to_string).collect()),
            None => Wanted::List,
        },
        "integer" | "number" => Wanted::Number,
        "boolean" => Wanted::Truth,
        _ => Wanted::Text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reading::find_json;
    use crate::reading::names::{
        ADDRESSEE, AIM, CHOICE, DEED, DESTINATION, PERSON, REASON, THING, THOUGHT, WORDS,
    };

    use crate::testing::each_row;

    const NAMES: OtherNames = &[
        ("mind", THOUGHT),
        ("option", CHOICE),
        ("text", WORDS),
        ("say", WORDS),
        ("why", REASON),
        ("reason", REASON),
        ("target", ADDRESSEE),
        ("to", ADDRESSEE),
        ("to", DESTINATION),
        ("about", PERSON),
        ("item", THING),
        ("what", DEED),
        ("aim", AIM),
        ("vote_number", &["vote_target"]),
    ];

    fn object(properties: Value, required: Value) -> Value {
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    fn one_of(words: &[&str]) -> Value {
        json!({"type": "string", "enum": words})
    }

    fn decision() -> Value {
        let text = json!({"type": "string", "maxLength": 600});
        object(
            json!({"mind": text, "option": one_of(&["take", "leave-them"]), "say": text}),
            json!(["mind", "option"]),
        )
    }

    const QUESTION: &str = "# You have to decide\n- \"take\": Put the coins into your own bag\n- \"leave-them\": Leave them\n";

    fn plan() -> Value {
        let text = json!({"type": "string", "minLength": 1});
        let other = one_of(&["Bob", "Ann Marsh"]);
        let item = one_of(&["the key", "the rope"]);
        let tells = json!({"type": "array", "items": one_of(&["the-lamp", "the-boy"])});
        let speech = object(
            json!({"target": other, "text": text, "tells": tells}),
            json!(["target", "text"]),
        );
        object(
            json!({
                "mind": {"type": "string"}, "speak": speech, "whisper": speech,
                "announce": object(json!({"text": text, "tells": tells}), json!(["text"])),
                "move": object(json!({"to": one_of(&["Mill", "Old Bridge"])}), json!(["to"])),
                "take": object(json!({"item": one_of(&["the log"])}), json!(["item"])),
                "use": object(json!({"item": item, "with": one_of(&["The Slanted Hold", "the log"])}), json!(["item", "with"])),
                "attempt": object(json!({"what": text, "aim": text}), json!(["what", "aim"])),
                "keep": object(json!({"to": other, "promise": {"type": "integer", "enum": [1, 2]}}), json!(["to", "promise"])),
                "wait": object(json!({"reason": text}), json!(["reason"])),
                "feels": object(json!({"about": other, "change": {"type": "integer", "enum": [-1, 1]}, "why": text}), json!(["about", "change", "why"])),
            }),
            json!(["mind"]),
        )
    }

    fn fight() -> Value {
        let text = json!({"type": "string", "minLength": 1});
        let targets =
            json!({"type": "array", "items": one_of(&["Tar Hound", "Rope Widow"]), "minItems": 1});
        let card = object(
            json!({"skill": one_of(&["Bone Saw", "Boathook", "Pitch Jaws"]), "name": text, "description": text, "targets": targets}),
            json!(["skill", "name", "description", "targets"]),
        );
        object(
            json!({"action": one_of(&["play", "hold", "flee"]), "cards": {"type": "array", "items": card}, "say": text, "seen": text}),
            json!(["action"]),
        )
    }

    const OPTIONAL: [&str; 8] = [
        "mind", "wait.reason", "feels.why", "attempt.aim", "cards.name", "cards.description",
        "cards.targets", "action",
    ];

    fn form<'f>(schema: &'f Value, question: &'f str) -> Form<'f> {
        Form {
            name: "plan",
            schema,
            optional: &OPTIONAL,
            unasked: &[],
            other_names: NAMES,
            other_words: &[("attack", "play"), ("run", "flee")],
            fillers: &[],
            question,
        }
    }

    #[test]
    fn a_word_for_nothing_that_was_offered_is_chosen() {
        let words = one_of(&["None", "take"]);
        let several = json!({"type": "array", "items": words});
        let schema = object(json!({"option": words, "all": several}), json!(["option"]));
        let none = json!({"option": "None", "all": ["None"]});
        for said in ["None", "none"] {
            let answer = json!({"option": said, "all": [said]}).to_string();
            assert_eq!(fit(&schema, &answer).value, none);
        }
    }

    fn fit(schema: &Value, answer: &str) -> Fitted {
        let found = find_json(answer).unwrap_or_else(|problem| panic!("{answer}: {problem:?}"));
        form(schema, QUESTION).fit(found.value)
    }

    /// Judges a table of answers and what they mean.
    fn check(schema: &Value, table: &str) {
        each_row(table, |[answer, wanted]| {
            let fitted = fit(schema, answer);
            let wanted: Value = serde_json::from_str(wanted).unwrap();
            assert_eq!((&fitted.value, &fitted.faults), (&wanted, &Vec::new()));
        });
    }

    #[test]
    fn a_decision_is_read_in_all_shapes() {
        each_row(
            r#"
                {"mind": "m", "option": "take"}
                {"mind": "m", "option": "Put the coins into your own bag"}
                {"mind": "m", "option": "take: Put the coins into your own bag"}
                {"mind": "m", "option": 1}
                {"mind": "m", "option": "1"}
                {"mind": "m", "option": ["take"]}
                {"mind": "m", "option": {"id": "take"}}
                {"mind": "m", "option": {"choice": {"id": 1}}}
                {"mind": {"type": "string", "value": "m"}, "option": "take"}
                {"mind": "m", "option": "{\"id\": \"take\"}"}
                {"mind": "m", "option": {"id": "take", "label": "Put the coins into your own bag"}}
                {"mind": "m", "choice": "take"}
                {"mind": "m", "id": "take"}
                {"mind": "m", "my_way": "take"}
                {"mind": "m", "take": true}
                {"mind": "m", "take": "Put the coins into your own bag"}
                {"Mind": "m", "Option": "take"}
                {"mind ": "m", " option": "take"}
                {"thought": "m", "option": "take"}
                [{"mind": "m", "option": "take"}]
                {"answer": {"mind": "m", "option": "take"}}
                {"response": [{"mind": "m", "option": "take"}]}
                {"plan": {"mind": "m", "option": "take"}}
                {"decision": {"mind": "m", "option": "take"}}
                {"anything": {"Mind": "m", "Option": "Take"}}
                {"answer": {"response": {"mind": "m", "option": "take"}}}
                {"type": "object", "properties": {"mind": "m", "option": "take"}}
                {"name": "plan", "arguments": {"mind": "m", "option": "take"}}
                {"name": "plan", "arguments": "{\"mind\": \"m\", \"option\": \"take\"}"}
                {"mind": "m", "option": "take", "confidence": 0.9, "extra": null}
                {"mind": "m", "option": "take", "say": null}
                {"mind": "m", "option": "take", "say": "none"}
                {"mind": "m", "result": {"option": "take"}}
        "#,
            |[answer]| {
                let fitted = fit(&decision(), answer);
                assert_eq!(fitted.value, json!({"mind": "m", "option": "take"}));
                assert_eq!(fitted.faults, []);
            },
        );
    }

    #[test]
    fn plans_are_read_in_all_shapes() {
        check(
            &plan(),
            r#"
                {"mind": "m", "speak": {"target": "bob", "text": "Hi"}} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "speak": {"to": "Bob", "message": "Hi"}} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "speak": [{"target": ["Bob"], "text": "Hi"}]} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"speak": {"target": "Bob", "text": "Hi", "mind": "m"}} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "wait": {}, "target": null} => {"mind": "m", "wait": {}}
                {"mind": "m", "speak.target": "Bob", "speak.text": "Hi"} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "Speak": {"Target": "Bob", "Text": "Hi"}} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "speak": {"target": "Bob", "text": "Hi", "tells": ["none"]}, "announce": "", "whisper": {}, "take": null} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi", "tells": []}}
                {"mind": "m", "speak": {"target": "Bob", "text": "Hi", "tells": ""}, "announce": {"text": "", "tells": []}, "wait": false} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "speak": {"target": "Bob", "text": "Hi", "tells": "the-lamp, the-boy"}} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi", "tells": ["the-lamp", "the-boy"]}}
                {"mind": "m", "action": "speak", "target": "Bob", "text": "Hi"} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "speak": "{\"target\": \"Bob\", \"text\": \"Hi\"}"} => {"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "wisper": {"target": "Bob", "text": "Hi"}} => {"mind": "m", "whisper": {"target": "Bob", "text": "Hi"}}
                {"mind": "m", "action": "move", "to": "the mill"} => {"mind": "m", "move": {"to": "Mill"}}
                {"mind": "m", "move": "Mill"} => {"mind": "m", "move": {"to": "Mill"}}
                {"mind": "m", "move": {"destination": "Bridge"}} => {"mind": "m", "move": {"to": "Old Bridge"}}
                {"mind": "m", "take": true} => {"mind": "m", "take": {"item": "the log"}}
                {"mind": "m", "take": {"item": ["log"]}} => {"mind": "m", "take": {"item": "the log"}}
                {"mind": "m", "use": "the rope with The Slanted Hold"} => {"mind": "m", "use": {"item": "the rope", "with": "The Slanted Hold"}}
                {"mind": "m", "attempt": "force the door"} => {"mind": "m", "attempt": {"what": "force the door"}}
                {"mind": "m", "attempt": [{"what": "force the door", "aim": "to get out"}]} => {"mind": "m", "attempt": {"what": "force the door", "aim": "to get out"}}
                {"mind": "m", "what": "force the door"} => {"mind": "m", "attempt": {"what": "force the door"}}
                {"mind": "m", "wait": true} => {"mind": "m", "wait": {}}
                {"mind": "m", "wait": {}} => {"mind": "m", "wait": {}}
                {"mind": "m", "action": "wait"} => {"mind": "m", "wait": {}}
                {"mind": "m", "wait": "tired"} => {"mind": "m", "wait": {"reason": "tired"}}
                {"wait": {"reason": "tired"}} => {"wait": {"reason": "tired"}}
                {"mind": "m", "keep": {"to": "Ann", "promise": "number 2"}} => {"mind": "m", "keep": {"to": "Ann Marsh", "promise": 2}}
                {"mind": "m", "wait": {}, "feels": {"about": "Ann", "change": "+1"}} => {"mind": "m", "wait": {}, "feels": {"about": "Ann Marsh", "change": 1}}
                {"mind": "m", "wait": {}, "feels": [{"about": "Ann", "change": -1.0, "reason": "w"}]} => {"mind": "m", "wait": {}, "feels": {"about": "Ann Marsh", "change": -1, "why": "w"}}
        "#,
        );
    }

    #[test]
    fn numbers_lists_and_yes_or_no_may_be_said_in_words() {
        let names = ["Bram", "Wren", "Teodor"];
        let schema = object(
            json!({
                "tension": {"type": "integer"},
                "agree": {"type": "boolean"},
                "present": {"type": "array", "items": one_of(&names)},
                "steps": {"type": "array", "items": {"type": "string"}},
            }),
            json!([]),
        );
        check(
            &schema,
            r#"
                {"tension": "nine"} => {"tension": 9}
                {"tension": "8/10"} => {"tension": 8}
                {"tension": "八分"} => {"tension": 8}
                {"tension": "十二"} => {"tension": 12}
                {"agree": "同意"} => {"agree": true}
                {"agree": "Agree"} => {"agree": true}
                {"agree": "No. I can't."} => {"agree": false}
                {"present": "Bram, Wren and Teodor"} => {"present": ["Bram", "Wren", "Teodor"]}
                {"present": {"Bram": true, "Wren": false, "Teodor": true}} => {"present": ["Bram", "Teodor"]}
                {"steps": {"1": "Look.", "2": "Go."}} => {"steps": ["Look.", "Go."]}
                {"steps": "1. Look.\n2. Go."} => {"steps": ["Look.", "Go."]}
        "#,
        );
        for text in ["ten or twelve", "7-8", "12/10"] {
            let fitted = fit(&schema, &json!({"tension": text}).to_string());
            assert!(!fitted.faults.is_empty(), "{text}");
        }
    }

    #[test]
    fn an_object_is_found_beside_its_parts_or_under_its_choice() {
        let target = json!({"type": "string"});
        let action = object(
            json!({"type": one_of(&["say", "go"]), "target": target}),
            json!(["type", "target"]),
        );
        let branch = |name: &str| {
            let tag = json!({"const": name});
            object(json!({"type": tag, "to": target}), json!(["type", "to"]))
        };
        let union = json!({"anyOf": [branch("wait"), branch("go")]});
        let schema = object(json!({ "action": union }), json!(["action"]));
        for said in [
            r#"{"action": {"type": "go", "to": "Mill"}}"#,
            r#"{"action": {"go": {"to": "Mill"}}}"#,
            r#"{"type": "go", "to": "Mill"}"#,
        ] {
            let wanted = r#"{"action": {"type": "go", "to": "Mill"}}"#;
            check(&schema, &format!("{said} => {wanted}"));
        }
        let cost = object(json!({"minutes": {"type": "integer"}}), json!(["minutes"]));
        let schema = object(json!({"action": action, "cost": cost}), json!(["action"]));
        check(
            &schema,
            r#"
                {"action": "go", "target": "Mill", "minutes": 5} => {"action": {"type": "go", "target": "Mill"}, "cost": {"minutes": 5}}
                {"type": "go", "target": "Mill", "minutes": 5} => {"action": {"type": "go", "target": "Mill"}, "cost": {"minutes": 5}}
                {"action": {"go": {"target": "Mill"}}, "cost": 5} => {"action": {"type": "go", "target": "Mill"}, "cost": {"minutes": 5}}
                [{"name": "action", "value": {"type": "go", "target": "Mill"}}, {"name": "cost", "value": {"minutes": 5}}] => {"action": {"type": "go", "target": "Mill"}, "cost": {"minutes": 5}}
        "#,
        );
    }

    #[test]
    fn cards_are_read_in_all_shapes() {
        check(
            &fight(),
            r#"
                {"action": "play", "skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]} => {"action": "play", "cards": [{"skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]}]}
                {"action": "play", "cards": [{"card": "Bone Saw", "target": "Tar Hound", "name": "n", "description": "d"}]} => {"action": "play", "cards": [{"skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]}]}
                {"action": {"type": "play", "cards": [{"skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]}]}} => {"action": "play", "cards": [{"skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]}]}
                {"action": "attack", "cards": {"skill": "bone saw", "name": "n", "description": "d", "target": "the hound"}} => {"action": "play", "cards": [{"skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]}]}
                {"action": "play", "cards": [{"card": {"skill": "Bone Saw", "name": "n"}, "description": "d", "targets": "Tar Hound"}]} => {"action": "play", "cards": [{"skill": "Bone Saw", "name": "n", "description": "d", "targets": ["Tar Hound"]}]}
                {"action": "play", "cards": ["Boathook", "Pitch Jaw"]} => {"action": "play", "cards": [{"skill": "Boathook"}, {"skill": "Pitch Jaws"}]}
                {"cards": [{"skill": "Boathook (1 energy)", "targets": ["Widow"]}]} => {"cards": [{"skill": "Boathook", "targets": ["Rope Widow"]}]}
                {"action": "run"} => {"action": "flee"}
                {"action": "hold", "cards": []} => {"action": "hold", "cards": []}
        "#,
        );
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let paths = |schema: &Value, answer: &str| {
            let faults = fit(schema, answer).faults.into_iter();
            faults.map(|fault| fault.path).collect::<Vec<_>>()
        };
        each_row(
            r#"
                {"mind": "m"} => option
                {"mind": 3, "option": "steal"} => option
                {"mind": {"a": 1, "b": 2}, "option": "take or leave-them"} => mind, option
                {"mind": "m", "option": {"id": "take", "label": "Leave them"}} => option
                {"mind": "m", "take": true, "leave-them": true} => option
                {"mind": "m", "option": "…"} => option
        "#,
            |[answer, wrong]| assert_eq!(paths(&decision(), answer).join(", "), wrong),
        );
        each_row(
            r#"
                {"mind": "m", "speak": {"target": "Eve", "tells": ["x", "the-boy"]}} => speak.target, speak.tells[0], speak.text
                {"mind": "m", "speak": "Hello"} => speak.target
                {"mind": "m", "speak": [{"target": "Bob", "text": "a"}, {"target": "Bob", "text": "b"}]} => speak
                {"mind": "m", "move": {"to": 3}, "feels": {"about": "Bob", "change": "much"}} => feels.change, move.to
        "#,
            |[answer, wrong]| assert_eq!(paths(&plan(), answer).join(", "), wrong),
        );
        assert_eq!(
            paths(&fight(), r#"{"cards": [{"name": "n"}, "Saw"]}"#),
            ["cards[0].skill"]
        );
        let twice = json!({"type": "object", "properties": {"vote_number": {"type": "integer", "enum": [2, 3]}}, "required": ["vote_number"]});
        assert_eq!(
            paths(&twice, r#"{"vote_number": 3, "vote_target": 2}"#),
            ["vote_number"]
        );
        assert_eq!(paths(&twice, r#"{"vote_target": 2}"#), Vec::<String>::new());
    }

    #[test]
    fn what_has_no_place_is_left_out_and_named() {
        let fitted = fit(
            &plan(),
            r#"{"mind": "m", "hide": {"item": "the key"}, "mood": "grim", "wait": {}}"#,
        );
        assert_eq!(fitted.left_out, ["hide", "mood"]);
        let alternative = fit(
            &plan(),
            r#"{"mind": "m", "wait": {}, "alternative": {"move": {"to": "Mill"}}}"#,
        );
        assert_eq!(alternative.value, json!({"mind": "m", "wait": {}}));
    }

    fn fight_example() -> Value {
        json!({"action": "play", "cards": [{"skill": "Bone Saw", "name": "…", "description": "…", "targets": ["Tar Hound"]}]})
    }

    #[test]
    fn an_example_is_right() {
        for (schema, with, example) in [
            (decision(), vec![], json!({"mind": "…", "option": "take"})),
            (
                plan(),
                vec!["speak"],
                json!({"mind": "…", "speak": {"target": "Bob", "text": "…"}}),
            ),
            (fight(), vec!["cards"], fight_example()),
        ] {
            assert_eq!(form(&schema, "").example(&with), example);
        }
    }

    #[test]
    fn a_wrong_part_is_left_out_or_replaced_and_the_rest_stays() {
        let told = json!({"mind": "m", "speak": {"target": "Bob", "text": "Hm."}, "take": {"item": "fan"}});
        let played = |targets: Value| {
            let card =
                json!({"skill": "Bone Saw", "name": "Cut", "description": "d", "targets": targets});
            json!({"action": "play", "cards": [card]})
        };
        for (schema, given, wrong, corrected) in [
            (
                plan(),
                told,
                vec!["take.item"],
                json!({"mind": "m", "speak": {"target": "Bob", "text": "Hm."}}),
            ),
            (
                plan(),
                json!({"mind": "m", "announce": {"text": "Hm.", "tells": ["x", "the-boy"]}, "feels": {"about": "Bob", "change": 0}}),
                vec!["announce.tells[0]", "feels.change"],
                json!({"mind": "m", "announce": {"text": "Hm.", "tells": ["the-boy"]}}),
            ),
            (
                decision(),
                json!({"mind": "m", "option": "leave it to them"}),
                vec!["option"],
                json!({"mind": "m", "option": "leave-them"}),
            ),
            (
                fight(),
                played(json!(["dog"])),
                vec!["cards[0].targets[0]"],
                played(json!(["Tar Hound"])),
            ),
            (
                fight(),
                json!({"action": "play"}),
                vec!["cards"],
                fight_example(),
            ),
        ] {
            let form = form(&schema, "");
            let shown = ["cards"];
            assert_eq!(form.corrected(given, &wrong, &shown), Some(corrected));
            assert_eq!(form.corrected(json!({}), &[""], &shown), None);
        }
    }

    proptest! {
        #[test]
        fn what_is_right_stays(option in "take|leave-them", mind in "\\PC{0,20}", say in prop::option::of("[a-z ]{1,9}[.!]")) {
            let mut given = json!({"mind": mind, "option": option});
            if let Some(say) = say {
                given["say"] = say.into();
            }
            let is_said = !is_ellipsis(&mind) && !["null", "none", "n/a"].contains(&mind.to_lowercase().as_str());
            let schema = decision();
            let fitted = form(&schema, QUESTION).fit(given.clone());
            prop_assert!(fitted.faults.is_empty());
            prop_assert!(!is_said || fitted.value == given);
        }

        #[test]
        fn any_value_can_be_fitted(text in "[{}\\[\\]\":,a-c1 ]{0,60}|\\PC{0,20}") {
            if let Ok(found) = find_json(&text) {
                for schema in [decision(), plan(), fight()] {
                    form(&schema, QUESTION).fit(found.value.clone());
                }
            }
        }
    }
}
