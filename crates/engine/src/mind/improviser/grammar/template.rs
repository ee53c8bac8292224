//! One alternative: its conditions, and the parts it is made of.

use super::names::{Fact, FactNames, FactSet};
use crate::locale::{Argument, UiText, text};

/// What is done to a part before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Change {
    None,
    /// Its first letter becomes upper case.
    Cap,
    /// Its first letter becomes lower case.
    Low,
    /// `a` or `an` comes before it.
    Article,
}

/// DeclaredNames a symbol within its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct SymbolId(u32);

impl SymbolId {
    pub(super) fn new(index: usize) -> Option<Self> {
        u32::try_from(index).ok().map(Self)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum TemplatePart {
    /// Words as they stand.
    Text(Box<str>),
    /// A fact of the prompt.
    Fact(Fact, Change),
    /// One of a symbol's alternatives.
    Symbol(SymbolId, Change),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template {
    pub(super) needs: FactSet,
    pub(super) forbids: FactSet,
    pub(super) parts: Vec<TemplatePart>,
}

impl Template {
    /// Parses an alternative; `symbol` knows the symbols by name. Every mistake is returned.
    pub(super) fn parse(
        text: &str,
        facts: &FactNames,
        symbol: impl Fn(&str) -> Option<SymbolId>,
    ) -> Result<Self, Vec<UiText>> {
        let mut parser = Parser {
            facts,
            template: Self {
                needs: FactSet::default(),
                forbids: FactSet::default(),
                parts: Vec::new(),
            },
            mistakes: Vec::new(),
        };
        let rest = parser.conditions(text);
        parser.parts(rest, symbol);
        if parser.mistakes.is_empty() {
            Ok(parser.template)
        } else {
            Err(parser.mistakes)
        }
    }

    pub(super) fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Symbol(symbol, _) => Some(*symbol),
            _ => None,
        })
    }
}

struct Parser<'f> {
    facts: &'f FactNames,
    template: Template,
    mistakes: Vec<UiText>,
}

impl Parser<'_> {
    /// The fact of a name; a mistake is noted if there is none.
    fn fact(&mut self, name: &str) -> Option<Fact> {
        let fact = self.facts.find(name);
        if fact.is_none() {
            let known = Argument::list(self.facts.names());
            self.mistakes
                .push(text!(mind_grammar_unknown_fact, fact = name, known));
        }
        fact
    }

    /// Reads `[won][!hurt]` at the beginning and returns what follows.
    fn conditions<'a>(&mut self, mut text: &'a str) -> &'a str {
        while let Some((condition, rest)) = text
            .strip_prefix('[')
            .and_then(|inside| inside.split_once(']'))
        {
            text = rest.trim_start();
            if let Some(name) = condition.strip_prefix('!') {
                if let Some(fact) = self.fact(name) {
                    self.template.forbids = self.template.forbids.with(fact);
                }
            } else if let Some(fact) = self.fact(condition) {
                self.template.needs = self.template.needs.with(fact);
            }
        }
        text
    }

    fn parts(&mut self, mut text: &str, symbol: impl Fn(&str) -> Option<SymbolId>) {
        while let Some(mark) = text.find(['{', '<', '}', '>']) {
            let (words, rest) = text.split_at(mark);
            self.words(words);
            let close = if rest.starts_with('{') { '}' } else { '>' };
            let inside = rest.get(1..).unwrap_or_default();
            let Some((name, rest)) = inside
                .split_once(close)
                .filter(|_| rest.starts_with(['{', '<']))
            else {
                let mark = rest.chars().next().unwrap_or(close);
                self.mistakes.push(text!(mind_grammar_lone_mark, mark));
                return;
            };
            self.named(name, close == '}', &symbol);
            text = rest;
        }
        self.words(text);
    }

    fn words(&mut self, words: &str) {
        if !words.is_empty() {
            self.template.parts.push(TemplatePart::Text(words.into()));
        }
    }

    fn named(&mut self, inside: &str, is_fact: bool, symbol: impl Fn(&str) -> Option<SymbolId>) {
        let (name, change) = inside.split_once('|').unwrap_or((inside, ""));
        let change = match change {
            "" => Change::None,
            "cap" => Change::Cap,
            "low" => Change::Low,
            "a" => Change::Article,
            change => {
                self.mistakes
                    .push(text!(mind_grammar_unknown_change, change));
                return;
            }
        };
        if is_fact {
            if let Some(fact) = self.fact(name) {
                self.template.needs = self.template.needs.with(fact);
                self.template.parts.push(TemplatePart::Fact(fact, change));
            }
        } else if let Some(symbol) = symbol(name) {
            self.template
                .parts
                .push(TemplatePart::Symbol(symbol, change));
        } else {
            self.mistakes
                .push(text!(mind_grammar_unknown_symbol, symbol = name));
        }
    }
}
