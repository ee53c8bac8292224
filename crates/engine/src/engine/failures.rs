//! What becomes of calls that fail, and of models that give no usable answers.

use std::time::Duration;

use super::job::Job;
use super::outages::{Phase, Stopping};
use super::{Engine, Signal, Stop};
use crate::event::Phrasebook;
use crate::exchange::prompts::Remark;
use crate::exchange::{Violation, tells_refusal};
use crate::journal::AskEnding;
use crate::locale::{Localize, UiText, text};
use crate::mind::{Completion, FailedCall, MindError, Refused};

/// How many characters of a useless answer people are shown.
const SHOWN: usize = 200;

impl Engine {
    /// A call failed. Nothing of that is recorded, unless the run is told to fall back: its ask
    /// waits until the server answers again, or for the run that resumes it.
    pub(super) fn failed(&mut self, mut job: Box<Job>, failed: FailedCall) -> Option<Stop> {
        job.retract_stream();
        let is_folded = self.fold_after(&mut job, &failed, false);
        if is_folded || !failed.error.is_transient() {
            // A server that refuses is there, and this attempt is over.
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
            MindError::SeatAwaited { .. } => self.calls.seats.push(job.ask.name),
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
        tracing::warn!(entity = %job.ask.name, purpose = job.ask.question.parts().purpose, "{error}");
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

    /// Stops at an ask, which a resumed run asks again.
    pub(super) fn stop_at(&mut self, job: Box<Job>, reason: UiText) {
        let alias = job.mind.info().alias.clone();
        let outage = self.calls.outages.0.entry(alias.clone()).or_default();
        outage.entities.insert(job.ask.name.clone());
        outage.phase = Phase::Failed;
        self.calls.waiting.push_front(job);
        let stop = Stopping::Failure((alias, reason));
        self.calls.stop.get_or_insert(stop);
    }

    /// Says once of a model that its server reads far less than it is sent, if its first answers
    /// show that. A template may drop the messages, and a story would be made of nothing.
    pub(super) fn compare_with_sent(&mut self, job: &Job, completion: &Completion) {
        let sent = job.usage.prompt_tokens;
        // The sum of several attempts says nothing about one prompt.
        let usage = completion.usage.filter(|_| completion.retries == 0);
        let Some(usage) = usage.filter(|usage| usage.input > 0) else {
            return;
        };
        let mind = &job.mind.info().alias;
        if self.failures.notes_unread(mind, usage.shows_unread(sent)) {
            let (mind, read) = (mind.clone(), usage.input);
            self.listeners
                .signal(|| Signal::PromptsUnread { mind, read, sent });
        }
    }

    pub(super) fn server_answered(&mut self, alias: &str) {
        self.failures.given_up.remove(alias);
        if self.ends_outage(alias) {
            let mind = alias.to_owned();
            self.listeners.signal(|| Signal::ServerBack { mind });
        }
    }

    /// Lets the calls of a model start again; returns whether they had to wait. Once a run is to
    /// stop, they don't.
    fn ends_outage(&mut self, alias: &str) -> bool {
        self.calls.stop.is_none() && self.calls.outages.0.remove(alias).is_some()
    }

    /// A model refused what it was asked. The same request is not sent again, but once a reminder
    /// that a character may decline within the story.
    pub(super) fn refused(&mut self, mut job: Box<Job>, answer: &str, reason: UiText) {
        job.retract_stream();
        let phrases = self.world.resource::<Phrasebook>();
        let reminder = phrases.fill(&Remark::MayDecline).unwrap_or_default();
        let is_reminder = |refused: &Refused| refused.complaint.as_str() == reminder;
        if job.rounds.refused().any(is_reminder) || !job.may_be_refused() {
            job.rounds.refuse(answer, "", job.usage.ms());
            return self.end_useless(job, answer, reason);
        }
        job.rounds.refuse(answer, &reminder, job.usage.ms());
        self.ask_again(job);
    }

    /// An ask has no usable answer, and its mind was asked often enough: its fallback is used, or
    /// the run stops if that happens too often.
    pub(super) fn end_useless(&mut self, mut job: Box<Job>, answer: &str, reason: UiText) {
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
        let (last, advice) = if tells_refusal(&reason) {
            (reason, text!(engine_useless_refusing))
        } else {
            let wrote = wrote(answer);
            let last = text!(engine_useless_last, wrote, reason);
            (last, text!(engine_useless_help))
        };
        let (mind, entity) = (info.alias.as_str(), &*job.ask.name);
        let stop = text!(engine_useless, mind, too_often, entity, last, advice);
        let alias = info.alias.clone();
        self.calls.outages.0.entry(alias).or_default();
        // A resumed run asks it again, for an answer in the place of this one.
        job.rounds.take_last_refused();
        self.ask_again(job);
        self.calls.stop.get_or_insert(Stopping::Useless(stop));
    }

    /// Why the run stops, once everything that is paid for has arrived.
    pub(super) fn take_stop(&mut self) -> Option<Stop> {
        if self.calls.paid > 0 {
            return None;
        }
        let stop = self.calls.stop.take()?;
        let failed = self.calls.waiting.iter().filter(|job| job.usage.is_sent);
        for line in failed.map(|job| job.sent(true)) {
            self.record.journal.queue(line);
        }
        Some(match stop {
            Stopping::Useless(reason) => Stop::NoUsableAnswers(reason),
            Stopping::Failure((alias, reason)) => {
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
