//! What a story has cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::exchange::{Ledger, Spent, lost_requests, recorded_ledgers};
use playhouse_engine::journal::{Line, Outcome};
use playhouse_engine::message::{Cost, PromptBytes, TokenUsage};

/// What a story has cost by its journal: also what was paid after the last snapshot. Several
/// stories may be added up.
#[derive(Debug, Default)]
pub struct Costs {
    pub by_entity: Vec<(Arc<str>, Ledger)>,
    /// On vectors for recall, which no entity is asked for.
    pub vectors: Spent,
    pub prompts: Vec<(Arc<str>, Prompts)>,
    /// What requests cost at most that were on their way when a run ended, in no other figure.
    pub lost: BTreeMap<Arc<str>, Spent>,
}

/// The prompts of an entity: their bytes, and the memories that came with questions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prompts {
    pub bytes: PromptBytes,
    pub recalled: u64,
    /// Those that answers seem to use.
    pub used: u64,
}

impl Costs {
    pub fn add(&mut self, journal: &[Line]) {
        for (name, ledger) in recorded_ledgers(journal) {
            entry(&mut self.by_entity, &name).add(&ledger);
        }
        for (name, spent) in lost_requests(journal) {
            *self.lost.entry(name).or_default() += spent;
        }
        for line in journal {
            match line {
                Line::Outcome(outcome) => entry(&mut self.prompts, &outcome.entity).add(outcome),
                Line::Vectors(vectors) => self.add_vectors(vectors.tokens, vectors.cost),
                Line::Question(question) => self.add_vectors(question.tokens, question.cost),
                _ => {}
            }
        }
    }

    fn add_vectors(&mut self, input: u64, cost: Cost) {
        let usage = TokenUsage {
            input,
            ..TokenUsage::default()
        };
        self.vectors += Spent {
            usage,
            cost,
            ..Spent::default()
        };
    }

    /// Leaves out what others than this entity have cost.
    pub fn keep(&mut self, who: &str) {
        self.by_entity.retain(|(name, _)| **name == *who);
        self.prompts.retain(|(name, _)| **name == *who);
        self.lost.retain(|name, _| **name == *who);
        self.vectors = Spent::default();
    }

    /// What was spent on each purpose, by all entities.
    pub fn by_purpose(&self) -> BTreeMap<String, Spent> {
        let mut total = Ledger::default();
        for (_, ledger) in &self.by_entity {
            total.add(ledger);
        }
        total.purposes.into_iter().collect()
    }
}

impl Prompts {
    fn add(&mut self, outcome: &Outcome) {
        let used = outcome.recalled.iter().filter(|recalled| recalled.used);
        self.bytes += outcome.prompt_bytes;
        self.recalled += outcome.recalled.len() as u64;
        self.used += used.count() as u64;
    }
}

/// The value under a name, which is new if there is none.
fn entry<'r, T: Default>(rows: &'r mut Vec<(Arc<str>, T)>, name: &Arc<str>) -> &'r mut T {
    let index = rows
        .iter()
        .position(|(known, _)| known == name)
        .unwrap_or(rows.len());
    if index == rows.len() {
        rows.push((name.clone(), T::default()));
    }
    &mut rows[index].1
}
