//! A grammar as it is written with: symbols with parsed alternatives.

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use super::names::{Fact, FactNames, FactSet};
use super::template::{SymbolId, Template, TemplatePart};

/// Where a symbol or an alternative stands, for errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) file: String,
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) weight: u32,
    pub(super) template: Template,
    pub(super) origin: Origin,
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) alternatives: Vec<Alternative>,
}

/// A symbol that skills write with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) symbol: SymbolId,
    /// What is known whenever a skill writes with it.
    pub(super) given: FactSet,
}

/// DeclaredNames one alternative within its grammar.
pub(in super::super) type Choice = (SymbolId, usize);

/// A checked grammar of one language. Every root is in it, and every name in it is known.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Grammar {
    pub(super) facts: FactNames,
    pub(super) symbols: Vec<Symbol>,
    pub(super) roots: IndexMap<String, Root, FixedState>,
}

impl Grammar {
    pub(in super::super) fn fact(&self, name: &str) -> Option<Fact> {
        let fact = self.facts.find(name);
        debug_assert!(fact.is_some(), "no lesson declares the fact '{name}'");
        fact
    }

    /// The symbol of this name, if it was declared as one that skills write with.
    pub(in super::super) fn root(&self, name: &str) -> Option<SymbolId> {
        let root = self.roots.get(name);
        debug_assert!(root.is_some(), "no lesson declares the symbol '{name}'");
        root.map(|root| root.symbol)
    }

    /// The plain texts of a root that is a list of words.
    pub(in super::super) fn words<'g>(
        &'g self,
        root: &str,
    ) -> impl Iterator<Item = &'g str> + use<'g> {
        let symbol = self.root(root);
        let alternatives = symbol.map_or(&[][..], |symbol| self.alternatives(symbol));
        alternatives
            .iter()
            .filter_map(|alternative| match alternative.template.parts.as_slice() {
                [TemplatePart::Text(text)] => Some(&**text),
                _ => None,
            })
    }

    fn alternatives(&self, symbol: SymbolId) -> &[Alternative] {
        let symbol = self.symbols.get(symbol.index());
        symbol.map_or(&[], |symbol| &symbol.alternatives)
    }

    /// How many alternatives a symbol has.
    pub(in super::super) fn size(&self, symbol: SymbolId) -> usize {
        self.alternatives(symbol).len()
    }

    /// The indexes of the alternatives that can be said if these facts are known.
    pub(in super::super) fn sayable(&self, symbol: SymbolId, known: FactSet) -> Vec<usize> {
        let alternatives = self.alternatives(symbol).iter().enumerate();
        alternatives
            .filter(|(_, alternative)| self.can_say(&alternative.template, known))
            .map(|(index, _)| index)
            .collect()
    }

    /// A template can be said if what it leads to can; grammars never lead in circles.
    fn can_say(&self, template: &Template, known: FactSet) -> bool {
        let inner = |symbol: SymbolId| {
            let mut alternatives = self.alternatives(symbol).iter();
            alternatives.any(|alternative| self.can_say(&alternative.template, known))
        };
        known.holds(template.needs)
            && !known.meets(template.forbids)
            && template.symbols().all(inner)
    }

    pub(in super::super) fn weight(&self, (symbol, index): Choice) -> u32 {
        let alternative = self.alternatives(symbol).get(index);
        alternative.map_or(0, |alternative| alternative.weight)
    }

    /// What an alternative is made of.
    pub(in super::super) fn parts(&self, (symbol, index): Choice) -> &[TemplatePart] {
        let alternative = self.alternatives(symbol).get(index);
        alternative.map_or(&[], |alternative| &alternative.template.parts)
    }
}
