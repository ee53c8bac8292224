//! What may stand in a world file, from its types: each member with its type, its default, its
//! range and a line about it. [`reference`] is all of it, `docs/reference.md` is made of it.

use std::collections::BTreeMap;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::{DataFolder, Source};
use schemars::{Schema, schema_for};
use serde::Serialize;
use serde_json::Value;

use super::check::range_of;
use super::load::{FILE, list_worlds, sources};
use super::samples::WorldKind;
use super::types::WorldFile;

/// The longest example, in characters.
const EXAMPLE: usize = 70;

/// A member of a world file, or a variant of what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Explained {
    /// Such as `scenes.choice`, or `Condition.Knows`.
    pub path: String,
    /// Such as `text`, `list of Scene`.
    pub kind: String,
    pub default: String,
    /// Such as `1 to 20`; empty if there is none.
    pub range: String,
    pub about: String,
    /// As it stands in a world; empty if none has it.
    pub example: String,
}

/// The members of a world file in their order, then the variants of conditions, effects and the
/// like, in a language.
pub fn reference(language: Language) -> Vec<Explained> {
    let schema = schema_for!(WorldFile);
    let mut reference = Reference {
        schema: &schema,
        language,
        examples: examples(language),
        explained: Vec::new(),
    };
    reference.members("", "", schema.as_value());
    let types: Vec<_> = reference
        .definitions()
        .map(|(name, _)| name.clone())
        .collect();
    for name in types {
        reference.variants(&name);
    }
    reference.explained
}

/// What is at a path, and what is directly in it; empty if there is nothing.
pub fn explain(path: &str, language: Language) -> Vec<Explained> {
    let all = reference(language);
    let known = all.iter().find(|known| known.path == path);
    let kind = known.map_or_else(String::new, |known| known.kind.clone());
    let is_in = |known: &Explained| {
        let outer = known.path.rsplit_once('.').map(|(outer, _)| outer);
        let is_of = |outer: &str| outer == path || kind.split(' ').any(|word| word == outer);
        known.path == path || outer.is_some_and(is_of)
    };
    all.into_iter().filter(is_in).collect()
}

struct Reference<'s> {
    schema: &'s Schema,
    language: Language,
    examples: Vec<Source>,
    explained: Vec<Explained>,
}

impl<'s> Reference<'s> {
    fn definitions(&self) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
        let definitions = self.schema.get("$defs").and_then(Value::as_object);
        definitions.into_iter().flatten()
    }

    fn definition(&self, name: &str) -> Option<&'s Value> {
        let mut definitions = self.definitions();
        definitions.find_map(|(known, schema)| (known == name).then_some(schema))
    }

    /// Adds the members of a type at a path. `pattern` is the path with `[]` at each list.
    fn members(&mut self, path: &str, pattern: &str, schema: &'s Value) {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, member) in properties.into_iter().flatten() {
            let joined = |outer: &str| match outer {
                "" => name.clone(),
                outer => format!("{outer}.{name}"),
            };
            let (path, mut pattern) = (joined(path), joined(pattern));
            self.explained.push(Explained {
                kind: self.kind(member),
                default: default(member),
                range: range(&path),
                about: self.about(&path, member),
                example: self.example(&pattern),
                path: path.clone(),
            });
            if member.get("items").is_some() {
                pattern += "[]";
            }
            let inner = self
                .type_name(member)
                .and_then(|name| self.definition(name));
            if let Some(inner) = inner {
                self.members(&path, &pattern, inner);
            }
        }
    }

    /// Adds the variants of an enum.
    fn variants(&mut self, name: &str) {
        let Some(schema) = self.definition(name).filter(|_| self.words(name).is_none()) else {
            return;
        };
        let variants = schema.get("oneOf").and_then(Value::as_array);
        for variant in variants.into_iter().flatten() {
            let properties = variant.get("properties").and_then(Value::as_object);
            let content = properties.and_then(|properties| properties.iter().next());
            let constant = variant.get("const").and_then(Value::as_str);
            let words = variant.get("enum").and_then(Value::as_array);
            let plain = constant
                .into_iter()
                .chain(words.into_iter().flatten().filter_map(Value::as_str));
            let variants = plain
                .map(|name| (name.to_owned(), String::new()))
                .chain(content.map(|(name, content)| (name.clone(), self.arguments(content))));
            for (variant_name, kind) in variants.collect::<Vec<_>>() {
                let path = format!("{name}.{variant_name}");
                let (about, example) = without_example(&self.about(&path, variant));
                self.explained.push(Explained {
                    kind,
                    default: String::new(),
                    range: String::new(),
                    about,
                    example,
                    path,
                });
            }
        }
    }

    /// What stands in the brackets of a variant.
    fn arguments(&self, content: &Value) -> String {
        let parts = content.get("prefixItems").and_then(Value::as_array);
        match parts {
            Some(parts) => {
                let kinds = parts.iter().map(|part| self.kind(part));
                kinds.collect::<Vec<_>>().join(", ")
            }
            None => self.kind(content),
        }
    }

    /// The type that a member has, or of which it is a list.
    fn type_name<'v>(&self, member: &'v Value) -> Option<&'v str> {
        let of = member.get("items").unwrap_or(member);
        let options = of.get("anyOf").and_then(Value::as_array);
        let of = options.and_then(|options| options.first()).unwrap_or(of);
        of.get("$ref")?.as_str()?.rsplit('/').next()
    }

    fn kind(&self, member: &Value) -> String {
        let word = |text: UiText| text.in_language(self.language);
        if let Some(name) = self.type_name(member) {
            let of = match self.words(name) {
                Some(words) => words,
                None => name.to_owned(),
            };
            return match member.get("items") {
                Some(_) => word(text!(rpg_explain_list, of)),
                None => of,
            };
        }
        let kind = member.get("type");
        let kind = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        match kind.unwrap_or_default() {
            "array" => {
                let of = member.get("items").map(|items| self.kind(items));
                let of = of.unwrap_or_default();
                word(text!(rpg_explain_list, of))
            }
            "integer" | "number" => word(text!(rpg_explain_number)),
            "boolean" => "true, false".to_owned(),
            "object" => self.fields(member),
            _ => word(text!(rpg_explain_text)),
        }
    }

    /// The words of a type that has nothing but words.
    fn words(&self, name: &str) -> Option<String> {
        let schema = self.definition(name)?;
        let variants = schema.get("oneOf").and_then(Value::as_array);
        let words = match variants {
            Some(variants) => variants
                .iter()
                .map(|variant| variant.get("const")?.as_str())
                .collect::<Option<Vec<_>>>()?,
            None => {
                let words = schema.get("enum")?.as_array()?.iter();
                words.map(Value::as_str).collect::<Option<Vec<_>>>()?
            }
        };
        Some(words.join(", "))
    }

    /// The named parts of a variant.
    fn fields(&self, content: &Value) -> String {
        let properties = content.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten();
        let fields = fields.map(|(name, member)| format!("{name}: {}", self.kind(member)));
        fields.collect::<Vec<_>>().join(", ")
    }

    fn about(&self, path: &str, schema: &Value) -> String {
        let english = schema.get("description").and_then(Value::as_str);
        let own = match self.language {
            Language::En => None,
            Language::Zh => chinese().get(path).cloned(),
        };
        own.unwrap_or_else(|| one_line(english.unwrap_or_default()))
    }

    /// The first value that a world has at a path.
    fn example(&self, pattern: &str) -> String {
        let mut worlds = self.examples.iter();
        let found = worlds.find_map(|world| value_at(world, "", pattern));
        let text = one_line(found.unwrap_or_default());
        match text.char_indices().nth(EXAMPLE) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }
}

/// A value at a path whose lists may have any number.
fn value_at<'t>(world: &'t Source, path: &str, pattern: &str) -> Option<&'t str> {
    let Some((list, rest)) = pattern.split_once("[]") else {
        return world.value_at(&format!("{path}{pattern}"));
    };
    let items = (0..).map(|number| format!("{path}{list}[{number}]"));
    let mut items = items.take_while(|item| world.value_at(item).is_some());
    items.find_map(|item| value_at(world, &item, rest))
}

fn default(member: &Value) -> String {
    match member.get("default") {
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(is)) => is.to_string(),
        Some(Value::String(word)) => word.clone(),
        _ => String::new(),
    }
}

fn range(path: &str) -> String {
    range_of(path).map_or_else(String::new, |range| {
        format!("{}–{}", range.start(), range.end())
    })
}

/// What a variant is, and the example that stands behind it after a colon.
fn without_example(about: &str) -> (String, String) {
    let parts = about.split_once(": `").or_else(|| about.split_once("：`"));
    let example = parts.and_then(|(before, rest)| Some((before, rest.split_once('`')?)));
    match example {
        Some((before, (example, after))) => (format!("{before}{after}"), example.to_owned()),
        None => (about.to_owned(), String::new()),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines about members in Chinese, by path.
fn chinese() -> BTreeMap<String, String> {
    ron::from_str(include_str!("reference.zh.ron")).unwrap_or_default()
}

/// Worlds from which examples are taken.
fn examples(language: Language) -> Vec<Source> {
    let samples = WorldKind::ALL.map(|kind| Source::new("", kind.sample(language)));
    let data = DataFolder::embedded();
    let (worlds, _) = list_worlds(&data);
    let shipped = worlds.iter().filter(|world| world.language == language);
    let shipped = shipped.filter_map(|world| {
        let path = format!("worlds/{}/{FILE}", world.folder);
        Some(Source::joined(sources(&data, &path).ok()?))
    });
    samples.into_iter().chain(shipped).collect()
}

/// The page of all members in a language.
#[cfg(test)]
fn page(language: Language) -> String {
    let text = |text: UiText| text.in_language(language);
    let cell = |text: &str| text.replace('|', "\\|");
    let mut page = text(text!(rpg_reference_head)) + "\n";
    let heads = [
        text!(rpg_reference_member),
        text!(rpg_reference_type),
        text!(rpg_reference_default),
        text!(rpg_reference_range),
        text!(rpg_reference_about),
        text!(rpg_reference_example),
    ];
    let mut section = String::from("-");
    let mut members = reference(language);
    // Members of the world itself come first, then those of each of its parts.
    members.sort_by_key(|known| known.path.contains('.'));
    for known in members {
        let outer = known.path.rsplit_once('.').map_or("", |(outer, _)| outer);
        let first = outer.split('.').next().unwrap_or_default();
        if first != section {
            section = first.to_owned();
            let title = if first.is_empty() { "World" } else { first };
            let heads = heads.clone().map(text).join(" | ");
            page += &format!("\n## {title}\n\n| {heads} |\n|{}\n", " --- |".repeat(6));
        }
        let code = |text: &str| match text {
            "" => String::new(),
            text => format!("`{}`", text.replace('`', "'")),
        };
        let cells = [
            code(&known.path),
            known.kind.clone(),
            code(&known.default),
            known.range.clone(),
            known.about.clone(),
            code(&known.example),
        ];
        page += &format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_has_a_line_in_both_languages() {
        let chinese = chinese();
        for known in reference(Language::En) {
            assert!(!known.about.is_empty(), "{} has no line", known.path);
            let has_line = chinese.contains_key(&known.path);
            assert!(has_line, "reference.zh.ron has no line on {}", known.path);
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "as snapshots are updated")]
    fn the_pages_are_those_of_the_types() {
        for (language, name) in [
            (Language::En, "reference.md"),
            (Language::Zh, "reference.zh.md"),
        ] {
            let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
            let new = page(language);
            if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
                std::fs::write(&path, &new).expect("is written");
            }
            let old = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                old == new,
                "{path} is out of date; update it with INSTA_UPDATE=always"
            );
        }
    }

    #[test]
    fn a_member_is_explained_with_what_is_in_it() {
        let found = explain("scenes.choice", Language::En);
        let paths: Vec<_> = found.iter().map(|known| known.path.as_str()).collect();
        let expected = [
            "scenes.choice",
            "scenes.choice.options",
            "scenes.choice.question",
            "scenes.choice.who",
        ];
        for path in expected {
            assert!(paths.contains(&path), "{paths:?}");
        }
        assert_eq!(found[0].kind, "Choice");
        let turns = explain("limits.talk_turns", Language::En);
        assert_eq!(
            (turns[0].default.as_str(), turns[0].range.as_str()),
            ("6", "1–60")
        );
        assert!(explain("scenes.nothing", Language::En).is_empty());
    }
}
