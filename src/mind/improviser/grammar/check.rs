//! What must hold of a grammar whose names are all known: it ends, it is all used, it always has words.

use super::super::names::Root;
use super::{FactSet, Grammar, GrammarError, Symbol};

/// Finds every mistake.
pub(super) fn check(grammar: &Grammar) -> Vec<GrammarError> {
    let mut errors: Vec<_> = loops(grammar).collect();
    // Whatever leads to itself could not be followed to its end.
    if errors.is_empty() {
        errors.extend(unreachable(grammar));
        errors.extend(speechless(grammar));
    }
    errors
}

fn complain(symbol: &Symbol, mistake: String) -> GrammarError {
    GrammarError::new(&symbol.origin.file, symbol.origin.line, mistake)
}

/// Symbols that lead back to themselves, with the way there.
fn loops(grammar: &Grammar) -> impl Iterator<Item = GrammarError> {
    let mut state = vec![Visit::New; grammar.symbols.len()];
    let mut found = Vec::new();
    for start in 0..grammar.symbols.len() {
        visit(grammar, start, &mut state, &mut Vec::new(), &mut found);
    }
    found.into_iter()
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

fn visit(
    grammar: &Grammar,
    at: usize,
    state: &mut [Visit],
    way: &mut Vec<usize>,
    found: &mut Vec<GrammarError>,
) {
    if state[at] == Visit::Done {
        return;
    }
    let name = |at: usize| format!("<{}>", grammar.symbols[at].name);
    if state[at] == Visit::Open {
        let from = way.iter().position(|other| *other == at).unwrap_or(0);
        let names: Vec<_> = way[from..]
            .iter()
            .chain([&at])
            .map(|at| name(*at))
            .collect();
        let mistake = format!("{} never ends; break the circle", names.join(" leads to "));
        return found.push(complain(&grammar.symbols[at], mistake));
    }
    state[at] = Visit::Open;
    way.push(at);
    for next in leads_to(&grammar.symbols[at]) {
        visit(grammar, next, state, way, found);
    }
    way.pop();
    state[at] = Visit::Done;
}

fn leads_to(symbol: &Symbol) -> impl Iterator<Item = usize> {
    let alternatives = symbol.alternatives.iter();
    alternatives.flat_map(|alternative| alternative.template.symbols().map(|id| id.0 as usize))
}

/// Symbols that nothing leads to.
fn unreachable(grammar: &Grammar) -> Vec<GrammarError> {
    let mut reached = vec![false; grammar.symbols.len()];
    let mut open: Vec<usize> = grammar.roots.iter().map(|id| id.0 as usize).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            open.extend(leads_to(&grammar.symbols[at]));
        }
    }
    let symbols = grammar.symbols.iter().zip(reached);
    symbols
        .filter(|(_, reached)| !reached)
        .map(|(symbol, _)| {
            let mistake = format!("nothing leads to '{}'; use it or remove it", symbol.name);
            complain(symbol, mistake)
        })
        .collect()
}

/// Roots that have no words where only the facts that are always given are known, and alternatives
/// that no facts at all would make sayable.
fn speechless(grammar: &Grammar) -> Vec<GrammarError> {
    let mut errors = Vec::new();
    for root in Root::ALL {
        let id = grammar.root(*root);
        if grammar.sayable(id, FactSet::of(root.given())).is_empty() {
            let given: Vec<_> = root.given().iter().map(|fact| fact.name()).collect();
            let mistake = format!(
                "'{}' needs an alternative that can always be said, with no facts but {}",
                root.name(),
                given.join(", ")
            );
            errors.push(complain(&grammar.symbols[id.0 as usize], mistake));
        }
    }
    for symbol in &grammar.symbols {
        if symbol.alternatives.is_empty() {
            let mistake = format!("'{}' has no alternatives; add one", symbol.name);
            errors.push(complain(symbol, mistake));
        }
        for alternative in &symbol.alternatives {
            let template = &alternative.template;
            if template.needs.meets(template.forbids) {
                let mistake = format!("'{}' both needs and forbids a fact", symbol.name);
                let origin = &alternative.origin;
                errors.push(GrammarError::new(&origin.file, origin.line, mistake));
            }
        }
    }
    errors
}
