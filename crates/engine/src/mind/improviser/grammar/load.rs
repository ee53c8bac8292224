//! Reading grammars: RON texts, in layers, with the file and line of every mistake.

use indexmap::IndexMap;
use ron::value::RawValue;
use serde::{Deserialize, Deserializer};

use super::check::check;
use super::error::{GrammarError, GrammarErrors};
use super::names::{DeclaredNames, DeclaredRoot, FactNames, FactSet, MOST_FACTS};
use super::symbols::{Alternative, Grammar, Origin, Root, Symbol};
use super::template::{SymbolId, Template};
use crate::locale::{UiText, text};
use crate::message::each_entry;
use crate::world_data::{MAX_RON_BYTES, RonMistake, read_ron};

/// A grammar's file name and text.
type Source<'a> = (&'a str, &'a str);

/// Reads and checks the grammar of a language. A symbol of a later layer replaces an earlier
/// layer's; within a layer each is defined once. `whole` names the grammar in errors that stand in
/// no file.
pub(in super::super) fn load<'a>(
    whole: &str,
    names: &DeclaredNames,
    layers: impl IntoIterator<Item = Vec<Source<'a>>>,
) -> Result<Grammar, GrammarErrors> {
    let mut errors = Vec::new();
    let mut parsed = IndexMap::new();
    for layer in layers {
        parsed.extend(read_layer(&layer, &mut errors));
    }
    let grammar = compile(whole, names, &parsed, &mut errors);
    // DeclaredNames that could not be read make further complaints about them misleading.
    if errors.is_empty() {
        errors = check(&grammar);
    }
    if errors.is_empty() {
        return Ok(grammar);
    }
    errors.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Err(GrammarErrors(errors))
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
        let entries = match read_ron::<Entries<'_>>(text, MAX_RON_BYTES) {
            Ok(Entries(entries)) => entries,
            Err(RonMistake { line, reason, .. }) => {
                errors.push(GrammarError::new(file, line, reason));
                continue;
            }
        };
        let lines = Lines::of(text);
        for (name, alternatives) in entries {
            let origin_of = |raw: &RawValue| Origin {
                file: (*file).into(),
                line: lines.of_part(raw),
            };
            let origin = origin_of(name);
            let Ok(name) = name.into_rust::<String>() else {
                let mistake = text!(mind_grammar_symbol_is_text);
                errors.push(GrammarError::new(file, origin.line, mistake));
                continue;
            };
            if let Some(earlier) = layer.get(&name) {
                let Origin { file: place, line } = &earlier.origin;
                let mistake = text!(mind_grammar_defined_twice, symbol = &name, place, line);
                errors.push(GrammarError::new(file, origin.line, mistake));
            }
            let mut symbol = ParsedSymbol {
                origin,
                alternatives: Vec::new(),
            };
            for raw in alternatives {
                let origin = origin_of(raw);
                match read_alternative(raw) {
                    Ok((weight, text)) => symbol.alternatives.push((weight, text, origin)),
                    Err(mistake) => errors.push(GrammarError::new(file, origin.line, mistake)),
                }
            }
            layer.insert(name, symbol);
        }
    }
    layer
}

/// Reads `"text"` or `(weight, "text")`.
fn read_alternative(raw: &RawValue) -> Result<(u32, String), UiText> {
    let plain = raw.into_rust::<String>().map(|text| (1, text));
    match plain.or_else(|_| raw.into_rust::<(u32, String)>()) {
        Ok((0, _)) => Err(text!(mind_grammar_zero_weight)),
        Ok(read) => Ok(read),
        Err(_) => Err(text!(mind_grammar_alternative_form)),
    }
}

fn compile(
    whole: &str,
    names: &DeclaredNames,
    parsed: &IndexMap<String, ParsedSymbol>,
    errors: &mut Vec<GrammarError>,
) -> Grammar {
    let id = |name: &str| SymbolId::new(parsed.get_index_of(name)?);
    let mut grammar = Grammar {
        facts: names.facts.clone(),
        ..Grammar::default()
    };
    if names.facts.len() > MOST_FACTS {
        let mistake = text!(
            mind_grammar_facts,
            count = names.facts.len(),
            most = MOST_FACTS
        );
        errors.push(GrammarError::of_whole(whole, mistake));
    }
    for (name, symbol) in parsed {
        let mut alternatives = Vec::new();
        for (weight, text, origin) in &symbol.alternatives {
            match Template::parse(text, &names.facts, id) {
                Ok(template) => alternatives.push(Alternative {
                    weight: *weight,
                    template,
                    origin: origin.clone(),
                }),
                Err(mistakes) => errors.extend(mistakes.into_iter().map(|mistake| {
                    let mistake = text!(mind_grammar_in_symbol, symbol = name, mistake);
                    GrammarError::new(&origin.file, origin.line, mistake)
                })),
            }
        }
        grammar.symbols.push(Symbol {
            name: name.clone(),
            origin: symbol.origin.clone(),
            alternatives,
        });
    }
    for root in &names.roots {
        match (id(&root.name), given(root, &names.facts)) {
            (Some(symbol), Ok(given)) => {
                let root = (root.name.clone(), Root { symbol, given });
                grammar.roots.extend([root]);
            }
            (_, Err(mistake)) => errors.push(GrammarError::of_whole(whole, mistake)),
            (None, _) => {
                let mistake = text!(mind_grammar_symbol_missing, symbol = &root.name);
                errors.push(GrammarError::of_whole(whole, mistake));
            }
        }
    }
    grammar
}

/// The facts that are always known with a root.
fn given(root: &DeclaredRoot, facts: &FactNames) -> Result<FactSet, UiText> {
    let mut given = FactSet::default();
    for name in &root.given {
        let Some(fact) = facts.find(name) else {
            return Err(text!(
                mind_grammar_given_unknown,
                symbol = &root.name,
                fact = name
            ));
        };
        given = given.with(fact);
    }
    Ok(given)
}

/// Where the lines of a text end.
struct Lines<'t> {
    text: &'t str,
    ends: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(offset, _)| offset).collect();
        Self { text, ends }
    }

    /// The line on which a part of the text begins, from 1.
    fn of_part(&self, part: &RawValue) -> usize {
        let part = part.trim().get_ron().as_ptr() as usize;
        let offset = part.saturating_sub(self.text.as_ptr() as usize);
        1 + self.ends.partition_point(|end| *end < offset)
    }
}

/// The entries of a file, in order, repeated ones too.
struct Entries<'a>(Vec<(&'a RawValue, Vec<&'a RawValue>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut entries = Vec::new();
        let expected = "a map from symbol to a list of alternatives";
        each_entry(deserializer, expected, |symbol, alternatives| {
            entries.push((symbol, alternatives));
            Ok(())
        })?;
        Ok(Self(entries))
    }
}
