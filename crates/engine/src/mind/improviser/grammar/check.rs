//! What must hold of a grammar whose names are all known: it ends, all of it is used, and skills
//! always get words.

use super::error::GrammarError;
use super::symbols::{Grammar, Symbol};
use crate::locale::{Argument, UiText, text};

pub(super) fn check(grammar: &Grammar) -> Vec<GrammarError> {
    let mut errors = circles(grammar);
    // Whatever leads to itself could not be followed to its end.
    if errors.is_empty() {
        errors.extend(unreachable(grammar));
        errors.extend(speechless(grammar));
    }
    errors
}

fn complain(symbol: &Symbol, mistake: UiText) -> GrammarError {
    GrammarError::new(&symbol.origin.file, symbol.origin.line, mistake)
}

/// Symbols that lead back to themselves, with the way there.
fn circles(grammar: &Grammar) -> Vec<GrammarError> {
    let mut state = vec![Visit::New; grammar.symbols.len()];
    let mut found = Vec::new();
    for start in 0..grammar.symbols.len() {
        visit(grammar, start, &mut state, &mut Vec::new(), &mut found);
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

fn visit(
    grammar: &Grammar,
    index: usize,
    state: &mut [Visit],
    path: &mut Vec<usize>,
    found: &mut Vec<GrammarError>,
) {
    if state[index] == Visit::Done {
        return;
    }
    if state[index] == Visit::Open {
        let from = path.iter().position(|open| *open == index).unwrap_or(0);
        let circle = path[from..].iter().chain([&index]);
        let names = circle.map(|index| format!("<{}>", grammar.symbols[*index].name));
        let path = names.collect::<Vec<_>>().join(" → ");
        let mistake = text!(mind_grammar_circle, path);
        return found.push(complain(&grammar.symbols[index], mistake));
    }
    state[index] = Visit::Open;
    path.push(index);
    for next in leads_to(&grammar.symbols[index]) {
        visit(grammar, next, state, path, found);
    }
    path.pop();
    state[index] = Visit::Done;
}

fn leads_to(symbol: &Symbol) -> impl Iterator<Item = usize> {
    let alternatives = symbol.alternatives.iter();
    alternatives.flat_map(|alternative| alternative.template.symbols().map(|id| id.index()))
}

/// Symbols that nothing leads to.
fn unreachable(grammar: &Grammar) -> Vec<GrammarError> {
    let mut reached = vec![false; grammar.symbols.len()];
    let mut open: Vec<_> = grammar
        .roots
        .values()
        .map(|root| root.symbol.index())
        .collect();
    while let Some(index) = open.pop() {
        if !std::mem::replace(&mut reached[index], true) {
            open.extend(leads_to(&grammar.symbols[index]));
        }
    }
    let symbols = grammar.symbols.iter().zip(reached);
    symbols
        .filter(|(_, reached)| !reached)
        .map(|(symbol, _)| complain(symbol, text!(mind_grammar_unused, symbol = &symbol.name)))
        .collect()
}

/// Roots that have no words if only the facts that are always given are known, and alternatives
/// that no facts at all would make sayable.
fn speechless(grammar: &Grammar) -> Vec<GrammarError> {
    let mut errors = Vec::new();
    for (name, root) in &grammar.roots {
        if grammar.sayable(root.symbol, root.given).is_empty() {
            let given = grammar.facts.names().filter(|name| {
                let fact = grammar.facts.find(name);
                fact.is_some_and(|fact| root.given.with(fact) == root.given)
            });
            let mistake = text!(
                mind_grammar_speechless,
                symbol = name,
                given = Argument::list(given)
            );
            errors.push(complain(&grammar.symbols[root.symbol.index()], mistake));
        }
    }
    for symbol in &grammar.symbols {
        if symbol.alternatives.is_empty() {
            let mistake = text!(mind_grammar_no_alternatives, symbol = &symbol.name);
            errors.push(complain(symbol, mistake));
        }
        for alternative in &symbol.alternatives {
            let template = &alternative.template;
            if template.needs.meets(template.forbids) {
                let mistake = text!(mind_grammar_never_said, symbol = &symbol.name);
                let origin = &alternative.origin;
                errors.push(GrammarError::new(&origin.file, origin.line, mistake));
            }
        }
    }
    errors
}
