//! What becomes of calls that fail, and of models that give no usable answers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::job::Job;
use super::{Engine, Signal, Stop};
use crate::event::Phrasebook;
use crate::exchange::Violation;
use crate::exchange::prompts::MAY_DECLINE;
use crate::journal::{AskEnding, Line, Outcome, Recording};
use crate::locale::{Argument, Localize, UiText, text};
use crate::mind::{FailedCall, MaxDefaults, MindError, Refused};

/// The first pause before a model that can't answer is asked again, and the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// How many of a model's last asks are looked at.
const LAST: usize = 30;
/// How many characters of a useless answer people are shown.
const SHOWN: usize = 200;

/// A pause; it ends with the alias of the model.
pub(super) type Pause = Pin<Box<dyn Future<Output = String> + Send>>;

/// The models that can't answer, by alias.
#[derive(Default)]
pub(super) struct Outages(BTreeMap<String, Outage>);

/// A model that can't answer, now or at all.
#[derive(Default)]
struct Outage {
    /// Whose asks failed.
    entities: BTreeSet<Arc<str>>,
    /// How long the pauses were together.
    waited: Duration,
    pauses: u32,
    /// How many calls failed that may have been billed all the same.
    billed: u32,
    phase: Phase,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Phase {
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
    fn next_pause(&self, job: &Job, failed: &FailedCall) -> Option<Duration> {
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

    fn names(&self) -> Argument {
        Argument::list(self.entities.iter().map(|name| &**name))
    }
}

/// What a run has learned about its models.
#[derive(Default)]
pub(super) struct Failures {
    /// Models that were waited for in vain: their answers are fallbacks, if the run goes on.
    given_up: BTreeSet<String>,
    /// By provider and model.
    usable: BTreeMap<(Arc<str>, Arc<str>), Usable>,
    /// How many asks of this run had no usable answer.
    defaults: u64,
}

/// How usable the answers of a model are.
#[derive(Default)]
struct Usable {
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
    fn refuses_another(&self, limits: MaxDefaults) -> Option<UiText> {
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

impl Engine {
    /// A call failed. Nothing of that is recorded, unless the run is told to fall back: its ask
    /// waits until the server answers again, or for whoever resumes.
    pub(super) fn failed(&mut self, mut job: Box<Job>, failed: FailedCall) -> Option<Stop> {
        job.retract_stream();
        let is_folded = self.fold_after(&mut job, &failed, false);
        if is_folded || !failed.error.is_transient() {
            // Whoever refuses is there, and nobody waits for this attempt any more.
            self.ends_outage(&job.mind.info().alias);
        }
        if is_folded {
            self.calls.waiting.push_front(job);
            return None;
        }
        match failed.error {
            MindError::Cancelled | MindError::SeatEmpty { .. } => {
                self.calls.waiting.push_front(job);
                return Some(Stop::Cancelled);
            }
            MindError::Moderated { .. } => {
                let words = failed.error.text();
                self.refused(job, "", text!(exchange_refused_saying, words));
            }
            MindError::Empty { .. } => self.retry(job, "", &[Violation::empty("")]),
            // The end of a script is no outage.
            MindError::ScriptExhausted { .. } | MindError::NotRecorded { .. } => {
                self.fall_back(job, &failed.error);
            }
            _ => self.server_failed(job, &failed),
        }
        None
    }

    fn fall_back(&mut self, job: Box<Job>, error: &MindError) {
        tracing::warn!(entity = %job.ask.name, purpose = job.ask.question.purpose(), "{error}");
        let reason = error.text();
        self.end(job, AskEnding::Failed { reason }, None);
    }

    fn server_failed(&mut self, mut job: Box<Job>, failed: &FailedCall) {
        let alias = job.mind.info().alias.clone();
        let outage = self.calls.outages.0.entry(alias.clone()).or_default();
        outage.entities.insert(job.ask.name.clone());
        outage.billed += u32::from(failed.billable);
        if outage.phase == Phase::Pausing {
            // It was asked before that was known.
            return self.calls.waiting.push_front(job);
        }
        let has_given_up = self.failures.given_up.contains(&alias);
        let may_pass = failed.error.is_transient() && !has_given_up;
        match outage.next_pause(&job, failed).filter(|_| may_pass) {
            Some(pause) => self.pause(job, failed, pause),
            None if self.fold_after(&mut job, failed, true) => {
                self.calls.outages.pause_ended(&alias);
                self.calls.waiting.push_front(job);
            }
            None => self.give_up(job, failed),
        }
    }

    /// Waits for a server, while other models go on.
    fn pause(&mut self, job: Box<Job>, failed: &FailedCall, pause: Duration) {
        let info = job.mind.info();
        let Some(outage) = self.calls.outages.0.get_mut(&info.alias) else {
            return;
        };
        tracing::debug!(mind = info.alias, ?pause, error = %failed.error, "a server is waited for");
        outage.phase = Phase::Pausing;
        outage.waited += pause;
        outage.pauses += 1;
        self.listeners.signal(|| Signal::ServerAwaited {
            mind: info.alias.clone(),
            entities: outage.entities.iter().cloned().collect(),
            reason: failed.error.text(),
            pause,
            patience: info.patience.saturating_sub(outage.waited) + pause,
            is_first: outage.pauses == 1,
        });
        let alias = info.alias.clone();
        self.calls.pauses.push(Box::pin(async move {
            tokio::time::sleep(pause).await;
            alias
        }));
        self.calls.waiting.push_front(job);
    }

    /// A server can't answer, and waiting is of no use, or was not.
    fn give_up(&mut self, job: Box<Job>, failed: &FailedCall) {
        let alias = &job.mind.info().alias;
        if self.settings.falls_back {
            self.failures.given_up.insert(alias.clone());
            self.calls.outages.0.remove(alias);
            return self.fall_back(job, &failed.error);
        }
        self.stop_at(job, failed.error.text());
    }

    /// Stops at an ask, which whoever resumes asks again.
    pub(super) fn stop_at(&mut self, job: Box<Job>, reason: UiText) {
        let alias = job.mind.info().alias.clone();
        let outage = self.calls.outages.0.entry(alias.clone()).or_default();
        outage.entities.insert(job.ask.name.clone());
        outage.phase = Phase::Failed;
        self.calls.waiting.push_front(job);
        let stop = Stopping::Failure((alias, reason));
        self.calls.stop.get_or_insert(stop);
    }

    /// A mind answered.
    pub(super) fn server_answered(&mut self, alias: &str) {
        self.failures.given_up.remove(alias);
        if self.ends_outage(alias) {
            let mind = alias.to_owned();
            self.listeners.signal(|| Signal::ServerBack { mind });
        }
    }

    /// Lets the calls of a model start again; returns whether they had to wait. Once a run is to stop,
    /// they don't.
    fn ends_outage(&mut self, alias: &str) -> bool {
        self.calls.stop.is_none() && self.calls.outages.0.remove(alias).is_some()
    }

    /// A model refused what it was asked. The same request is not sent again, but once a reminder
    /// that a character may decline within the story.
    pub(super) fn refused(&mut self, mut job: Box<Job>, answer: &str, reason: UiText) {
        job.retract_stream();
        let phrases = self.world.resource::<Phrasebook>();
        let reminder = phrases.render(&MAY_DECLINE, &()).unwrap_or_default();
        let is_reminder = |refused: &Refused| refused.complaint.as_str() == reminder;
        if job.rounds.refused().any(is_reminder) || !job.may_be_refused() {
            job.rounds.refuse(answer, "", job.usage.ms());
            return self.end_useless(job, answer, reason);
        }
        job.rounds.refuse(answer, &reminder, job.usage.ms());
        self.calls.waiting.push_front(job);
    }

    /// An ask has no usable answer, and its mind was asked often enough: its fallback is used, or
    /// the run stops if that happens too often.
    pub(super) fn end_useless(&mut self, job: Box<Job>, answer: &str, reason: UiText) {
        let info = job.mind.info();
        let model = (info.provider.clone(), job.model().clone());
        let limits = info.max_defaults;
        let too_often = match self.settings.max_defaults {
            Some(most) => (self.failures.defaults >= most)
                .then(|| text!(engine_useless_of_run, count = self.failures.defaults + 1)),
            None => (self.failures.usable.entry(model).or_default()).refuses_another(limits),
        };
        let Some(too_often) = too_often else {
            return self.end(job, AskEnding::Failed { reason }, None);
        };
        let stop = text!(
            engine_useless,
            mind = info.alias.as_str(),
            too_often,
            entity = &*job.ask.name,
            reason,
            wrote = wrote(answer)
        );
        let alias = info.alias.clone();
        self.calls.outages.0.entry(alias).or_default();
        // Whoever resumes asks it again.
        self.calls.waiting.push_front(job);
        self.calls.stop.get_or_insert(Stopping::Useless(stop));
    }

    /// Why the run stops, once everything that is paid for has arrived.
    pub(super) fn take_stop(&mut self) -> Option<Stop> {
        if self.calls.paid > 0 {
            return None;
        }
        Some(match self.calls.stop.take()? {
            Stopping::Useless(reason) => Stop::NoUsableAnswers(reason),
            Stopping::Failure((alias, reason)) => {
                let open = self.calls.waiting.iter();
                for open in open.filter_map(|job| job.unrecorded_refusals()) {
                    self.record.journal.queue(Line::Round(Arc::new(open)));
                }
                let outage = self.calls.outages.0.remove(&alias).unwrap_or_default();
                let entities = outage.names();
                let seconds = outage.waited.as_secs();
                Stop::ServerDown(if seconds == 0 {
                    text!(engine_server_failed, reason, entities)
                } else {
                    text!(engine_server_awaited, reason, entities, seconds)
                })
            }
        })
    }
}

/// Why a run is about to stop.
pub(super) enum Stopping {
    /// The alias of the model that can't be asked, and why.
    Failure((String, UiText)),
    /// A model that gives no usable answers.
    Useless(UiText),
}

/// What a model wrote, for people.
fn wrote(answer: &str) -> UiText {
    match start_of(answer) {
        start if start.is_empty() => text!(engine_wrote_nothing),
        start => text!(engine_wrote, answer = start),
    }
}

/// The start of an answer on one line.
pub(super) fn start_of(answer: &str) -> String {
    let words: Vec<_> = answer.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
