//! One alternative: its conditions, and the pieces it is made of.

use super::super::names::Fact;
use super::{FactSet, SymbolId};

/// What is done to a piece before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Change {
    /// Nothing.
    None,
    /// Its first letter becomes great.
    Cap,
    /// Its first letter becomes small.
    Low,
    /// `a` or `an` comes before it.
    Article,
}

/// One piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Piece {
    /// Words as they stand.
    Text(Box<str>),
    /// A fact of the prompt.
    Fact(Fact, Change),
    /// One of a symbol's alternatives.
    Symbol(SymbolId, Change),
}

/// A parsed alternative.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template {
    pub(super) needs: FactSet,
    pub(super) forbids: FactSet,
    pub(super) pieces: Vec<Piece>,
}

impl Template {
    /// Parses an alternative; `symbol` knows the symbols by name. Every mistake is returned.
    pub(super) fn parse(
        text: &str,
        symbol: impl Fn(&str) -> Option<SymbolId>,
    ) -> Result<Self, Vec<String>> {
        let mut parser = Parser {
            template: Self {
                needs: FactSet::default(),
                forbids: FactSet::default(),
                pieces: Vec::new(),
            },
            mistakes: Vec::new(),
        };
        let rest = parser.conditions(text);
        parser.pieces(rest, symbol);
        match parser.mistakes.is_empty() {
            true => Ok(parser.template),
            false => Err(parser.mistakes),
        }
    }

    /// The symbols it leads to.
    pub(super) fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Symbol(symbol, _) => Some(*symbol),
            _ => None,
        })
    }
}

struct Parser {
    template: Template,
    mistakes: Vec<String>,
}

impl Parser {
    /// Reads `[won][!hurt]` at the beginning and returns what follows.
    fn conditions<'a>(&mut self, mut text: &'a str) -> &'a str {
        while let Some((condition, rest)) = text
            .strip_prefix('[')
            .and_then(|inside| inside.split_once(']'))
        {
            text = rest.trim_start();
            let (forbidden, name) = match condition.strip_prefix('!') {
                Some(name) => (true, name),
                None => (false, condition),
            };
            match (fact(name), forbidden) {
                (Some(fact), false) => self.template.needs = self.template.needs.with(fact),
                (Some(fact), true) => self.template.forbids = self.template.forbids.with(fact),
                (None, _) => self.mistakes.push(unknown_fact(name)),
            }
        }
        text
    }

    fn pieces(&mut self, mut text: &str, symbol: impl Fn(&str) -> Option<SymbolId>) {
        while let Some(at) = text.find(['{', '<', '}', '>']) {
            let (words, rest) = text.split_at(at);
            self.words(words);
            let close = if rest.starts_with('{') { '}' } else { '>' };
            let inside = rest.get(1..).unwrap_or_default();
            let Some((name, rest)) = inside
                .split_once(close)
                .filter(|_| rest.starts_with(['{', '<']))
            else {
                let found = rest.chars().next().unwrap_or(close);
                self.mistakes.push(format!(
                    "'{found}' stands alone; write {{fact}} or <symbol>"
                ));
                return;
            };
            self.named(name, close == '}', &symbol);
            text = rest;
        }
        self.words(text);
    }

    fn words(&mut self, words: &str) {
        if !words.is_empty() {
            self.template.pieces.push(Piece::Text(words.into()));
        }
    }

    fn named(&mut self, inside: &str, is_fact: bool, symbol: impl Fn(&str) -> Option<SymbolId>) {
        let (name, change) = inside.split_once('|').unwrap_or((inside, ""));
        let change = match change {
            "" => Change::None,
            "cap" => Change::Cap,
            "low" => Change::Low,
            "a" => Change::Article,
            other => {
                let mistake = format!("'|{other}' is unknown; there are |cap, |low and |a");
                return self.mistakes.push(mistake);
            }
        };
        match (is_fact, fact(name), symbol(name)) {
            (true, Some(fact), _) => {
                self.template.needs = self.template.needs.with(fact);
                self.template.pieces.push(Piece::Fact(fact, change));
            }
            (true, None, _) => self.mistakes.push(unknown_fact(name)),
            (false, _, Some(symbol)) => self.template.pieces.push(Piece::Symbol(symbol, change)),
            (false, _, None) => {
                let mistake = format!("<{name}> is unknown; define the symbol or correct its name");
                self.mistakes.push(mistake);
            }
        }
    }
}

fn fact(name: &str) -> Option<Fact> {
    Fact::ALL.iter().copied().find(|fact| fact.name() == name)
}

fn unknown_fact(name: &str) -> String {
    let known: Vec<_> = Fact::ALL.iter().map(|fact| fact.name()).collect();
    format!("{{{name}}} is no fact; the facts are {}", known.join(", "))
}
