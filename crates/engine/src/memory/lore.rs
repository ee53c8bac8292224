//! Facts, found by what they say.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;

use super::index::{Index, IndexEntry};
use super::vectors::{Meaning, Vectors};
use crate::knowledge::{Fact, FactBook, Knowledge};

/// The index of the [`FactBook`], which grows with it when something is looked up. It follows from
/// the book alone, so it is not saved.
#[derive(Resource, Debug, Default)]
pub struct Lore(Mutex<Indexed>);

#[derive(Debug, Default)]
struct Indexed {
    index: Index,
    facts: Vec<Arc<Fact>>,
    /// The model of the vectors that the index has, and how many there were of it when they were
    /// taken over, and for how many facts.
    vectors: Option<(Arc<str>, usize, usize)>,
}

impl Lore {
    /// The facts that are open to an entity and fit a question, best first: those that it names by
    /// title or key, then those that speak of the same or, with vectors, mean the same.
    pub fn find(
        &self,
        book: &FactBook,
        knowledge: Option<&Knowledge>,
        (question, meaning): (&str, Option<Meaning<'_>>),
        most: usize,
    ) -> Vec<Arc<Fact>> {
        let mut indexed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        indexed.grow(book);
        let is_open = |fact: &Fact| {
            fact.is_common() || knowledge.is_some_and(|knowledge| knowledge.knows(&fact.id))
        };
        let named = book.find(knowledge, question).cloned();
        let spoken_of = indexed.search(question, meaning).into_iter();
        let mut seen = BTreeSet::new();
        let found = named.chain(spoken_of.filter(|fact| is_open(fact)));
        found
            .filter(|fact| seen.insert(fact.id.clone()))
            .take(most)
            .collect()
    }
}

impl Indexed {
    fn grow(&mut self, book: &FactBook) {
        let known = self.facts.iter().zip(book.all());
        let same = known
            .filter(|(known, fact)| Arc::ptr_eq(known, fact))
            .count();
        if same < self.facts.len() {
            *self = Self::default();
        }
        for fact in book.all().skip(self.facts.len()) {
            let mut about: Vec<&str> = fact.keys.iter().map(String::as_str).collect();
            about.push(&fact.title);
            self.index.add(&IndexEntry {
                text: &fact.text,
                about: &about,
                // Facts that stand side by side have nothing to do with each other.
                session: &fact.id,
                ..IndexEntry::default()
            });
            self.facts.push(fact.clone());
        }
    }

    /// Gives the facts their vectors.
    fn take_vectors(&mut self, vectors: &Vectors) {
        let taken = Some((vectors.model.clone(), vectors.len(), self.facts.len()));
        if self.vectors == taken {
            return;
        }
        self.index.vectors.clear();
        for (entry, fact) in (0..).zip(&self.facts) {
            if let Some(vector) = vectors.get(&fact_text(fact)) {
                // All have the same width, unless a save was changed.
                let _ = self.index.add_vector(entry, vector.clone());
            }
        }
        self.vectors = taken;
    }

    fn search(&mut self, question: &str, meaning: Option<Meaning<'_>>) -> Vec<Arc<Fact>> {
        if let Some(meaning) = meaning {
            self.take_vectors(meaning.vectors);
        }
        let text = |entry| {
            let fact = self.facts.get(entry as usize);
            fact.map_or(Cow::Borrowed(""), |fact| fact.text.as_str().into())
        };
        let meaning = meaning.map(|meaning| meaning.question);
        let hits = self
            .index
            .fitting((question, meaning), self.facts.len(), text);
        let facts = hits
            .iter()
            .filter_map(|hit| self.facts.get(hit.entry as usize));
        facts.cloned().collect()
    }
}

/// A fact in one text, of which a vector can be made.
pub(crate) fn fact_text(fact: &Fact) -> String {
    format!("{}: {}", fact.title, fact.text)
}
