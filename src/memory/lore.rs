//! Facts, found by what they say.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;

use super::index::{Entry, Index};
use crate::knowledge::{Fact, FactBook, Knowledge};

/// A fact fits if its score is at least this share of the best one's.
const FITS: f32 = 0.4;

/// The index of the [`FactBook`], which grows with it when something is looked up. It follows from
/// the book alone, so it is not saved.
#[derive(Resource, Debug, Default)]
pub struct Lore(Mutex<Indexed>);

#[derive(Debug, Default)]
struct Indexed {
    index: Index,
    facts: Vec<Arc<Fact>>,
}

impl Lore {
    /// The facts that are open to somebody and fit a question, best first: those that it names by
    /// title or key, then those that speak of the same.
    pub fn find(
        &self,
        book: &FactBook,
        knowledge: Option<&Knowledge>,
        question: &str,
        most: usize,
    ) -> Vec<Arc<Fact>> {
        let mut indexed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        indexed.grow(book);
        let is_open = |fact: &Fact| {
            fact.is_common() || knowledge.is_some_and(|knowledge| knowledge.knows(&fact.id))
        };
        let named = book.find(knowledge, question).cloned();
        let spoken_of = indexed.search(question).into_iter();
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
            self.index.add(&Entry {
                text: &fact.text,
                about: &about,
                // Facts that stand side by side have nothing to do with each other.
                session: &fact.id,
                ..Entry::default()
            });
            self.facts.push(fact.clone());
        }
    }

    fn search(&self, question: &str) -> Vec<Arc<Fact>> {
        let text = |entry| {
            let fact = self.facts.get(entry as usize);
            fact.map_or(Cow::Borrowed(""), |fact| fact.text.as_str().into())
        };
        let hits = self.index.search(question, self.facts.len(), text);
        let best = hits.first().map_or(0.0, |hit| hit.score);
        let fitting = hits.iter().take_while(|hit| hit.score >= FITS * best);
        let facts = fitting.filter_map(|hit| self.facts.get(hit.entry as usize));
        facts.cloned().collect()
    }
}
