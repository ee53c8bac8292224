//! Calls go out to minds and come back: budgets and caps before, judging and repairs after.

use std::collections::VecDeque;

use std::sync::Arc;

use bevy_ecs::prelude::*;
use futures_util::{FutureExt, StreamExt};

use super::Engine;
use super::calls::{Arrived, Job, Returned, rules_of};
use super::compact::{fold, next_fold};
use super::run::Repeats;
use super::totals::worst_case;
use super::{CallFigures, Signal, Stop};
use crate::context::{AgentContext, ContextStats};
use crate::event::{By, Phrasebook};
use crate::exchange::{BoxedAnswer, Budget, Ledger, Spent};
use crate::journal::Ending;
use crate::locale::Localize;
use crate::message::tokens::Correction;
use crate::message::{Language, shown};
use crate::mind::{Answering, Completion, FailedCall, Finish, MindError, Prompt, Round};

impl Engine {
    /// Starts as many waiting calls as slots, caps and the warming of caches allow.
    pub(super) fn start_calls(&mut self) {
        if self.settings.replay {
            return;
        }
        // A cap may have refused a call for what was only reserved then.
        self.capped = None;
        let width = self.settings.width.max(1);
        let mut held = VecDeque::new();
        while self.capped.is_none() && self.calls.under_way.len() < width {
            let Some(job) = self.calls.waiting.pop_front() else {
                break;
            };
            let alias = &job.mind.info().alias;
            let warmth = &self.calls.warmth;
            let warm = job
                .shared_prefix
                .is_none_or(|shared_prefix| warmth.lets_start(alias, shared_prefix));
            match warm {
                true => self.start_call(job),
                false => held.push_back(job),
            }
        }
        // Those held back go first when the cache is warm.
        if !held.is_empty() {
            held.append(&mut self.calls.waiting);
            self.calls.waiting = held;
        }
    }

    pub(super) fn start_call(&mut self, mut job: Box<Job>) {
        if job.is_closed_by_tools() {
            let ending = Ending::Answered {
                text: String::new(),
                thinking: None,
                finish: Finish::ToolCalls,
            };
            return self.end(job, ending, None);
        }
        let stats = self.fit_window(&mut job);
        job.prompt_tokens = job.estimate(&stats);
        job.worst = self.worst_of(&job);
        if let Some(reason) = self.over_budget(&job, &job.worst) {
            return self.end(job, Ending::Failed { reason }, None);
        }
        if let Some(reason) = self.totals.refuses(&self.settings.caps, &job.worst) {
            self.capped = Some(reason);
            self.calls.waiting.push_front(job);
            return;
        }
        let Some(answering) = self.ask_mind(&job) else {
            let reason = "the entity is gone".into();
            return self.end(job, Ending::Failed { reason }, None);
        };
        self.totals.reserve(job.worst);
        self.note_repeats(&mut job, stats);
        let info = job.mind.info();
        if let Some(shared_prefix) = job.shared_prefix {
            self.calls.warmth.started(&info.alias, shared_prefix);
        }
        if let Some(act) = &mut self.on_signal {
            act(Signal::CallStarted {
                entity: job.name.clone(),
                purpose: job.question.purpose(),
                mind: info.alias.clone(),
            });
        }
        self.calls.under_way.push(Box::pin(async move {
            let result = answering.await;
            (job, Arrived::Mind(result))
        }));
    }

    /// The worst case of a job's next call, attempts that are repeated included.
    pub(super) fn worst_of(&self, job: &Job) -> Spent {
        let info = job.mind.info();
        if !info.metered {
            return Spent {
                calls: 1,
                ..Spent::default()
            };
        }
        let prompt = self.correction(job.entity).apply(job.prompt_tokens);
        let answer = job.question.max_tokens().min(info.max_output);
        worst_case(prompt, answer, info.billed_attempts, |usage| {
            let price = info.price.as_ref();
            price.map(|price| price.of(usage)).unwrap_or_default()
        })
    }

    pub(super) fn correction(&self, entity: Entity) -> Correction {
        let correction = self.world.get::<Correction>(entity);
        correction.copied().unwrap_or_default()
    }

    /// Hands a prompt to its mind; nothing where the entity has left the world.
    pub(super) fn ask_mind(&self, job: &Job) -> Option<Answering> {
        let whole = || self.world.get::<AgentContext>(job.entity);
        let history = job.view.as_deref().or_else(whole)?;
        let span = tracing::debug_span!("call", entity = %job.name, purpose = job.question.purpose(), tokens = job.prompt_tokens);
        let _entered = span.enter();
        Some(job.mind.answer(&Prompt {
            entity: &job.name,
            purpose: job.question.purpose(),
            number: job.number,
            language: *self.world.resource::<Language>(),
            history,
            question: &job.asked,
            ask_short: job.question.ask_short(),
            rounds: &job.rounds,
            tools: job.tools(),
            form: job.question.form(),
            max_tokens: job.question.max_tokens().min(job.mind.info().max_output),
            seed: job.seed,
            stream: job.stream.as_ref(),
        }))
    }

    /// Folds the oldest messages away until the prompt fits a window that is known.
    pub(super) fn fit_window(&mut self, job: &mut Job) -> ContextStats {
        loop {
            let stats = match (
                &mut job.view,
                self.world.get_mut::<AgentContext>(job.entity),
            ) {
                (Some(view), _) => view.stats(),
                (None, Some(mut context)) => context.stats(),
                (None, None) => ContextStats::default(),
            };
            let info = job.mind.info();
            let Some(window) = info.window else {
                return stats;
            };
            let answer = u64::from(job.question.max_tokens().min(info.max_output));
            let prompt = self.correction(job.entity).apply(job.estimate(&stats));
            if prompt + answer <= window || !self.fold_once(job) {
                return stats;
            }
        }
    }

    /// Folds as many messages away as a recorded round of the ask had to.
    pub(super) fn fold_again(&self, job: &mut Job) {
        let context = self.world.get::<AgentContext>(job.entity);
        if let Some(context) = context.filter(|_| job.folded > 0) {
            let mut view = Box::new(context.clone());
            fold(&mut view, job.folded, self.world.resource::<Phrasebook>());
            job.view = Some(view);
        }
    }

    /// Folds about half of the messages away; false where nothing is left to fold.
    pub(super) fn fold_once(&mut self, job: &mut Job) -> bool {
        let Some(context) = self.world.get::<AgentContext>(job.entity) else {
            return false;
        };
        let viewed = self.view_of(job.entity);
        let context = viewed.as_deref().unwrap_or(context);
        let more = next_fold(job.view.as_deref().unwrap_or(context));
        if more == 0 {
            return false;
        }
        // A folded view has one line in the place of what was folded before.
        let folded = if job.folded == 0 {
            more
        } else {
            job.folded + more - 1
        };
        let mut view = Box::new(context.clone());
        fold(&mut view, folded, self.world.resource::<Phrasebook>());
        job.folded = folded;
        job.view = Some(view);
        true
    }

    pub(super) fn over_budget(&self, job: &Job, worst: &Spent) -> Option<String> {
        let budget = self.world.get::<Budget>(job.entity)?;
        let mut spent = self
            .world
            .get::<Ledger>(job.entity)
            .map(Ledger::total)
            .unwrap_or_default();
        spent += job.spent;
        (!budget.allows(&spent, worst)).then(|| "the entity's budget is used up".to_owned())
    }

    /// Notes how much of a prompt its provider has seen before.
    pub(super) fn note_repeats(&mut self, job: &mut Job, stats: ContextStats) {
        let Some(context) = self.world.get::<AgentContext>(job.entity) else {
            return;
        };
        let shape = (context.revisions(), job.folded);
        let short = job.asked.short().map(|short| short.as_str().len() as u64);
        let asked = match short {
            Some(short) if job.question.ask_short() => short,
            _ => job.asked.full_text().len() as u64,
        };
        let rounds: u64 = job.rounds.iter().map(Round::bytes).sum();
        let is_kept = |round: &&Round| matches!(round, Round::Tools(_));
        let kept_rounds = job.rounds.iter().take_while(is_kept).map(Round::bytes);
        let before = self.repeats.get(&job.entity);
        let before = before.filter(|before| before.shape == shape);
        let repeated = before.map_or(0, |before| match job.rounds.is_empty() {
            true => before.kept,
            false => before.sent,
        });
        let sent = stats.bytes + asked + rounds;
        // A full question is replaced by its short form in the next prompt, others are kept.
        let keeps_question = short.is_none() || job.question.ask_short();
        let kept = match keeps_question {
            true => stats.bytes + asked + kept_rounds.sum::<u64>(),
            false => stats.bytes,
        };
        job.figures = CallFigures {
            prompt_bytes: sent,
            repeated_bytes: repeated.min(sent),
            ..CallFigures::default()
        };
        let repeats = Repeats { shape, sent, kept };
        self.repeats.insert(job.entity, repeats);
    }

    /// Waits for the next answer, and takes all that have arrived with it.
    pub(super) async fn wait(&mut self) -> Option<Stop> {
        let brake = self.brake.clone();
        let first = tokio::select! {
            biased;
            () = brake.pulled() => return Some(Stop::Braked),
            returned = self.calls.under_way.next() => returned?,
        };
        let mut stop = self.returned(first);
        while let Some(Some(next)) = self.calls.under_way.next().now_or_never() {
            stop = self.returned(next).or(stop);
        }
        stop
    }

    pub(super) fn returned(&mut self, (job, arrived): Returned) -> Option<Stop> {
        match arrived {
            Arrived::Mind(result) => self.answered(job, result),
            Arrived::Tools(outputs) => {
                self.tools_returned(job, outputs);
                None
            }
        }
    }

    fn answered(
        &mut self,
        mut job: Box<Job>,
        result: Result<Completion, FailedCall>,
    ) -> Option<Stop> {
        let spent = job.book(&result);
        self.totals.calls.push(job.figures);
        self.totals.settle(job.worst, spent);
        if let Some(words) = self.totals.warning(&self.settings.caps) {
            self.signal(Signal::CapNear(words));
        }
        if let Some(shared_prefix) = job.shared_prefix {
            let alias = job.mind.info().alias.clone();
            self.calls.warmth.ended(&alias, shared_prefix);
        }
        match result {
            Ok(completion) => {
                self.failures_in_row = 0;
                self.any_success = true;
                if !completion.calls.is_empty() && job.tools().callable {
                    self.run_tools(job, completion);
                    return None;
                }
                if !completion.calls.is_empty() && completion.text.trim().is_empty() {
                    let said = shown(&completion.to_blocks());
                    let broken = [self.calls_not_now()];
                    self.repair(job, &said, &broken);
                    return None;
                }
                match job.question.judge(&completion.text) {
                    Ok(value) => {
                        let answered = Ending::Answered {
                            text: completion.text,
                            thinking: completion.thinking,
                            finish: completion.finish,
                        };
                        self.end(job, answered, Some(value));
                    }
                    Err(broken) => self.repair(job, &completion.text, &broken),
                }
                None
            }
            Err(FailedCall { error, .. }) => self.failed(job, error),
        }
    }

    pub(super) fn repair(
        &mut self,
        mut job: Box<Job>,
        answer: &str,
        broken: &[crate::exchange::Violation],
    ) {
        job.void_pieces();
        if job.refused().count() as u32 >= job.question.repairs() {
            let rules: Vec<_> = broken.iter().map(|broken| broken.rule.as_str()).collect();
            let reason = format!("the answer failed its check: {}", rules.join("; "));
            job.refuse(answer, String::new());
            return self.end(job, Ending::Failed { reason }, None);
        }
        let phrases = self.world.resource::<Phrasebook>();
        let facts = serde_json::json!({"broken": rules_of(broken, phrases)});
        let complaint = phrases
            .say("engine/repair", &facts)
            .unwrap_or_else(|_| facts.to_string());
        job.refuse(answer, complaint);
        self.calls.waiting.push_front(job);
    }

    pub(super) fn failed(&mut self, mut job: Box<Job>, error: MindError) -> Option<Stop> {
        job.void_pieces();
        if matches!(error, MindError::PromptTooLong { .. }) && self.fold_once(&mut job) {
            self.calls.waiting.push_front(job);
            return None;
        }
        if matches!(error, MindError::Cancelled | MindError::SeatEmpty { .. }) {
            self.calls.waiting.push_front(job);
            return Some(Stop::Braked);
        }
        tracing::warn!(entity = %job.name, purpose = job.question.purpose(), "{error}");
        let refused = matches!(
            error,
            MindError::Denied { .. } | MindError::Unreachable { .. }
        );
        if self.settings.stop_on_first_refusal && refused && !self.any_success {
            return Some(Stop::ServerDown(error.text()));
        }
        self.failures_in_row += 1;
        let gave_up = self
            .settings
            .give_up_after
            .is_some_and(|most| self.failures_in_row >= most);
        if gave_up {
            // Who resumes asks this one again.
            self.calls.waiting.push_front(job);
            return Some(Stop::ServerDown(error.text()));
        }
        let reason = error.to_string();
        self.end(job, Ending::Failed { reason }, None);
        None
    }

    /// An ask has its outcome, and its answer where one passed.
    pub(super) fn end(&mut self, job: Box<Job>, ending: Ending, value: Option<BoxedAnswer>) {
        if let Some(act) = &mut self.on_signal {
            act(Signal::CallEnded {
                entity: job.name.clone(),
                purpose: job.question.purpose(),
                by: match &ending {
                    Ending::Failed { reason } => By::Fallback(reason.clone()),
                    Ending::Answered { .. } => match job.refused().count() {
                        0 => By::Mind,
                        times => By::Repaired(times as u32),
                    },
                },
                latency: job.latency,
            });
        }
        let outcome = job.outcome(ending);
        let place = job.place;
        self.arrived
            .push((place, job.done(Arc::new(outcome), value), true));
    }

    pub(super) fn signal(&mut self, signal: Signal) {
        if let Some(act) = &mut self.on_signal {
            act(signal);
        }
    }
}
