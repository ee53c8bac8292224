//! The names that skills and grammars share: facts, and the symbols that skills write with.

use foldhash::fast::FixedState;
use indexmap::IndexSet;

/// How many facts there may be in all.
pub(super) const MOST_FACTS: usize = 256;

/// A fact, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Fact(u8);

/// A set of facts, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct FactSet([u64; MOST_FACTS / 64]);

impl FactSet {
    #[must_use]
    pub(in super::super) fn with(mut self, fact: Fact) -> Self {
        self.0[usize::from(fact.0 / 64)] |= 1 << (fact.0 % 64);
        self
    }

    #[must_use]
    pub(in super::super) fn without(mut self, fact: Fact) -> Self {
        self.0[usize::from(fact.0 / 64)] &= !(1 << (fact.0 % 64));
        self
    }

    pub(super) fn holds(self, others: Self) -> bool {
        let mut pairs = self.0.into_iter().zip(others.0);
        pairs.all(|(own, other)| own & other == other)
    }

    pub(super) fn meets(self, others: Self) -> bool {
        let mut pairs = self.0.into_iter().zip(others.0);
        pairs.any(|(own, other)| own & other != 0)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct FactNames(IndexSet<String, FixedState>);

impl FactNames {
    pub(super) fn find(&self, name: &str) -> Option<Fact> {
        let place = self.0.get_index_of(name)?;
        u8::try_from(place).ok().map(Fact)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.iter()
    }
}

/// A symbol that skills write with, and the facts that they always set before.
#[derive(Clone, Debug)]
pub(super) struct DeclaredRoot {
    pub(super) name: String,
    pub(super) given: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(in super::super) struct DeclaredNames {
    pub(super) facts: FactNames,
    pub(super) roots: Vec<DeclaredRoot>,
}

impl DeclaredNames {
    pub(in super::super) fn add_facts(&mut self, names: &[&str]) {
        let names = names.iter().map(|name| (*name).to_owned());
        self.facts.0.extend(names);
    }

    pub(in super::super) fn add_root(&mut self, name: &str, given: &[&str]) {
        // Who speaks is always known.
        let given = ["me"].iter().chain(given);
        self.roots.push(DeclaredRoot {
            name: name.to_owned(),
            given: given.map(|fact| (*fact).to_owned()).collect(),
        });
    }
}
