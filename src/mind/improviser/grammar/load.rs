//! Reading grammars: RON texts, in layers, with the file and line of every mistake.

use std::fmt;

use indexmap::IndexMap;
use ron::value::RawValue;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use thiserror::Error;

use super::super::names::Root;
use super::check::check;
use super::template::Template;
use super::{Alternative, Grammar, Origin, Symbol, SymbolId};

/// One mistake in a grammar, and where it stands.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {mistake}")]
pub struct GrammarError {
    /// The file.
    pub file: String,
    /// The line in it, from 1; 0 where the whole grammar is meant.
    pub line: usize,
    /// What is wrong, and how to mend it.
    pub mistake: String,
}

impl GrammarError {
    pub(in super::super) fn new(file: &str, line: usize, mistake: impl Into<String>) -> Self {
        let (file, mistake) = (file.into(), mistake.into());
        Self {
            file,
            line,
            mistake,
        }
    }
}

/// All mistakes of the grammars, in the order of their files and lines.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct GrammarErrors(pub Vec<GrammarError>);

/// A grammar's file name and text.
pub(in super::super) type Source<'a> = (&'a str, &'a str);

/// Reads and checks a grammar. A symbol of a later layer takes the place of an earlier layer's; within
/// a layer each is defined once.
pub(in super::super) fn load(layers: &[&[Source<'_>]]) -> Result<Grammar, GrammarErrors> {
    let mut errors = Vec::new();
    let mut all = IndexMap::new();
    for layer in layers {
        all.extend(read_layer(layer, &mut errors));
    }
    let grammar = compile(&all, &mut errors);
    // Names that could not be read make further complaints about them misleading.
    if errors.is_empty() {
        errors = check(&grammar);
    }
    match errors.is_empty() {
        true => Ok(grammar),
        false => {
            errors.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
            Err(GrammarErrors(errors))
        }
    }
}

/// A symbol as it was read, its templates not yet parsed.
struct ParsedSymbol {
    origin: Origin,
    alternatives: Vec<(u32, String, Origin)>,
}

fn read_layer(
    files: &[Source<'_>],
    errors: &mut Vec<GrammarError>,
) -> IndexMap<String, ParsedSymbol> {
    let mut layer: IndexMap<String, ParsedSymbol> = IndexMap::new();
    for (file, text) in files {
        let entries = match ron::from_str::<Entries<'_>>(text) {
            Ok(Entries(entries)) => entries,
            Err(error) => {
                let line = error.span.start.line;
                errors.push(GrammarError::new(file, line, error.code.to_string()));
                continue;
            }
        };
        for (name, alternatives) in entries {
            let at = |raw: &RawValue| Origin {
                file: (*file).into(),
                line: line_of(text, raw),
            };
            let origin = at(name);
            let Ok(name) = name.into_rust::<String>() else {
                let mistake = "a symbol's name is a text in quotes";
                errors.push(GrammarError::new(file, origin.line, mistake));
                continue;
            };
            if let Some(other) = layer.get(&name) {
                let Origin { file: there, line } = &other.origin;
                let mistake = format!("'{name}' is defined at {there}:{line} already");
                errors.push(GrammarError::new(file, origin.line, mistake));
            }
            let mut draft = ParsedSymbol {
                origin,
                alternatives: Vec::new(),
            };
            for raw in alternatives {
                match read_alternative(raw) {
                    Ok((weight, text)) => draft.alternatives.push((weight, text, at(raw))),
                    Err(mistake) => errors.push(GrammarError::new(file, at(raw).line, mistake)),
                }
            }
            layer.insert(name, draft);
        }
    }
    layer
}

/// Reads `"text"` or `(weight, "text")`.
fn read_alternative(raw: &RawValue) -> Result<(u32, String), String> {
    let plain = raw.into_rust::<String>().map(|text| (1, text));
    match plain.or_else(|_| raw.into_rust::<(u32, String)>()) {
        Ok((0, _)) => Err("a weight of 0 is never chosen; remove the line".into()),
        Ok(read) => Ok(read),
        Err(_) => Err("an alternative is \"text\" or (weight, \"text\")".into()),
    }
}

fn compile(drafts: &IndexMap<String, ParsedSymbol>, errors: &mut Vec<GrammarError>) -> Grammar {
    let id = |name: &str| {
        let at = drafts.get_index_of(name)?;
        u32::try_from(at).ok().map(SymbolId)
    };
    let mut grammar = Grammar::default();
    for (name, draft) in drafts {
        let mut alternatives = Vec::new();
        for (weight, text, origin) in &draft.alternatives {
            match Template::parse(text, id) {
                Ok(template) => alternatives.push(Alternative {
                    weight: *weight,
                    template,
                    origin: origin.clone(),
                }),
                Err(mistakes) => errors.extend(mistakes.into_iter().map(|mistake| {
                    GrammarError::new(&origin.file, origin.line, format!("'{name}': {mistake}"))
                })),
            }
        }
        grammar.symbols.push(Symbol {
            name: name.clone(),
            origin: draft.origin.clone(),
            alternatives,
        });
    }
    for root in Root::ALL {
        match id(root.name()) {
            Some(symbol) => grammar.roots.push(symbol),
            None => errors.push(GrammarError::new(
                "grammar",
                0,
                format!("the symbol '{}' is missing", root.name()),
            )),
        }
    }
    grammar
}

/// The line of `text` on which a part of it begins.
fn line_of(text: &str, part: &RawValue) -> usize {
    let offset = (part.trim().get_ron().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// The entries of a file, in order, repeated ones too.
struct Entries<'a>(Vec<(&'a RawValue, Vec<&'a RawValue>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(&'de RawValue, Vec<&'de RawValue>)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from symbol to a list of alternatives")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Collect).map(Entries)
    }
}
