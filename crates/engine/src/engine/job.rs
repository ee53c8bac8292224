//! One open ask on its way to a mind and back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use tracing::Span;

use super::CallFigures;
use super::ask_tools::AskTools;
use crate::cast::StableId;
use crate::context::{AgentContext, ContextStats};
use crate::event::guard::GuardAct;
use crate::exchange::{BoxedAnswer, ErasedAsk, Spent};
use crate::journal::{
    AskEnding, Line, OpenRound, Outcome, RecalledMemory, RefusedAnswer, Sent, ToolPayment,
    ToolRoundRecord, ToolSpent,
};
use crate::memory::Memory;
use crate::message::{Block, Body, Digest, PromptBytes, Text, TokenUsage, Vector, tokens};
use crate::mind::{
    AnswerForm, AnswerStream, Completion, ExchangeRound, FailedCall, Mind, Refused, Tools,
};

/// One open ask on its way to a mind and back.
pub(super) struct Job {
    pub(super) ask: PreparedAsk,
    pub(super) mind: Arc<dyn Mind>,
    /// Whether the call in progress counts as paid for: a seat may pass to another mind meanwhile.
    pub(super) is_metered: bool,
    /// Where its answer is shown while it is written; `None` if it must not be watched.
    pub(super) stream: Option<AnswerStream>,
    /// The digest of the start of its prompt that other entities share; `None` if the provider of
    /// its mind caches no prompts.
    pub(super) shared_prefix: Option<Digest>,
    /// The tools that its mind may call.
    pub(super) tools: AskTools,
    /// What came to its mind.
    pub(super) recalled: Option<Recalled>,
    pub(super) rounds: Rounds,
    pub(super) view: JobView,
    pub(super) usage: JobUsage,
    /// Who wrote its answer in the place of its mind.
    pub(super) written_by: Option<Arc<str>>,
    /// The span of the ask, once its mind was asked.
    pub(super) span: Option<Span>,
}

/// Which ask it is, and what is sent.
pub(super) struct PreparedAsk {
    pub(super) entity: Entity,
    pub(super) id: StableId,
    pub(super) name: Arc<str>,
    pub(super) place: StableId,
    pub(super) question: Arc<dyn ErasedAsk>,
    /// The question as the guards let it pass.
    pub(super) body: Body,
    pub(super) guard_acts: Vec<GuardAct>,
    /// The number of the ask among all of its entity.
    pub(super) number: u32,
    pub(super) hash: Digest,
    pub(super) seed: u64,
    /// The vectors of what it looks for, by the digests of the texts.
    pub(super) vectors: BTreeMap<Digest, Arc<Vector>>,
}

impl PreparedAsk {
    /// The hash of its request with what came to mind for it.
    pub(super) fn hash_with(&self, recalled: Option<&Recalled>) -> Digest {
        match recalled {
            Some(recalled) => Digest::of(&[self.hash.0, recalled.text.digest().0].concat()),
            None => self.hash,
        }
    }
}

/// What came to an entity's mind for an ask.
pub(super) struct Recalled {
    /// As its mind reads it.
    pub(super) text: Text,
    pub(super) memories: Vec<Memory>,
}

/// What went back and forth on an ask so far.
#[derive(Default)]
pub(super) struct Rounds {
    /// All of it, in order.
    pub(super) list: Vec<ExchangeRound>,
    /// The times of the refused answers among it, as the journal keeps them.
    refused_ms: Vec<u64>,
    /// The rounds of tool calls among them, as the journal keeps them.
    pub(super) recorded: Vec<ToolRoundRecord>,
    /// The mind's calls of tools, while the tools run.
    pub(super) calling: Option<Box<Completion>>,
}

/// How much of the entity's conversation its mind sees.
#[derive(Default)]
pub(super) struct JobView {
    /// The part that is shown; `None` for all of it.
    pub(super) context: Option<Box<AgentContext>>,
    /// How many of the oldest messages are folded away, since the whole was too long.
    pub(super) folded: u32,
    pub(super) guess: LengthGuess,
}

/// Whether a prompt was shortened because its server may have found it too long, without a word of
/// that.
#[derive(Default)]
pub(super) enum LengthGuess {
    #[default]
    Open,
    /// It was; this is the view before.
    Tried((Option<Box<AgentContext>>, u32)),
    /// It was, or a prompt was answered.
    Closed,
}

/// What the calls of an ask used.
pub(super) struct JobUsage {
    /// What the calls so far have spent.
    pub(super) spent: Spent,
    /// What the last call used.
    pub(super) last: TokenUsage,
    /// The estimate for those prompts whose tokens were reported; `None` if they can't be compared.
    pub(super) estimated: Option<u64>,
    /// The worst case of the running call.
    pub(super) worst: Spent,
    /// Whether the journal has a request of which it does not know yet what became of it.
    pub(super) is_sent: bool,
    /// The estimated prompt tokens of the running call.
    pub(super) prompt_tokens: u64,
    /// The figures of the running call.
    pub(super) figures: CallFigures,
    /// Those of all prompts so far.
    pub(super) prompt_bytes: PromptBytes,
    pub(super) latency: Duration,
    /// The model that answered, if its name differs from the mind's.
    pub(super) model: Option<Arc<str>>,
}

impl Default for JobUsage {
    fn default() -> Self {
        Self {
            spent: Spent::default(),
            last: TokenUsage::default(),
            estimated: Some(0),
            worst: Spent::default(),
            is_sent: false,
            prompt_tokens: 0,
            figures: CallFigures::default(),
            prompt_bytes: PromptBytes::default(),
            latency: Duration::ZERO,
            model: None,
        }
    }
}

/// An ask whose outcome is known.
pub(super) struct FinishedAsk {
    pub(super) ask: PreparedAsk,
    pub(super) outcome: Arc<Outcome>,
    /// The answer, if it was judged in this run.
    pub(super) value: Option<BoxedAnswer>,
}

impl Rounds {
    /// The answers that failed their check.
    pub(super) fn refused(&self) -> impl Iterator<Item = &Refused> {
        self.list.iter().filter_map(ExchangeRound::as_refused)
    }

    /// Adds an answer that failed its check, with what the mind is told about it.
    pub(super) fn refuse(&mut self, answer: &str, complaint: &str, ms: u64) {
        self.refused_ms.push(ms);
        self.list.push(ExchangeRound::Refused(Refused {
            answer: answer.into(),
            complaint: complaint.into(),
        }));
    }

    /// Takes the last answer that failed its check away.
    pub(super) fn take_last_refused(&mut self) {
        self.refused_ms.pop();
        self.list.pop_if(|round| round.as_refused().is_some());
    }

    /// Adds those of the first `count` refused answers that are not there yet.
    pub(super) fn add_refused(&mut self, refused: &[RefusedAnswer], count: usize) {
        let known = self.refused().count();
        for refused in refused.iter().take(count).skip(known) {
            self.refuse(&refused.answer, &refused.complaint, refused.ms);
        }
    }
}

impl JobUsage {
    /// The time of all attempts so far in milliseconds.
    pub(super) fn ms(&self) -> u64 {
        self.latency.as_millis() as u64
    }

    /// Books what a call of this mind spent and returns it. Without reported usage of an answer the
    /// estimate counts; a failure without usage was not billed.
    pub(super) fn book(
        &mut self,
        mind: &dyn Mind,
        result: &Result<Completion, FailedCall>,
    ) -> Spent {
        let info = mind.info();
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
            output: u64::from(tokens::estimate(&completion.text)),
            ..TokenUsage::default()
        };
        let estimated = || result.as_ref().ok().filter(|_| info.metered).map(estimate);
        let usage = reported.or_else(estimated).unwrap_or_default();
        let price = info.price.as_ref();
        let spent = Spent {
            calls: 1,
            retries: u64::from(retries),
            usage,
            cost: price.map(|price| price.of(usage)).unwrap_or_default(),
            unpriced: u64::from(price.is_none()),
            ..Spent::default()
        };
        if let Ok(completion) = result {
            // What follows says so in the journal.
            self.is_sent = false;
            let name = completion.model.as_str();
            let differs = !name.is_empty() && name != &*info.model;
            self.model = differs.then(|| name.into());
        }
        self.last = usage;
        self.latency += latency;
        self.figures.latency = latency;
        self.figures.usage = usage;
        self.spent += spent;
        spent
    }
}

impl Job {
    /// The model that answered, or else the one that was asked.
    pub(super) fn model(&self) -> &Arc<str> {
        let asked = &self.mind.info().model;
        self.usage.model.as_ref().unwrap_or(asked)
    }

    /// The maximum number of tokens of its next answer, thoughts included.
    pub(super) fn answer_limit(&self) -> u32 {
        let info = self.mind.info();
        let answer = self.ask.question.parts().max_tokens.min(info.max_output);
        answer.saturating_add(info.thought_tokens)
    }

    pub(super) fn is_prose(&self) -> bool {
        matches!(self.ask.question.parts().form(), AnswerForm::Prose { .. })
    }

    /// Whether another answer may be sent back to its mind.
    pub(super) fn may_be_refused(&self) -> bool {
        (self.rounds.refused().count() as u32) < self.ask.question.parts().repairs
    }

    /// The tools as the next prompt shows them.
    pub(super) fn prompt_tools(&self) -> Tools<'_> {
        self.tools.after(self.rounds.recorded.len())
    }

    /// The estimated tokens of the next prompt, uncorrected, for a history with these figures.
    pub(super) fn estimate(&self, history: &ContextStats) -> u64 {
        let body = &self.ask.body;
        let question = if self.ask.question.parts().ask_short() {
            body.short_tokens()
        } else {
            body.tokens()
        };
        let recalled = self
            .recalled
            .as_ref()
            .map_or(0, |recalled| u64::from(recalled.text.tokens()) + 4);
        let rounds: u64 = self.rounds.list.iter().map(ExchangeRound::tokens).sum();
        let messages = history.messages + 1 + 2 * self.rounds.list.len();
        // Roles and separators cost about four tokens a message.
        let separators = 4 * messages as u64;
        let after = u64::from(question) + recalled + rounds;
        history.tokens + after + self.prompt_tools().tokens() + separators
    }

    /// Tells viewers that what was shown will not be the answer.
    pub(super) fn retract_stream(&self) {
        if let Some(stream) = &self.stream {
            stream.retract();
        }
    }

    /// Whether what tools returned last is all that its ask wants.
    pub(super) fn is_ended_by_tools(&self) -> bool {
        let Some(last) = self.rounds.recorded.last() else {
            return false;
        };
        let limit = &self.ask.question.parts().tool_round_limit;
        let mut called = last.said.iter().filter_map(|block| match block {
            Block::ToolUse { name, .. } => Some(name),
            _ => None,
        });
        (limit.last_round && !self.prompt_tools().callable)
            || called.any(|name| limit.tools.contains(name))
    }

    /// The answers that failed their check, as the journal keeps them.
    fn refused_answers(&self) -> Vec<RefusedAnswer> {
        let refused = self.rounds.refused().zip(&self.rounds.refused_ms);
        let refused = refused.map(|(refused, ms)| RefusedAnswer {
            answer: refused.answer.as_str().to_owned(),
            complaint: refused.complaint.as_str().to_owned(),
            ms: *ms,
        });
        refused.collect()
    }

    /// What it has spent so far, and its refused answers, as a line of the journal.
    pub(super) fn without_round(&self) -> Line {
        let none = ToolRoundRecord {
            said: Vec::new(),
            results: Vec::new(),
            usage: TokenUsage::default(),
            refused_before: self.rounds.refused().count() as u32,
            ms: self.usage.ms(),
        };
        Line::Round(Arc::new(self.open_round(&none)))
    }

    /// A payment for one of its tools, of nothing yet.
    pub(super) fn payment(&self) -> ToolPayment {
        ToolPayment {
            entity: self.ask.name.clone(),
            id: self.ask.id.0,
            number: self.ask.number,
            spent: ToolSpent::default(),
            sent: ToolSpent::default(),
            answered: ToolSpent::default(),
        }
    }

    /// That its next request is on its way, or has failed, as a line of the journal.
    pub(super) fn sent(&self, failed: bool) -> Line {
        Line::Sent(Sent {
            entity: self.ask.name.clone(),
            id: self.ask.id.0,
            number: self.ask.number,
            tokens: self.usage.worst.usage.total(),
            cost: self.usage.worst.cost,
            failed,
        })
    }

    /// A round as a line of the journal, with what was spent so far.
    pub(super) fn open_round(&self, round: &ToolRoundRecord) -> OpenRound {
        OpenRound {
            entity: self.ask.name.clone(),
            id: self.ask.id.0,
            number: self.ask.number,
            hash: self.ask.hash,
            round: round.clone(),
            refused: self.refused_answers(),
            folded: self.view.folded,
            calls: self.usage.spent.calls,
            retries: self.usage.spent.retries as u32,
            usage: self.usage.spent.usage,
            estimated: self.usage.estimated,
            cost: self.usage.spent.cost,
            unpriced: self.usage.spent.unpriced,
            ms: self.usage.ms(),
        }
    }

    /// The outcome at a time, with the usage of all attempts.
    pub(super) fn outcome(
        &self,
        ending: AskEnding,
        recalled: Vec<RecalledMemory>,
        at: u64,
    ) -> Outcome {
        let info = self.mind.info();
        let (provider, model) = match &self.written_by {
            Some(by) => (by.clone(), "".into()),
            None => (info.provider.clone(), self.model().clone()),
        };
        Outcome {
            entity: self.ask.name.clone(),
            id: self.ask.id.0,
            number: self.ask.number,
            purpose: self.ask.question.parts().purpose.to_owned(),
            hash: self.ask.hash,
            asked: self.ask.body.full_text().into_owned(),
            recalled,
            ending,
            refused: self.refused_answers(),
            rounds: self.rounds.recorded.clone(),
            folded: self.view.folded,
            calls: self.usage.spent.calls,
            retries: self.usage.spent.retries as u32,
            usage: self.usage.spent.usage,
            prompt_bytes: self.usage.prompt_bytes,
            estimated: self.usage.estimated.unwrap_or_default(),
            cost: self.usage.spent.cost,
            unpriced: self.usage.spent.unpriced,
            provider,
            model,
            ms: self.usage.ms(),
            at,
        }
    }
}
