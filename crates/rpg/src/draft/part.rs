//! How a mind is asked for a part of a world: names are offered in the schema and matched when they
//! come back a little different, and the check of worlds judges the part where it will stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;
use playhouse_engine::reading::{Meant, Offers, drop_nulls};
use playhouse_engine::world_data::{Problem, Problems, Severity};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::write::problems;
use super::{Draft, Step};
use crate::world_file::WorldFile;

/// Where a schema says what a member names.
const NAMES: &str = "x-names";

/// The most mistakes that a mind is told at a time.
pub(super) const MOST_TOLD: usize = 12;

/// The most items of a list that are read, twice as many as any form asks for.
const MOST_ITEMS: usize = 28;

/// How many Chinese characters, or four Latin letters each, a foreign name has at most.
const LONGEST_NAME: usize = 8;

/// A part of a world as a mind gives it.
pub(super) trait DraftPart:
    Serialize + DeserializeOwned + JsonSchema + Clone + Default + Send + Sync + 'static
{
    /// What requests call it.
    const NAME: &'static str;

    /// Whether it is a plan, much of which is written later.
    const IS_PLAN: bool = false;

    fn add_to(self, draft: &mut Draft);

    /// What it lacks, and what of it comes to nothing although `check` accepts it: the member and
    /// what is wrong with it.
    fn doubts(&self, _draft: &Draft) -> Vec<(String, UiText)> {
        Vec::new()
    }
}

/// The answer that is a part of a draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Drafted<P>(pub(super) P);

impl<P: DraftPart> Reply for Drafted<P> {
    type Constraints = Arc<Draft>;
    const NAME: &'static str = P::NAME;
    const OWN_SCHEMA: bool = true;
    const MAY_LACK_PARTS: bool = true;
    const MAY_BE_LEFT_OUT: &'static [&'static str] =
        &["people.called", "people.sleeps", "items.hidden", "not_used"];

    fn constrain_schema(schema: &Value, draft: &Self::Constraints) -> Option<Value> {
        let mut schema = schema.clone();
        offer_names(&mut schema, &draft.world);
        if draft.world.language == Language::Zh {
            let descriptions = ron::from_str(include_str!("parts.zh.ron"));
            describe(&mut schema, &descriptions.unwrap_or_default());
        }
        Some(schema)
    }

    fn settled(self, draft: &Self::Constraints) -> Self {
        let schema = playhouse_engine::tool::schema_for::<Self>();
        let Ok(mut value) = serde_json::to_value(&self) else {
            return self;
        };
        shorten(&mut value);
        let mut after = Draft::clone(draft);
        self.0.clone().add_to(&mut after);
        match_names(&mut value, &schema, &after.world);
        serde_json::from_value(value).unwrap_or(self)
    }

    /// Which texts are in another language, and what `check` says of the world with this part. It
    /// is told once: what is still wrong then is left out or named.
    fn check(&self, before: &Self::Constraints) -> Vec<Violation> {
        let language = before.world.language;
        let foreign = foreign(&self.0, language);
        let told = foreign.told.iter().take(MOST_TOLD).cloned();
        let told = told.map(|path| (path, text!(rpg_draft_language)));
        let mut told: Vec<_> = told.collect();
        // What is written again anyway need not be judged.
        if !foreign.is_most {
            let (rest, mistakes) = without_mistakes(&self.0, before);
            let mistakes = mistakes.into_iter().take(MOST_TOLD);
            told.extend(mistakes.map(|it| (it.path, with_help(it.message, it.help))));
            told.extend(self.0.doubts(before).into_iter().take(MOST_TOLD));
            if !P::IS_PLAN && foreign.told.is_empty() {
                let mut after = Draft::clone(before);
                rest.add_to(&mut after);
                let warnings = after.warnings(Some(&before.world)).into_iter();
                let warnings = warnings.take(MOST_TOLD);
                told.extend(warnings.map(|said| (String::new(), UiText::verbatim(said))));
            }
        }
        let told = told.into_iter();
        told.map(|(path, said)| Violation::new(path, said.in_language(language)).only_once())
            .collect()
    }
}

/// A message, and what helps.
pub(super) fn with_help(message: UiText, help: UiText) -> UiText {
    match help.is_empty() {
        true => message,
        false => text!(world_data_with_help, message, help),
    }
}

/// Something that `check` refuses of a world because of a part of it.
pub(super) struct Mistake {
    /// The innermost member of the part without which it is not there; empty if there is none.
    path: String,
    /// The same by names: `scenes[the-key].options[burn].needs_fact`.
    pub(super) name: String,
    pub(super) message: UiText,
    help: UiText,
}

/// A part without what `check` refuses of the world because of it, and what that is.
pub(super) fn without_mistakes<P: DraftPart>(part: &P, before: &Draft) -> (P, Vec<Mistake>) {
    let read = |value: &Value| -> P {
        let mut value = value.clone();
        drop_nulls(&mut value);
        serde_json::from_value(value).unwrap_or_default()
    };
    // A world that was there may have members that no draft has.
    let known = match before.step {
        Step::Suggest(..) => problems(&before.world),
        _ => Problems::default(),
    };
    // Also how much of the world there is.
    let mistakes = |value: &Value| -> (Vec<Problem>, usize) {
        let mut draft = before.clone();
        read(value).add_to(&mut draft);
        let found = problems(&draft.world).into_iter();
        let found = found.filter(|problem| problem.severity == Severity::Error);
        let is_known =
            |problem: &Problem| known.iter().any(|known| known.message == problem.message);
        let found = found.filter(|problem| !is_known(problem)).collect();
        let world = serde_json::to_string(&draft.world).unwrap_or_default();
        (found, world.len())
    };
    let mut value = serde_json::to_value(part).unwrap_or_default();
    let (mut left, _) = mistakes(&value);
    let mut told = Vec::new();
    while let Some(Problem { message, help, .. }) = left.first().cloned() {
        let count = |found: &[Problem]| found.iter().filter(|it| it.message == message).count();
        let said = message.in_language(Language::En);
        let mut at = String::new();
        let mut best = None;
        loop {
            let inner = within(&value, &at).into_iter().filter_map(|at| {
                let rest = without(&value, &at);
                let (then, size) = mistakes(&rest);
                let names_it = value
                    .pointer(&at)
                    .is_some_and(|part| is_told_of(part, &said));
                (count(&then) < count(&left)).then_some(((names_it, size), at, rest, then))
            });
            // What the message names goes, as little as possible, and the last of what depends on
            // each other.
            let Some((_, inner, rest, then)) = inner.max_by_key(|(order, ..)| *order) else {
                break;
            };
            at = inner;
            if then.len() < left.len() {
                best = Some((at.clone(), rest, then));
            }
        }
        let is_helped = best.is_some();
        // What is needed stays, although it is wrong.
        let (at, rest, then) = best.unwrap_or_else(|| (at, value.clone(), left.split_off(1)));
        let path = path_of(&value, &at);
        told.push(Mistake {
            name: match is_helped {
                true => by_name(&value, &path),
                false => P::NAME.into(),
            },
            path,
            message,
            help,
        });
        (value, left) = (rest, then);
    }
    (read(&value), told)
}

/// Leaves of each list as much as can be judged in time.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(shorten),
        Value::Array(items) => {
            items.truncate(MOST_ITEMS);
            items.iter_mut().for_each(shorten);
        }
        _ => {}
    }
}

/// Whether a message quotes a name that is in a part.
fn is_told_of(part: &Value, message: &str) -> bool {
    match part {
        Value::Object(members) => members.values().any(|part| is_told_of(part, message)),
        Value::Array(items) => items.iter().any(|part| is_told_of(part, message)),
        Value::String(name) => {
            let mut names = name.split('=').filter(|name| !name.is_empty());
            names.any(|name| message.contains(&format!("\"{name}\"")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The pointers to the members or items of what a pointer leads to.
fn within(value: &Value, pointer: &str) -> Vec<String> {
    let inner = |step: String| format!("{pointer}/{step}");
    match value.pointer(pointer) {
        Some(Value::Object(members)) => members.keys().cloned().map(inner).collect(),
        Some(Value::Array(items)) => {
            let items = items.iter().enumerate().filter(|(_, item)| !item.is_null());
            items.map(|(number, _)| inner(number.to_string())).collect()
        }
        _ => Vec::new(),
    }
}

/// A value without what a pointer leads to; the items of a list keep their numbers.
fn without(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    let (outer, last) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(members) = value.pointer_mut(outer).and_then(Value::as_object_mut) {
        members.remove(last);
    } else if let Some(item) = value.pointer_mut(pointer) {
        *item = Value::Null;
    }
    value
}

/// A pointer as a path, such as `scenes[2].options[0]`.
fn path_of(value: &Value, pointer: &str) -> String {
    let (mut value, mut path) = (value, String::new());
    for step in pointer.split('/').skip(1) {
        path += &match value.is_array() {
            true => format!("[{step}]"),
            false => format!(".{step}"),
        };
        value = value.pointer(&format!("/{step}")).unwrap_or(&Value::Null);
    }
    path.trim_start_matches('.').to_owned()
}

/// A path with the names of items instead of their numbers: `scenes[the-key].options[burn]`.
pub(crate) fn by_name(value: &impl Serialize, path: &str) -> String {
    let whole = serde_json::to_value(value).unwrap_or_default();
    let (mut value, mut named) = (&whole, String::new());
    for step in path.split_inclusive(['.', '[', ']']) {
        let (step, mark) = match step.strip_suffix(['.', '[', ']']) {
            Some(bare) => (bare, step.get(bare.len()..).unwrap_or_default()),
            None => (step, ""),
        };
        let item = step.parse().ok().and_then(|n: usize| value.get(n));
        let mut names = ["id", "name", "who", "choice"].iter();
        let name = item.and_then(|item| names.find_map(|name| item.get(name)?.as_str()));
        if !step.is_empty() {
            value = item.or_else(|| value.get(step)).unwrap_or(&Value::Null);
        }
        named += name.unwrap_or(step);
        named += mark;
    }
    named
}

/// The texts of a part that are in another language.
pub(super) struct Foreign {
    /// Their paths.
    pub(super) told: Vec<String>,
    /// Whether most of its texts are.
    pub(super) is_most: bool,
}

/// The sentences of a part most of which is in another script than that of a language. Names are
/// shorter.
pub(super) fn foreign(part: &impl Serialize, language: Language) -> Foreign {
    fn look(value: &Value, path: &str, language: Language, found: &mut (Vec<String>, usize)) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, member)| {
                let path = format!("{path}.{name}");
                look(member, path.trim_start_matches('.'), language, found);
            }),
            Value::Array(items) => items.iter().enumerate().for_each(|(number, item)| {
                look(item, &format!("{path}[{number}]"), language, found);
            }),
            Value::String(text) => {
                let letters = text.chars().filter(|c| c.is_alphabetic());
                let (latin, others): (Vec<_>, Vec<_>) = letters.partition(|c| *c < '\u{250}');
                // Four Latin letters say as much as a Chinese character.
                let (latin, others) = (latin.len() / 4, others.len());
                let (own, foreign) = match language {
                    Language::En => (latin, others),
                    Language::Zh => (others, latin),
                };
                if foreign > own.max(LONGEST_NAME) {
                    found.0.push(path.to_owned());
                } else if own > LONGEST_NAME {
                    found.1 += 1;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Default::default();
    let value = serde_json::to_value(part).unwrap_or_default();
    look(&value, "", language, &mut found);
    let (told, own) = found;
    Foreign {
        is_most: told.len() > own,
        told,
    }
}

/// Whom and what a part is about, by the names in it.
pub(super) fn names_in(part: &impl Serialize) -> Vec<String> {
    let part = serde_json::to_value(part).unwrap_or_default();
    let members = part.as_object().into_iter().flat_map(|part| part.values());
    let items = members.flat_map(|value| match value {
        Value::Array(items) => items,
        item => std::slice::from_ref(item),
    });
    let named = items.filter_map(|item| {
        let mut members = ["name", "who", "id", "choice"].iter();
        members.find_map(|member| item.get(member)?.as_str())
    });
    let mut names: Vec<_> = named.map(str::to_owned).collect();
    names.dedup();
    names
}

/// Puts other descriptions where a schema has these.
fn describe(schema: &mut Value, descriptions: &BTreeMap<String, String>) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" => {
                        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        if let Some(other) = descriptions.get(&line) {
                            text.clone_from(other);
                        }
                    }
                    _ => describe(member, descriptions),
                }
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| describe(item, descriptions)),
        _ => {}
    }
}

impl WorldFile {
    /// Whether anybody or anything that a part can name has this name.
    pub(super) fn has_named(&self, name: &String) -> bool {
        let kinds = "person or place or fact or item or scene or choice or ending";
        names_of(kinds, self).contains(name)
    }
}

/// What a world has of these kinds, such as `person or place`. What may be left open has an empty
/// name.
fn names_of(kinds: &str, world: &WorldFile) -> Vec<String> {
    let of_kind = |kind: &str| -> Vec<String> {
        match kind.trim_start_matches("own ") {
            "person" => world.actors.iter().map(|it| it.name.clone()).collect(),
            "place" => world.stages.iter().map(|it| it.name.clone()).collect(),
            "fact" => world.facts.iter().map(|it| it.id.clone()).collect(),
            "hour" => world.rounds.clone(),
            "item" => world.items.iter().map(|it| it.name.clone()).collect(),
            "scene" => world.scenes.iter().map(|it| it.id.clone()).collect(),
            "ending" => world.endings.iter().map(|it| it.id.clone()).collect(),
            "choice" => {
                let choices = world.scenes.iter().flat_map(|scene| {
                    let options = scene.choice.iter().flat_map(|choice| &choice.options);
                    options.map(|option| format!("{}={}", scene.id, option.id))
                });
                choices.collect()
            }
            _ => vec![String::new()],
        }
    };
    // What may be left open comes first.
    kinds.rsplit(" or ").flat_map(of_kind).collect()
}

/// Lists in a schema the names that its members may have, and asks for every member but those that
/// may be left out.
fn offer_names(schema: &mut Value, world: &WorldFile) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    members.remove("default");
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let Some(kind) = kinds.pop() {
            members.insert("type".into(), kind);
        }
    }
    let kinds = members.remove(NAMES);
    let listed = kinds.as_ref().and_then(Value::as_str);
    if let Some(kinds) = listed.filter(|kinds| !kinds.starts_with("own ")) {
        let names = names_of(kinds, world);
        let is_list = members.contains_key("items");
        let (member, offered) = match (is_list, names.is_empty()) {
            (true, true) => ("maxItems", json!(0)),
            (true, false) => ("items", json!({"enum": names})),
            (false, true) => ("enum", json!([""])),
            (false, false) => ("enum", json!(names)),
        };
        members.insert(member.into(), offered);
    } else if let Some(items) = members.get_mut("items") {
        offer_names(items, world);
    }
    if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
        let asked = properties
            .iter()
            .filter(|(_, member)| !member.get("type").is_some_and(Value::is_array));
        let asked: Vec<_> = asked.map(|(name, _)| name.clone()).collect();
        properties
            .values_mut()
            .for_each(|member| offer_names(member, world));
        members.insert("required".into(), json!(asked));
        members.insert("additionalProperties".into(), json!(false));
    }
}

/// Puts the names of a world where a part has others that can only mean these.
fn match_names(value: &mut Value, schema: &Value, world: &WorldFile) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(schema) = schema.pointer(&format!("/properties/{name}")) {
                    match_names(member, schema, world);
                }
            }
        }
        Value::Array(items) => {
            // A list of names has the mark itself.
            let inner = if schema.get(NAMES).is_some() {
                Some(schema)
            } else {
                schema.get("items")
            };
            for item in items {
                inner
                    .iter()
                    .for_each(|schema| match_names(item, schema, world));
            }
        }
        Value::String(name) => {
            let kinds = schema.get(NAMES).and_then(Value::as_str);
            let names = kinds.map_or_else(Vec::new, |kinds| names_of(kinds, world));
            if name.is_empty() || names.contains(name) {
                return;
            }
            let offers = Offers::of_names(names.iter().map(String::as_str));
            if let Meant::One(index) = offers.meant(name)
                && let Some(meant) = names.get(index)
            {
                name.clone_from(meant);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
