//! What was spent by whom and on what, and who may spend how much.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::ends_with_refusal;
use crate::cast::{CastList, EntityName};
use crate::journal::{AskEnding, Line, Outcome, Sent, ToolSpent};
use crate::message::{Cost, TokenUsage};

/// The purpose of asks that have no outcome yet.
pub const UNFINISHED: &str = "unfinished";

/// What was spent on one purpose, by one entity, or by all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Asks that ended, whatever their answer.
    pub asks: u64,
    /// Requests that reached a mind, those after bad answers included.
    pub calls: u64,
    /// Attempts that the transport repeated.
    pub retries: u64,
    /// Bad answers that were sent back to be corrected.
    pub repairs: u64,
    /// Asks that ended with their fallback.
    pub fallbacks: u64,
    /// Those among them that a model refused to give an answer to.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refusals: u64,
    /// Tokens; estimated if the provider reports none.
    pub usage: TokenUsage,
    /// What is known of the cost.
    pub cost: Cost,
    /// Those of the requests whose price is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unpriced: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Spent {
    /// The cost, as far as prices are known; none if no price is.
    pub fn known_cost(&self) -> Option<Cost> {
        (self.unpriced == 0 || self.cost != Cost::default()).then_some(self.cost)
    }

    /// What an ask with this outcome spent.
    pub(super) fn on(outcome: &Outcome, is_fallback: bool) -> Self {
        // The last bad answer was not sent back.
        let sent_back = outcome
            .refused
            .iter()
            .filter(|refused| !refused.complaint.is_empty());
        let mut spent = Self {
            asks: 1,
            calls: outcome.calls,
            retries: u64::from(outcome.retries),
            repairs: sent_back.count() as u64,
            fallbacks: u64::from(is_fallback),
            refusals: u64::from(ends_with_refusal(outcome)),
            usage: outcome.usage,
            cost: outcome.cost,
            unpriced: outcome.unpriced,
        };
        // What tools spent on minds is booked to their caller.
        let results = outcome.rounds.iter().flat_map(|round| &round.results);
        for result in results {
            spent += result.spent.into();
        }
        spent
    }
}

impl From<ToolSpent> for Spent {
    fn from(spent: ToolSpent) -> Self {
        Self {
            calls: spent.calls,
            usage: spent.usage,
            cost: spent.cost,
            unpriced: spent.unpriced,
            ..Self::default()
        }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.asks += other.asks;
        self.calls += other.calls;
        self.retries += other.retries;
        self.repairs += other.repairs;
        self.fallbacks += other.fallbacks;
        self.refusals += other.refusals;
        self.usage += other.usage;
        self.cost = self.cost.plus(other.cost);
        self.unpriced += other.unpriced;
    }
}

/// What an entity's committed asks have spent, by purpose.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    /// Purpose → what was spent on it.
    pub purposes: BTreeMap<String, Spent>,
}

impl Ledger {
    /// Books what one ask spent.
    pub fn book(&mut self, purpose: &str, spent: Spent) {
        match self.purposes.get_mut(purpose) {
            Some(sum) => *sum += spent,
            None => {
                self.purposes.insert(purpose.to_owned(), spent);
            }
        }
    }

    /// Adds what another ledger holds.
    pub fn add(&mut self, other: &Self) {
        for (purpose, spent) in &other.purposes {
            self.book(purpose, *spent);
        }
    }

    /// Everything the entity spent.
    pub fn total(&self) -> Spent {
        let mut total = Spent::default();
        for spent in self.purposes.values() {
            total += *spent;
        }
        total
    }
}

/// The ledgers of all entities, those who have left the story included, in order of their numbers.
pub fn ledgers(world: &World) -> impl Iterator<Item = (&str, &Ledger)> {
    let everybody = world.resource::<CastList>().everybody();
    everybody.into_iter().filter_map(|(_, entity)| {
        let name = &world.get::<EntityName>(entity)?.0;
        Some((&**name, world.get::<Ledger>(entity)?))
    })
}

/// What all recorded calls have spent, by the name of who was asked, in the order of the entities'
/// numbers. Unlike the ledgers of a world it includes what was paid after the last snapshot. What
/// asks without an outcome have spent is booked under [`UNFINISHED`].
pub fn recorded_ledgers(lines: &[Line]) -> Vec<(Arc<str>, Ledger)> {
    let mut ledgers = BTreeMap::<(u32, Arc<str>), Ledger>::new();
    // Calls and tokens of a round include those before; what its tools spent is its own.
    let mut open = BTreeMap::<(u32, Arc<str>, u32), (Spent, Spent)>::new();
    for line in lines {
        match line {
            Line::Outcome(outcome) => {
                let (id, name) = (outcome.id, outcome.entity.clone());
                open.remove(&(id, name.clone(), outcome.number));
                let is_fallback = matches!(outcome.ending, AskEnding::Failed { .. });
                let ledger = ledgers.entry((id, name)).or_default();
                ledger.book(&outcome.purpose, Spent::on(outcome, is_fallback));
            }
            Line::Round(round) => {
                let key = (round.id, round.entity.clone(), round.number);
                let (so_far, by_tools) = open.entry(key).or_default();
                *so_far = Spent {
                    calls: round.calls,
                    retries: u64::from(round.retries),
                    repairs: round.refused.len() as u64,
                    usage: round.usage,
                    cost: round.cost,
                    unpriced: round.unpriced,
                    ..Spent::default()
                };
                for result in &round.round.results {
                    *by_tools += result.spent.into();
                }
            }
            Line::Held(outcome) => {
                let key = (outcome.id, outcome.entity.clone(), outcome.number);
                open.insert(key, (Spent::on(outcome, false), Spent::default()));
            }
            _ => {}
        }
    }
    for ((id, name, _), (mut spent, by_tools)) in open {
        spent += by_tools;
        if spent != Spent::default() {
            let ledger = ledgers.entry((id, name)).or_default();
            ledger.book(UNFINISHED, spent);
        }
    }
    ledgers
        .into_iter()
        .map(|((_, name), ledger)| (name, ledger))
        .collect()
}

/// The requests that were on their way when a run ended, of which nobody knows whether they were
/// paid for: by the name of who was asked, and at most.
pub fn lost_requests(lines: &[Line]) -> BTreeMap<Arc<str>, Spent> {
    let mut lost = Vec::new();
    let mut open = BTreeMap::<(u32, Arc<str>, u32), &Sent>::new();
    for line in lines {
        let key = match line {
            Line::Sent(sent) if !sent.failed => {
                lost.extend(open.insert((sent.id, sent.entity.clone(), sent.number), sent));
                continue;
            }
            Line::Sent(failed) => (failed.id, &failed.entity, failed.number),
            Line::Outcome(known) | Line::Held(known) => (known.id, &known.entity, known.number),
            Line::Round(round) => (round.id, &round.entity, round.number),
            _ => continue,
        };
        open.remove(&(key.0, key.1.clone(), key.2));
    }
    lost.extend(open.into_values());
    let mut by_entity = BTreeMap::<_, Spent>::new();
    for sent in lost {
        *by_entity.entry(sent.entity.clone()).or_default() += Spent {
            calls: 1,
            usage: TokenUsage {
                input: sent.tokens,
                ..TokenUsage::default()
            },
            cost: sent.cost,
            ..Spent::default()
        };
    }
    by_entity
}

/// What was spent on each purpose, by all entities.
pub fn spent_by_purpose(world: &World) -> BTreeMap<String, Spent> {
    let mut sum = Ledger::default();
    ledgers(world).for_each(|(_, ledger)| sum.add(ledger));
    sum.purposes
}

/// The most that an entity may spend in its lifetime. Without the component there is no limit.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens of prompts and answers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Budget {
    /// Whether a call with this worst case still fits, after what was spent.
    pub fn allows(&self, spent: &Spent, worst: &Spent) -> bool {
        let tokens = spent.usage.total().saturating_add(worst.usage.total());
        let cost = spent.cost.plus(worst.cost);
        self.tokens.is_none_or(|limit| tokens <= limit)
            && self.cost.is_none_or(|limit| cost <= limit)
    }
}
