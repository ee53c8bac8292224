//! Which models can't answer, and how usable the answers of the others are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::job::Job;
use crate::journal::{AskEnding, Outcome, Recording};
use crate::locale::{Argument, UiText, text};
use crate::mind::{FailedCall, MaxDefaults};

/// The first pause before a model that can't answer is asked again, and the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// How many of a model's last asks are looked at.
const LAST: usize = 30;

/// A pause; it ends with the alias of the model.
pub(super) type Pause = Pin<Box<dyn Future<Output = String> + Send>>;

/// The models that can't answer, by alias.
#[derive(Default)]
pub(super) struct Outages(pub(super) BTreeMap<String, Outage>);

/// A model that can't answer, now or at all.
#[derive(Default)]
pub(super) struct Outage {
    pub(super) entities: BTreeSet<Arc<str>>,
    /// How long the pauses were together.
    pub(super) waited: Duration,
    pub(super) pauses: u32,
    /// How many calls failed that may have been billed all the same.
    pub(super) billed: u32,
    pub(super) phase: Phase,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Phase {
    /// It failed just now.
    #[default]
    Failed,
    Pausing,
    /// The pause is over: one call may try.
    Ready,
    /// One call is trying; the others wait for it.
    Trying,
}

impl Outages {
    /// Whether a call of this model may start now.
    pub(super) fn may_start(&self, alias: &str) -> bool {
        let outage = self.0.get(alias);
        outage.is_none_or(|outage| outage.phase == Phase::Ready)
    }

    /// A call of this model starts.
    pub(super) fn started(&mut self, alias: &str) {
        if let Some(outage) = self.0.get_mut(alias) {
            outage.phase = Phase::Trying;
        }
    }

    /// The pause of this model is over.
    pub(super) fn pause_ended(&mut self, alias: &str) {
        if let Some(outage) = self.0.get_mut(alias) {
            outage.phase = Phase::Ready;
        }
    }
}

impl Outage {
    /// How long to pause before the next attempt; `None` if the patience for that is over.
    pub(super) fn next_pause(&self, job: &Job, failed: &FailedCall) -> Option<Duration> {
        let info = job.mind.info();
        let left = info.patience.saturating_sub(self.waited);
        // What costs money is not tried for as long as there is time.
        if left.is_zero() || self.billed >= info.billed_attempts {
            return None;
        }
        let own = FIRST_PAUSE.saturating_mul(1 << self.pauses.min(8));
        let pause = failed
            .retry_after
            .unwrap_or(own.min(LONGEST_PAUSE).min(left));
        (pause <= left).then_some(pause)
    }

    pub(super) fn names(&self) -> Argument {
        Argument::list(self.entities.iter().map(|name| &**name))
    }
}

/// What a run has learned about its models.
#[derive(Default)]
pub(super) struct Failures {
    /// Models that were waited for in vain: their answers are fallbacks, if the run goes on.
    pub(super) given_up: BTreeSet<String>,
    /// By provider and model.
    pub(super) usable: BTreeMap<(Arc<str>, Arc<str>), Usable>,
    /// How many asks of this run had no usable answer.
    pub(super) defaults: u64,
    /// By alias, how many answers of this run came before the first to a prompt that was read; for
    /// a model that read one, there is no need to count.
    unread: BTreeMap<String, u32>,
}

/// How usable the answers of a model are.
#[derive(Default)]
pub(super) struct Usable {
    /// How many asks in a row had no usable answer, in runs before this one, too.
    missing_in_a_row: u32,
    /// Whether the last asks of this run had one.
    last: VecDeque<bool>,
}

impl Usable {
    fn note(&mut self, is_usable: bool) {
        self.missing_in_a_row = if is_usable {
            0
        } else {
            self.missing_in_a_row + 1
        };
        self.last.push_back(is_usable);
        if self.last.len() > LAST {
            self.last.pop_front();
        }
    }

    /// Why one more ask without a usable answer is one too many; `None` if it is not.
    pub(super) fn refuses_another(&self, limits: MaxDefaults) -> Option<UiText> {
        let in_a_row = self.missing_in_a_row.saturating_add(1);
        if in_a_row >= limits.in_a_row {
            return Some(text!(engine_useless_in_a_row, count = in_a_row));
        }
        let others = self.last.iter().rev().take(LAST - 1);
        let missing = 1 + others.filter(|is_usable| !**is_usable).count() as u32;
        let is_over = missing >= limits.of_thirty;
        is_over.then(|| text!(engine_useless_of_last, count = missing, of = LAST))
    }
}

impl Failures {
    /// What a recording tells of its models: how many asks at its end had no usable answer, so that
    /// a run that is resumed again and again does not use up as many defaults each time.
    pub(super) fn after(recording: &Recording) -> Self {
        let usable = recording.missing_in_a_row().iter();
        let usable = usable.map(|(model, count)| {
            let usable = Usable {
                missing_in_a_row: *count,
                ..Usable::default()
            };
            (model.clone(), usable)
        });
        Self {
            usable: usable.collect(),
            ..Self::default()
        }
    }

    /// Takes note of how an ask ended.
    pub(super) fn note(&mut self, outcome: &Outcome) {
        if outcome.has_no_usable_answer() {
            self.defaults += 1;
        } else if matches!(outcome.ending, AskEnding::Failed { .. }) {
            return;
        }
        let model = (outcome.provider.clone(), outcome.model.clone());
        let usable = self.usable.entry(model).or_default();
        usable.note(!outcome.has_no_usable_answer());
    }
}

impl Failures {
    /// Takes note of whether a model's server read a prompt. Returns whether it is time to say that
    /// it reads none.
    pub(super) fn notes_unread(&mut self, alias: &str, is_unread: bool) -> bool {
        const ENOUGH: u32 = 2;
        let count = self.unread.entry(alias.to_owned()).or_default();
        *count = if is_unread {
            count.saturating_add(1)
        } else {
            u32::MAX
        };
        *count == ENOUGH
    }
}

/// Why a run is about to stop.
pub(super) enum Stopping {
    /// The alias of the model that can't be asked, and why.
    Failure((String, UiText)),
    /// A model that gives no usable answers.
    Useless(UiText),
}
