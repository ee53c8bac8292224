//! Calls go out to minds and come back: budgets and limits before, checks and retries after.

use std::cmp::Reverse;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use futures_util::{FutureExt, StreamExt};
use tracing::{Instrument, Span};

use super::calls::{CallResult, PassedAnswer};
use super::compact::{fold, next_fold};
use super::failures::start_of;
use super::gate::{AnswerInReview, AskKey, Decision};
use super::job::{FinishedAsk, Job, LengthGuess};
use super::places::Arrival;
use super::totals::worst_case;
use super::{Engine, ModelBudget, Signal, Stop, telemetry};
use crate::context::{AgentContext, ContextStats};
use crate::event::{AnsweredBy, Phrasebook};
use crate::exchange::prompts::{BrokenRule, Remark};
use crate::exchange::{
    AnswerState, BoxedAnswer, Budget, Ledger, Spent, Violation, refuses_to_write,
};
use crate::journal::AskEnding;
use crate::locale::text;
use crate::message::shown;
use crate::message::tokens::Correction;
use crate::mind::{
    Answering, Completion, FailedCall, FinishReason, LengthDoubt, MindError, MindInfo, human,
};
use crate::reading::whole_sentences;
use crate::tool::ToolCall;
use crate::tool::prompts::Failure;

impl Engine {
    /// Lets a call wait for a slot.
    pub(super) fn wait_for_slot(&mut self, job: Box<Job>) {
        let (places, calls) = (&self.places, &mut self.calls);
        let mut at = calls.waiting.len();
        if calls.is_sorted {
            let left = places.steps_left(job.ask.place);
            let waiting = &calls.waiting;
            at = waiting.partition_point(|other| places.steps_left(other.ask.place) >= left);
        }
        calls.waiting.insert(at, job);
    }

    /// If there are more calls than slots, those of the places that have most steps before them
    /// come first, so that none of these is waited for at the end of the turn.
    fn sort_calls(&mut self) {
        let (places, calls) = (&self.places, &mut self.calls);
        let is_short = calls.waiting.len() + calls.running.len() > self.settings.width;
        if is_short && !calls.is_sorted {
            let waiting = calls.waiting.make_contiguous();
            waiting.sort_by_cached_key(|job| Reverse(places.steps_left(job.ask.place)));
        }
        calls.is_sorted = is_short;
    }

    /// Starts as many waiting calls as slots, limits and the warming of caches allow.
    pub(super) fn start_calls(&mut self) {
        if self.settings.replay {
            return;
        }
        self.sort_calls();
        // A limit may have refused a call for what was only reserved then.
        self.over_limit = self.calls.refused.clone();
        let width = self.settings.width.max(1);
        let mut held_back = Vec::new();
        let was_at_gate = self.calls.at_gate;
        self.calls.at_gate = false;
        while self.over_limit.is_none() && self.calls.running.len() < width {
            let Some(job) = self.calls.waiting.pop_front() else {
                break;
            };
            if !self.gate.allows_calls() {
                self.calls.at_gate = true;
                self.calls.waiting.push_front(job);
                break;
            }
            let MindInfo { alias, model, .. } = job.mind.info();
            let has_room = (self.settings.models.get(model)).is_none_or(ModelBudget::has_room);
            let warmup = &self.calls.cache_warmup;
            let is_warm = job
                .shared_prefix
                .is_none_or(|prefix| warmup.may_start(alias, prefix));
            // Before a run stops, only what has begun is finished.
            let has_time = self.calls.stop.is_none() || !job.rounds.list.is_empty();
            if is_warm && has_time && has_room && self.calls.outages.may_start(alias) {
                self.start_call(job);
            } else {
                held_back.push(job);
            }
        }
        // Those held back go first when the cache is warm.
        for job in held_back.into_iter().rev() {
            self.calls.waiting.push_front(job);
        }
        if self.calls.at_gate != was_at_gate {
            let wait = self.calls.at_gate;
            self.listeners.signal(|| Signal::CallsWait(wait));
        }
    }

    fn start_call(&mut self, mut job: Box<Job>) {
        if job.is_ended_by_tools() {
            let ending = AskEnding::Answered {
                text: String::new(),
                thinking: None,
                finish: FinishReason::ToolCalls,
            };
            return self.end(job, ending, None);
        }
        let stats = self.fit_window(&mut job);
        job.usage.prompt_tokens = job.estimate(&stats);
        job.usage.worst = self.worst_of(&job);
        if self.is_over_budget(&job) {
            let reason = text!(engine_budget_used_up);
            return self.end(job, AskEnding::Failed { reason }, None);
        }
        if let Err(reason) = self.reserve(&job.mind.info().model, job.usage.worst) {
            self.over_limit = Some(reason);
            self.calls.waiting.push_front(job);
            return;
        }
        if let Some(act) = &mut self.listeners.on_call {
            act(&self.world, &job.ask.name);
        }
        if job.span.is_none() {
            job.span = Some(telemetry::agent_span(&job));
        }
        let Some((answering, span)) = self.ask_mind(&job) else {
            self.settle(&job.mind.info().model, job.usage.worst, Spent::default());
            let reason = text!(engine_entity_gone);
            return self.end(job, AskEnding::Failed { reason }, None);
        };
        self.gate.take_call();
        self.calls.outages.started(&job.mind.info().alias);
        job.is_metered = job.mind.info().metered;
        if job.is_metered {
            self.calls.paid += 1;
            if !std::mem::replace(&mut job.usage.is_sent, true) {
                self.record.journal.queue(job.sent(false));
            }
        }
        self.note_repeated_bytes(&mut job);
        telemetry::note_prompt(&span, &job.usage.figures.prompt_bytes);
        let info = job.mind.info();
        if let Some(prefix) = job.shared_prefix {
            self.calls.cache_warmup.started(&info.alias, prefix);
        }
        self.listeners.signal(|| Signal::CallStarted {
            entity: job.ask.name.clone(),
            number: job.ask.number,
            purpose: job.ask.question.parts().purpose,
            mind: info.alias.clone(),
        });
        let pace = self.settings.pace.as_ref().filter(|_| job.is_metered);
        let paced = pace.map(|pace| pace.wait(&info.model, job.usage.worst.usage.total()));
        self.calls.running.push(Box::pin(async move {
            if let Some(paced) = paced {
                paced.await;
            }
            let result = answering.instrument(span.clone()).await;
            telemetry::note_answer(&span, job.mind.info(), &result);
            (job, CallResult::Mind(result))
        }));
    }

    /// The worst case of a job's next call, with repeated attempts.
    fn worst_of(&self, job: &Job) -> Spent {
        let info = job.mind.info();
        if !info.metered {
            return Spent {
                calls: 1,
                ..Spent::default()
            };
        }
        let prompt = self
            .correction(job.ask.entity)
            .apply(job.usage.prompt_tokens);
        let answer = job.answer_limit();
        worst_case(prompt, answer, info.billed_attempts, |usage| {
            let price = info.price.as_ref();
            price.map(|price| price.of(usage)).unwrap_or_default()
        })
    }

    fn correction(&self, entity: Entity) -> Correction {
        let correction = self.world.get::<Correction>(entity);
        correction.copied().unwrap_or_default()
    }

    /// Hands a prompt to its mind; `None` if the entity has left the world.
    fn ask_mind(&self, job: &Job) -> Option<(Answering, Span)> {
        let prompt = self.prompt_of(job)?;
        let span = telemetry::call_span(job, &prompt);
        let (purpose, tokens) = (prompt.purpose, job.usage.prompt_tokens);
        let logged = tracing::debug_span!("call", entity = %prompt.entity, purpose, tokens);
        let _entered = logged.enter();
        Some((job.mind.answer(&prompt), span))
    }

    /// Folds the oldest messages away until the prompt fits a window that is known.
    fn fit_window(&mut self, job: &mut Job) -> ContextStats {
        loop {
            let whole = self.world.get_mut::<AgentContext>(job.ask.entity);
            let stats = match (&mut job.view.context, whole) {
                (Some(view), _) => view.stats(),
                (None, Some(mut context)) => context.stats(),
                (None, None) => ContextStats::default(),
            };
            let info = job.mind.info();
            let Some(window) = info.window else {
                return stats;
            };
            let answer = u64::from(job.answer_limit());
            let prompt = self.correction(job.ask.entity).apply(job.estimate(&stats));
            if prompt + answer <= window || !self.fold_once(job) {
                return stats;
            }
        }
    }

    /// Folds as many messages away as a recorded round of the ask had to.
    pub(super) fn fold_as_recorded(&self, job: &mut Job) {
        if job.view.folded == 0 {
            return;
        }
        let viewed = self.view_of(job.ask.entity);
        let whole = || self.world.get::<AgentContext>(job.ask.entity);
        if let Some(context) = viewed.as_deref().or_else(whole) {
            job.view.context = Some(self.folded(context, job.view.folded));
        }
    }

    /// Folds about half of the messages away. Returns `false` if nothing is left to fold.
    fn fold_once(&self, job: &mut Job) -> bool {
        let Some(context) = self.world.get::<AgentContext>(job.ask.entity) else {
            return false;
        };
        let viewed = self.view_of(job.ask.entity);
        let context = viewed.as_deref().unwrap_or(context);
        let more = next_fold(job.view.context.as_deref().unwrap_or(context));
        if more == 0 {
            return false;
        }
        // A folded view has one line in place of what was folded before.
        job.view.folded = if job.view.folded == 0 {
            more
        } else {
            job.view.folded + more - 1
        };
        job.view.context = Some(self.folded(context, job.view.folded));
        true
    }

    /// Folds messages away after a failure that a shorter prompt may avoid, `at_last` when nothing
    /// else helped. Returns whether to ask again.
    pub(super) fn fold_after(&self, job: &mut Job, failed: &FailedCall, at_last: bool) -> bool {
        if matches!(failed.error, MindError::PromptTooLong { .. }) {
            return self.fold_once(job);
        }
        // A model may answer with nothing once, whatever it was asked.
        let may_have_happened_once = matches!(failed.error, MindError::Empty { .. })
            && job.may_be_refused()
            && job.rounds.refused().count() == 0;
        let is_in_doubt = match failed.length_doubt {
            LengthDoubt::None => false,
            LengthDoubt::AtLast => at_last,
            LengthDoubt::AtOnce => !may_have_happened_once,
        };
        match std::mem::take(&mut job.view.guess) {
            LengthGuess::Open if !is_in_doubt => false,
            LengthGuess::Open => {
                let whole = (job.view.context.clone(), job.view.folded);
                job.view.guess = LengthGuess::Tried(whole);
                self.fold_once(job)
            }
            LengthGuess::Tried((context, folded)) => {
                // It was not the length.
                (job.view.context, job.view.folded) = (context, folded);
                job.view.guess = LengthGuess::Closed;
                false
            }
            LengthGuess::Closed => {
                job.view.guess = LengthGuess::Closed;
                false
            }
        }
    }

    /// A copy of a conversation without its oldest messages.
    fn folded(&self, context: &AgentContext, count: u32) -> Box<AgentContext> {
        let mut view = Box::new(context.clone());
        fold(&mut view, count, self.world.resource::<Phrasebook>());
        view
    }

    fn is_over_budget(&self, job: &Job) -> bool {
        let Some(budget) = self.world.get::<Budget>(job.ask.entity) else {
            return false;
        };
        let ledger = self.world.get::<Ledger>(job.ask.entity);
        let mut spent = ledger.map(Ledger::total).unwrap_or_default();
        spent += job.usage.spent;
        !budget.allows(&spent, &job.usage.worst)
    }

    /// Waits for the next result, and takes all that have arrived with it.
    pub(super) async fn wait(&mut self) -> Option<Stop> {
        let token = self.token.clone();
        let mut gate = self.gate.changes();
        let at_gate = self.calls.at_gate && !self.gate.allows_calls();
        let on_wait = self.listeners.on_wait.as_mut();
        let pause = on_wait.and_then(|act| act(&self.world));
        let (job, result) = tokio::select! {
            biased;
            () = token.cancelled() => return Some(Stop::Cancelled),
            Some(payment) = self.calls.payments.receiver.recv(), if !self.calls.running.is_empty() => {
                self.note_payment(payment);
                return None;
            }
            Some(returned) = self.calls.running.next() => returned,
            Some(alias) = self.calls.pauses.next() => {
                self.calls.outages.pause_ended(&alias);
                return None;
            }
            _ = gate.changed(), if at_gate => return None,
            // Lazily: a run that nobody watches needs no timer.
            Some(()) = async { tokio::time::sleep(pause?).await; Some(()) } => return None,
            else => return None,
        };
        let mut stop = self.returned(job, result);
        while let Some(Some((job, result))) = self.calls.running.next().now_or_never() {
            stop = self.returned(job, result).or(stop);
        }
        stop
    }

    fn returned(&mut self, job: Box<Job>, result: CallResult) -> Option<Stop> {
        self.calls.note_return(&job, &result);
        match result {
            CallResult::Mind(result) => self.answered(job, result),
            CallResult::Tools(results) => {
                self.tools_returned(job, results);
                None
            }
            CallResult::Vectors(request, made) => {
                self.vectors_returned(job, *request, made);
                None
            }
            CallResult::Decided(answer, decision) => {
                self.decided(job, *answer, decision);
                None
            }
        }
    }

    fn answered(
        &mut self,
        mut job: Box<Job>,
        result: Result<Completion, FailedCall>,
    ) -> Option<Stop> {
        // Before anything is judged, recorded or shown.
        let result = result.map(Completion::without_secrets);
        let spent = job.usage.book(&*job.mind, &result);
        self.totals.calls.push(job.usage.figures);
        self.settle(&job.mind.info().model, job.usage.worst, spent);
        if let Some(prefix) = job.shared_prefix {
            let alias = &job.mind.info().alias;
            self.calls.cache_warmup.ended(alias, prefix);
        }
        match result {
            Ok(completion) => {
                self.server_answered(&job.mind.info().alias);
                self.compare_with_sent(&job, &completion);
                job.view.guess = LengthGuess::Closed;
                self.completed(job, completion);
                None
            }
            Err(failed) => self.failed(job, failed),
        }
    }

    fn completed(&mut self, job: Box<Job>, mut completion: Completion) {
        let cut_off = completion.finish == FinishReason::Length;
        if cut_off {
            let (entity, purpose) = (&job.ask.name, job.ask.question.parts().purpose);
            let tokens = job.answer_limit();
            tracing::warn!(%entity, purpose, tokens, "an answer was cut off at its limit of tokens");
        }
        // Only the last call can lack its end.
        let is_cut = |call: &mut ToolCall| cut_off && !call.has_whole_arguments();
        if let Some(cut) = completion.calls.pop_if(is_cut)
            && completion.calls.is_empty()
        {
            completion.calls.push(cut);
            let violation = Violation::cut_off(job.answer_limit());
            return self.retry(job, &shown(&completion.to_blocks()), &[violation]);
        }
        if !completion.calls.is_empty() && job.prompt_tools().callable {
            return self.run_tools(job, completion);
        }
        if !completion.calls.is_empty() && completion.text.trim().is_empty() {
            let violation = Violation::new("", "no tool can be called now; answer without tools")
                .with_prompt(&Failure::NotNow);
            return self.retry(job, &shown(&completion.to_blocks()), &[violation]);
        }
        let is_filtered = completion.finish == FinishReason::ContentFilter;
        let is_persons = &*job.mind.info().provider == human::ALIAS;
        let is_asked_again = job.may_be_refused() && job.rounds.refused().next().is_none();
        let state = AnswerState {
            is_cut: cut_off,
            // What is told once is for models.
            is_last: is_persons || !is_asked_again,
            is_persons,
        };
        match job.ask.question.judge(&completion.text, state) {
            Ok(_) if is_filtered && job.is_prose() => self.refuses(job, &completion.text),
            Err(_) if is_filtered || refuses_to_write(&completion.text) => {
                self.refuses(job, &completion.text);
            }
            Ok(_) if is_echo(&job, &completion.text) => {
                self.retry(job, &completion.text, &[Violation::echo()]);
            }
            // JSON that passes is whole; prose is taken up to its last whole sentence. Without any
            // it is asked for again once.
            Ok(_)
                if cut_off
                    && job.is_prose()
                    && !state.is_last
                    && whole_sentences(&completion.text).is_none() =>
            {
                let violation = Violation::cut_off(job.answer_limit());
                self.retry(job, &completion.text, &[violation]);
            }
            Ok(value) => {
                let answered = AskEnding::Answered {
                    text: completion.text,
                    thinking: completion.thinking,
                    finish: completion.finish,
                };
                self.passed(job, answered, value);
            }
            Err(mut violations) => {
                if cut_off {
                    violations.insert(0, Violation::cut_off(job.answer_limit()));
                }
                self.retry(job, &completion.text, &violations);
            }
        }
    }

    fn refuses(&mut self, job: Box<Job>, answer: &str) {
        let reason = match start_of(answer) {
            words if words.is_empty() => text!(exchange_refused),
            words => text!(exchange_refused_saying, words),
        };
        self.refused(job, answer, reason);
    }

    /// An answer has passed its check: it is used, or held until the reviewer of answers decides.
    fn passed(&mut self, job: Box<Job>, ending: AskEnding, value: BoxedAnswer) {
        if !self.gate.reviews() {
            return self.look_up(job, ending, value);
        }
        let recalled = self.recalled_by(&job, &ending);
        let outcome = Arc::new(job.outcome(ending.clone(), recalled, self.now()));
        let answer = PassedAnswer { ending, value };
        self.calls.unrecorded_held.push((outcome, job, answer));
    }

    /// Holds an answer that passed its check until its reviewer has decided.
    pub(super) fn hold_passed(&mut self, job: Box<Job>, answer: PassedAnswer) {
        let text = match &answer.ending {
            AskEnding::Answered { text, .. } => text.clone(),
            AskEnding::Failed { .. } => String::new(),
        };
        let held = AnswerInReview {
            text,
            complaint: None,
        };
        self.hold(job, answer, held);
    }

    fn hold(&mut self, job: Box<Job>, answer: PassedAnswer, held: AnswerInReview) {
        let key: AskKey = (job.ask.name.clone(), job.ask.number);
        // The reviewer may decide as soon as it is told.
        let decision = self.gate.hold(key, held.clone());
        self.listeners.signal(|| Signal::AnswerHeld {
            entity: job.ask.name.clone(),
            number: job.ask.number,
            answer: held,
        });
        self.calls.running.push(Box::pin(async move {
            let decision = decision.await.ok();
            (job, CallResult::Decided(Box::new(answer), decision))
        }));
    }

    fn decided(&mut self, mut job: Box<Job>, answer: PassedAnswer, decision: Option<Decision>) {
        match decision {
            None | Some(Decision::Use) => self.look_up(job, answer.ending, answer.value),
            Some(Decision::AskAgain) => {
                job.retract_stream();
                self.calls.waiting.push_front(job);
            }
            Some(Decision::Replace { text, by }) => {
                let state = AnswerState {
                    is_last: true,
                    ..AnswerState::default()
                };
                match job.ask.question.judge(&text, state) {
                    Ok(value) => {
                        job.retract_stream();
                        job.written_by = Some(by);
                        let ending = AskEnding::Answered {
                            text,
                            thinking: None,
                            finish: FinishReason::Stop,
                        };
                        self.look_up(job, ending, value);
                    }
                    Err(violations) => {
                        let complaint = Violation::summary(&violations, self.world.get_resource());
                        let held = AnswerInReview {
                            text,
                            complaint: Some(complaint),
                        };
                        self.hold(job, answer, held);
                    }
                }
            }
        }
    }

    /// Sends a bad answer back with everything that is wrong, or ends the ask if that was the last
    /// retry.
    pub(super) fn retry(&mut self, mut job: Box<Job>, answer: &str, violations: &[Violation]) {
        job.retract_stream();
        if !job.may_be_refused() {
            let reason = Violation::summary(violations, self.world.get_resource());
            job.rounds.refuse(answer, "", job.usage.ms());
            return self.end_useless(job, answer, reason);
        }
        let phrases = self.world.resource::<Phrasebook>();
        let example = job
            .ask
            .question
            .example(answer, violations)
            .unwrap_or_default();
        let violations = violations.iter().map(|violation| BrokenRule {
            path: &violation.path,
            rule: violation.words(phrases),
        });
        let remark = Remark::Repair {
            violations: violations.collect(),
            example,
        };
        let complaint = phrases
            .fill(&remark)
            .or_else(|_| serde_json::to_string(&remark))
            .unwrap_or_default();
        job.rounds.refuse(answer, &complaint, job.usage.ms());
        self.ask_again(job);
    }

    /// Asks again after an answer that was refused, which is paid for.
    pub(super) fn ask_again(&mut self, job: Box<Job>) {
        self.record.journal.queue(job.without_round());
        self.calls.waiting.push_front(job);
    }

    /// An ask has its outcome, and its answer if one passed.
    pub(super) fn end(&mut self, job: Box<Job>, ending: AskEnding, value: Option<BoxedAnswer>) {
        let by = match &ending {
            AskEnding::Failed { reason } => AnsweredBy::Fallback(reason.clone()),
            AskEnding::Answered { .. } => match job.rounds.refused().count() {
                0 => AnsweredBy::Mind,
                times => AnsweredBy::Repaired(times as u32),
            },
        };
        telemetry::note_outcome(&job, &by);
        self.listeners.signal(|| Signal::CallEnded {
            entity: job.ask.name.clone(),
            number: job.ask.number,
            purpose: job.ask.question.parts().purpose,
            by,
            latency: job.usage.latency,
            spent: job.usage.spent,
        });
        let recalled = self.recalled_by(&job, &ending);
        let outcome = Arc::new(job.outcome(ending, recalled, self.now()));
        self.failures.note(&outcome);
        self.arrived.push(Arrival {
            finished: FinishedAsk {
                ask: job.ask,
                outcome,
                value,
            },
            is_new: true,
        });
    }

    /// The time by which answers are dated; 0 if they are not.
    fn now(&self) -> u64 {
        self.settings.clock.map_or(0, |clock| clock())
    }
}

/// Whether an answer is the example that came with the last complaint, with its dots.
fn is_echo(job: &Job, answer: &str) -> bool {
    let told = job.rounds.refused().last();
    answer.contains('…') && told.is_some_and(|told| told.complaint.as_str().contains(answer.trim()))
}
