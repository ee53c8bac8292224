//! Asks on their way to a mind and back.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use futures_util::stream::FuturesUnordered;

use super::CallFigures;
use super::cache_warmup::CacheWarmup;
use super::tools::AskTools;
use crate::cast::StableId;
use crate::context::{AgentContext, ContextStats};
use crate::event::Phrasebook;
use crate::event::guard::GuardAct;
use crate::exchange::{BoxedAnswer, ErasedAsk, Spent, Violation};
use crate::journal::{Ending, Outcome, RefusedAnswer, ToolRoundRecord};
use crate::message::{Body, Digest, TokenUsage};
use crate::mind::{AnswerStream, Completion, FailedCall, Mind, Refused, Round};
use crate::tool::{Output, ToolTrace};

/// One open ask on its way.
pub(super) struct Job {
    pub(super) entity: Entity,
    pub(super) id: StableId,
    pub(super) name: Arc<str>,
    pub(super) place: StableId,
    pub(super) question: Arc<dyn ErasedAsk>,
    /// The question as the guards let it pass.
    pub(super) asked: Body,
    pub(super) guarded: Vec<GuardAct>,
    pub(super) number: u32,
    pub(super) hash: Digest,
    pub(super) seed: u64,
    pub(super) mind: Arc<dyn Mind>,
    /// Where its answer is shown while it is written, if somebody may watch.
    pub(super) stream: Option<AnswerStream>,
    /// The digest of the opening that its prompt shares with other entities, where its mind's provider
    /// caches prompts.
    pub(super) shared_prefix: Option<Digest>,
    /// What went back and forth on the question so far.
    pub(super) rounds: Vec<Round>,
    /// The tools that its mind may call.
    pub(super) tools: AskTools,
    /// The rounds of tool calls among `rounds`, as the journal keeps them.
    pub(super) recorded: Vec<ToolRoundRecord>,
    /// The mind's wish to call tools, while they run.
    pub(super) calling: Option<Completion>,
    /// What the last call to the mind used.
    pub(super) last_usage: TokenUsage,
    /// The history with its oldest messages folded away, where the whole was too long.
    pub(super) view: Option<Box<AgentContext>>,
    pub(super) folded: u32,
    /// What the calls so far have spent.
    pub(super) spent: Spent,
    /// What was estimated for the prompts whose tokens were reported; nothing where that can't be
    /// compared.
    pub(super) estimated: Option<u64>,
    /// The worst case of the call under way, and its estimated prompt tokens.
    pub(super) worst: Spent,
    pub(super) prompt_tokens: u64,
    /// The figures of the call under way.
    pub(super) figures: CallFigures,
    pub(super) latency: Duration,
    /// The model that answered, where its name is another than the mind's.
    pub(super) model: Option<Arc<str>>,
}

/// An ask whose outcome is known, waiting for the others of its place.
pub(super) struct Done {
    pub(super) entity: Entity,
    pub(super) id: StableId,
    pub(super) asked: Body,
    pub(super) guarded: Vec<GuardAct>,
    pub(super) outcome: Arc<Outcome>,
    /// The answer, where it was judged in this run.
    pub(super) value: Option<BoxedAnswer>,
}

/// What a job came back with.
pub(super) enum Arrived {
    /// The mind's answer, or its calls of tools.
    Mind(Result<Completion, FailedCall>),
    /// What its tools returned, in the order of the calls.
    Tools(Vec<CallEnd>),
}

/// How one call of a tool ended.
pub(super) struct CallEnd {
    pub(super) output: Output,
    /// What the tool told of its own work.
    pub(super) inside: ToolTrace,
}

pub(super) type Returned = (Box<Job>, Arrived);
pub(super) type UnderWay = Pin<Box<dyn Future<Output = Returned> + Send>>;

/// The asks that wait for a slot, and those under way.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) waiting: VecDeque<Box<Job>>,
    pub(super) under_way: FuturesUnordered<UnderWay>,
    pub(super) warmth: CacheWarmup,
}

impl Job {
    /// The estimated tokens of its next prompt, uncorrected, where its history has these figures.
    pub(super) fn estimate(&self, history: &ContextStats) -> u64 {
        let question = match self.question.ask_short() {
            true => self.asked.short_tokens(),
            false => self.asked.tokens(),
        };
        let rounds: u64 = self.rounds.iter().map(Round::tokens).sum();
        let messages = history.messages + 1 + 2 * self.rounds.len();
        // Roles and separators cost about four tokens a message.
        let tools = self.tools().tokens();
        history.tokens + u64::from(question) + rounds + tools + 4 * messages as u64
    }

    /// Books what a call spent and returns it. Where the provider reports no usage of an answer, the
    /// estimate counts; a failure without usage was not billed.
    pub(super) fn book(&mut self, result: &Result<Completion, FailedCall>) -> Spent {
        let (usage, retries, latency) = match result {
            Ok(completion) => (completion.usage, completion.retries, completion.latency),
            Err(failed) => (failed.usage, failed.retries, failed.latency),
        };
        let reported = usage.filter(|usage| usage.input > 0 || result.is_err());
        self.estimated = match (reported, result) {
            (None, Err(_)) => self.estimated,
            (Some(_), _) if retries == 0 => self.estimated.map(|sum| sum + self.prompt_tokens),
            // An estimate, or the sum of several attempts, says nothing about one prompt.
            _ => None,
        };
        let estimate = |completion: &Completion| TokenUsage {
            input: self.prompt_tokens,
            output: u64::from(crate::message::tokens::estimate(&completion.text)),
            ..TokenUsage::default()
        };
        let metered = self.mind.info().metered;
        let estimated = || result.as_ref().ok().filter(|_| metered).map(estimate);
        let usage = reported.or_else(estimated);
        let usage = usage.unwrap_or_default();
        self.last_usage = usage;
        let price = self.mind.info().price.as_ref();
        let spent = Spent {
            calls: 1,
            retries: u64::from(retries),
            usage,
            cost: price.map(|price| price.of(usage)).unwrap_or_default(),
            ..Spent::default()
        };
        if let Ok(completion) = result {
            let name = completion.model.as_str();
            let is_other = !name.is_empty() && name != &*self.mind.info().model;
            self.model = is_other.then(|| name.into());
        }
        self.latency += latency;
        self.figures.latency = latency;
        self.figures.usage = usage;
        self.spent += spent;
        spent
    }

    /// Tells whoever watches that what was shown will not be the answer.
    pub(super) fn void_pieces(&self) {
        if let Some(stream) = &self.stream {
            stream.retract();
        }
    }

    /// Notes an answer that failed its check, with what the mind is told about it.
    pub(super) fn refuse(&mut self, answer: &str, complaint: String) {
        self.rounds.push(Round::Refused(Refused {
            answer: answer.into(),
            complaint: complaint.into(),
        }));
    }

    /// The answers that failed their check.
    pub(super) fn refused(&self) -> impl Iterator<Item = &Refused> {
        self.rounds.iter().filter_map(Round::as_refused)
    }

    /// The answers that failed their check, as the journal keeps them.
    pub(super) fn refused_answers(&self) -> impl Iterator<Item = RefusedAnswer> {
        self.refused().map(|refused| RefusedAnswer {
            answer: refused.answer.as_str().to_owned(),
            complaint: refused.complaint.as_str().to_owned(),
        })
    }

    /// The outcome, with the usage of all attempts.
    pub(super) fn outcome(&self, ending: Ending) -> Outcome {
        let info = self.mind.info();
        Outcome {
            entity: self.name.clone(),
            id: self.id.0,
            number: self.number,
            purpose: self.question.purpose().to_owned(),
            hash: self.hash,
            asked: self.asked.full_text().into_owned(),
            ending,
            refused: self.refused_answers().collect(),
            rounds: self.recorded.clone(),
            folded: self.folded,
            calls: self.spent.calls,
            retries: self.spent.retries as u32,
            usage: self.spent.usage,
            estimated: self.estimated.unwrap_or_default(),
            cost: self.spent.cost,
            provider: info.provider.clone(),
            model: self.model.clone().unwrap_or_else(|| info.model.clone()),
            ms: self.latency.as_millis() as u64,
        }
    }

    /// The ask with its outcome, and the answer where it was judged just now.
    pub(super) fn done(self: Box<Self>, outcome: Arc<Outcome>, value: Option<BoxedAnswer>) -> Done {
        Done {
            value,
            entity: self.entity,
            id: self.id,
            asked: self.asked,
            guarded: self.guarded,
            outcome,
        }
    }
}

/// The broken rules as a list for the mind that broke them.
pub(super) fn rules_of(broken: &[Violation], phrases: &Phrasebook) -> Vec<serde_json::Value> {
    let row = |broken: &Violation| {
        let rule = broken.words(phrases);
        serde_json::json!({"path": broken.path, "rule": rule})
    };
    broken.iter().map(row).collect()
}
