//! What was spent by whom and on what, and who may spend how much.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::ends_with_refusal;
use crate::cast::{CastList, EntityName};
use crate::journal::{AskEnding, Line, OpenRound, Outcome, Sent, ToolSpent};
use crate::message::{Cost, TokenUsage};

/// The purpose of asks that have no outcome yet, and of tools that were stopped.
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
        for result in outcome.rounds.iter().flat_map(|round| &round.results) {
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

impl From<Spent> for ToolSpent {
    fn from(spent: Spent) -> Self {
        Self {
            calls: spent.calls,
            usage: spent.usage,
            cost: spent.cost,
            unpriced: spent.unpriced,
        }
    }
}

impl std::ops::SubAssign for Spent {
    fn sub_assign(&mut self, other: Self) {
        let take = |from: &mut u64, what: u64| *from = from.saturating_sub(what);
        take(&mut self.asks, other.asks);
        take(&mut self.calls, other.calls);
        take(&mut self.retries, other.retries);
        take(&mut self.repairs, other.repairs);
        take(&mut self.fallbacks, other.fallbacks);
        take(&mut self.refusals, other.refusals);
        take(&mut self.usage.input, other.usage.input);
        take(&mut self.usage.output, other.usage.output);
        take(&mut self.usage.cached, other.usage.cached);
        take(&mut self.usage.reasoning, other.usage.reasoning);
        take(&mut self.cost.0, other.cost.0);
        take(&mut self.unpriced, other.unpriced);
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
    /// Purpose → what was spent on it, sorted. Most entities have one or two, for which a tree has
    /// much more room.
    pub purposes: IndexMap<String, Spent, FixedState>,
}

impl Ledger {
    pub fn book(&mut self, purpose: &str, spent: Spent) {
        match self.purposes.get_mut(purpose) {
            Some(sum) => *sum += spent,
            None => {
                self.purposes.insert_sorted(purpose.to_owned(), spent);
            }
        }
    }

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

/// What an ask without an outcome has spent.
#[derive(Default)]
struct OpenAsk {
    /// By its own mind.
    so_far: Spent,
    /// The same before it called the tools that are running.
    before_tools: Option<Spent>,
    /// By tools that have returned.
    by_tools: Spent,
    running_tools: Spent,
}

impl OpenAsk {
    /// Calls and tokens of a round include those before; what its tools spent is its own.
    /// Returns what tools had spent when the program was killed, which no round has.
    fn add(&mut self, round: &OpenRound) -> Spent {
        self.before_tools = round.is_attempt().then_some(self.so_far);
        self.so_far = Spent {
            calls: round.calls,
            retries: u64::from(round.retries),
            repairs: round.refused.len() as u64,
            usage: round.usage,
            cost: round.cost,
            unpriced: round.unpriced,
            ..Spent::default()
        };
        let mut by_tools = Spent::default();
        for result in &round.round.results {
            by_tools += result.spent.into();
        }
        self.by_tools += by_tools;
        let running = std::mem::take(&mut self.running_tools);
        if by_tools == Spent::default() {
            running
        } else {
            Spent::default()
        }
    }

    /// Takes what its running tools, and the call of its mind that began them, have spent.
    fn take_attempt(&mut self) -> Spent {
        let mut attempt = std::mem::take(&mut self.running_tools);
        if let Some(before) = self.before_tools.take() {
            attempt += std::mem::replace(&mut self.so_far, before);
            attempt -= before;
        }
        attempt
    }
}

type Ledgers = BTreeMap<(u32, Arc<str>), Ledger>;

fn book_unfinished(ledgers: &mut Ledgers, who: (u32, Arc<str>), spent: Spent) {
    if spent != Spent::default() {
        ledgers.entry(who).or_default().book(UNFINISHED, spent);
    }
}

/// What all recorded calls have spent, by the name of who was asked, in the order of the entities'
/// numbers. Unlike the ledgers of a world it includes what was paid after the last snapshot. What
/// asks without an outcome and tools that were stopped have spent is booked under [`UNFINISHED`].
pub fn recorded_ledgers<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Vec<(Arc<str>, Ledger)> {
    let mut ledgers = Ledgers::new();
    let mut open = BTreeMap::<(u32, Arc<str>, u32), OpenAsk>::new();
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
                let lost = open.entry(key).or_default().add(round);
                book_unfinished(&mut ledgers, (round.id, round.entity.clone()), lost);
            }
            Line::Paid(paid) => {
                let key = (paid.id, paid.entity.clone(), paid.number);
                open.entry(key).or_default().running_tools += paid.spent.into();
            }
            // Tools that were stopped run again, when their mind has called them again.
            Line::Stopped(_) => {
                for ((id, name, _), ask) in &mut open {
                    book_unfinished(&mut ledgers, (*id, name.clone()), ask.take_attempt());
                }
            }
            Line::Held(outcome) => {
                let key = (outcome.id, outcome.entity.clone(), outcome.number);
                let ask = open.entry(key).or_default();
                ask.so_far = Spent::on(outcome, false);
                ask.by_tools = Spent::default();
            }
            _ => {}
        }
    }
    for ((id, name, _), ask) in open {
        let mut spent = ask.so_far;
        spent += ask.by_tools;
        spent += ask.running_tools;
        book_unfinished(&mut ledgers, (id, name), spent);
    }
    ledgers
        .into_iter()
        .map(|((_, name), ledger)| (name, ledger))
        .collect()
}

/// The requests that were on their way when a run ended, of which nobody knows whether they were
/// paid for: by the name of who was asked, and at most.
pub fn lost_requests(lines: &[Line]) -> BTreeMap<Arc<str>, Spent> {
    let mut by_entity = BTreeMap::<_, Spent>::new();
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
            // The minds of a tool: what was sent and never answered is left.
            Line::Paid(paid) => {
                let on_its_way = by_entity.entry(paid.entity.clone()).or_default();
                *on_its_way += paid.sent.into();
                *on_its_way -= paid.answered.into();
                continue;
            }
            _ => continue,
        };
        open.remove(&(key.0, key.1.clone(), key.2));
    }
    lost.extend(open.into_values());
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
    by_entity.retain(|_, lost| {
        if lost.cost == Cost::default() {
            lost.unpriced = lost.calls;
        }
        lost.calls > 0
    });
    by_entity
}

/// What was spent on each purpose, by all entities.
pub fn spent_by_purpose(world: &World) -> BTreeMap<String, Spent> {
    let mut sum = Ledger::default();
    ledgers(world).for_each(|(_, ledger)| sum.add(ledger));
    sum.purposes.into_iter().collect()
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
