//! Grammars: named symbols, each with alternatives, written in RON files that a writer can edit.
//!
//! A file is a map from symbol to alternatives: `{"greeting": ["Good day, {target}.", (3, "<call>, {target}!")]}`.
//! In an alternative `{fact}` stands for a fact of the prompt and `<symbol>` for one of that symbol's
//! alternatives; `{fact|low}`, `{fact|cap}` and `{fact|a}` begin it small, great, or behind a or an.
//! An alternative may begin with conditions, `[won]` or `[!won]`. It is chosen only where every fact
//! it needs is there; a number before it is its weight. Symbols never lead back to themselves.
//! [`load`] reads and checks the files.

mod check;
mod load;
mod template;

pub(super) use load::load;
pub use load::{GrammarError, GrammarErrors};

use super::names::{Fact, Root};
use template::{Piece, Template};

/// A set of facts, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FactSet(u128);

impl FactSet {
    pub(super) fn of(facts: &[Fact]) -> Self {
        facts
            .iter()
            .fold(Self::default(), |set, fact| set.with(*fact))
    }

    #[must_use]
    pub(super) fn with(self, fact: Fact) -> Self {
        Self(self.0 | 1 << fact as u32)
    }

    #[must_use]
    pub(super) fn without(self, fact: Fact) -> Self {
        Self(self.0 & !(1 << fact as u32))
    }

    fn holds(self, all: Self) -> bool {
        self.0 & all.0 == all.0
    }

    fn meets(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}

/// Where an alternative stands, for errors.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    file: String,
    line: usize,
}

#[derive(Clone, Debug)]
struct Alternative {
    weight: u32,
    template: Template,
    origin: Origin,
}

#[derive(Clone, Debug)]
struct Symbol {
    name: String,
    origin: Origin,
    alternatives: Vec<Alternative>,
}

/// Names a symbol within its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SymbolId(u32);

/// Names one alternative within its grammar.
pub(super) type Choice = (SymbolId, usize);

/// A checked grammar of one language. Every root is in it, and every name in it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Grammar {
    symbols: Vec<Symbol>,
    roots: Vec<SymbolId>,
}

impl Grammar {
    /// The symbol of a root.
    pub(super) fn root(&self, root: Root) -> SymbolId {
        self.roots
            .get(root as usize)
            .copied()
            .unwrap_or(SymbolId(0))
    }

    /// The plain texts of a root that is a list of words.
    pub(super) fn words(&self, root: Root) -> impl Iterator<Item = &str> {
        let alternatives = self.alternatives(self.root(root)).iter();
        alternatives.filter_map(|alternative| match alternative.template.pieces.as_slice() {
            [Piece::Text(text)] => Some(&**text),
            _ => None,
        })
    }

    fn alternatives(&self, symbol: SymbolId) -> &[Alternative] {
        let symbol = self.symbols.get(symbol.0 as usize);
        symbol.map_or(&[], |symbol| &symbol.alternatives)
    }

    /// How many alternatives a symbol has.
    pub(super) fn size(&self, symbol: SymbolId) -> usize {
        self.alternatives(symbol).len()
    }

    /// The places of the alternatives that can be said where these facts are known.
    pub(super) fn sayable(&self, symbol: SymbolId, known: FactSet) -> Vec<usize> {
        let alternatives = self.alternatives(symbol).iter().enumerate();
        alternatives
            .filter(|(_, alternative)| self.can_say(&alternative.template, known))
            .map(|(at, _)| at)
            .collect()
    }

    fn can_say(&self, template: &Template, known: FactSet) -> bool {
        let inner = |symbol: SymbolId| {
            let mut alternatives = self.alternatives(symbol).iter();
            alternatives.any(|alternative| self.can_say(&alternative.template, known))
        };
        known.holds(template.needs)
            && !known.meets(template.forbids)
            && template.symbols().all(inner)
    }

    pub(super) fn weight(&self, (symbol, at): Choice) -> u32 {
        let alternative = self.alternatives(symbol).get(at);
        alternative.map_or(0, |alternative| alternative.weight)
    }

    /// What an alternative is made of.
    pub(super) fn pieces(&self, (symbol, at): Choice) -> &[Piece] {
        let alternative = self.alternatives(symbol).get(at);
        alternative.map_or(&[], |alternative| &alternative.template.pieces)
    }
}

pub(super) use template::{Change, Piece as GrammarPiece};
