//! The calls to minds and tools: those that wait, those that run, and what came back.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;

use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::*;
use futures_util::stream::FuturesUnordered;

use super::account::ToolPayments;
use super::cache_warmup::CacheWarmup;
use super::gate::Decision;
use super::job::Job;
use super::outages::{Outages, Pause, Stopping};
use crate::exchange::{BoxedAnswer, Spent};
use crate::journal::{AskEnding, Outcome};
use crate::locale::UiText;
use crate::message::Digest;
use crate::mind::{Completion, Embedded, FailedCall, MindError};
use crate::tool::{ToolOutput, ToolTrace};

#[derive(Default)]
pub(super) struct Calls {
    /// Asks that wait for a slot.
    pub(super) waiting: VecDeque<Box<Job>>,
    /// Whether these are in the order of the steps that their places have before them.
    pub(super) is_sorted: bool,
    /// The characters of people who are elsewhere and have not answered.
    pub(super) seats: Vec<Arc<str>>,
    pub(super) running: FuturesUnordered<RunningCall>,
    /// How many of those that run are paid for, or do something outside.
    pub(super) paid: usize,
    /// Those that models can't answer for now.
    pub(super) outages: Outages,
    pub(super) pauses: FuturesUnordered<Pause>,
    /// Why the run stops as soon as what is paid for has arrived.
    pub(super) stop: Option<Stopping>,
    /// Calls of tools that begin once the journal holds the attempt.
    pub(super) unrecorded: Vec<RunningCall>,
    pub(super) payments: ToolPayments,
    /// Answers that are held once the journal has them: they are paid for.
    pub(super) unrecorded_held: Vec<(Arc<Outcome>, Box<Job>, PassedAnswer)>,
    pub(super) cache_warmup: CacheWarmup,
    /// Why a limit does not allow vectors that an ask needs: then the run stops, and the run that
    /// resumes asks it again.
    pub(super) refused: Option<UiText>,
    /// Whether calls wait for the gate.
    pub(super) at_gate: bool,
}

impl Calls {
    /// Whether something is to be waited for.
    pub(super) fn are_awaited(&self) -> bool {
        self.at_gate || !self.running.is_empty() || !self.pauses.is_empty()
    }

    /// Takes note that a call has returned.
    pub(super) fn note_return(&mut self, job: &Job, result: &CallResult) {
        let was_paid = match result {
            CallResult::Mind(_) => job.is_metered,
            CallResult::Tools(_) | CallResult::Vectors(..) => true,
            CallResult::Decided(..) => false,
        };
        self.paid -= usize::from(was_paid);
    }
}

/// A call to a mind or to tools.
pub(super) type RunningCall = Pin<Box<dyn Future<Output = (Box<Job>, CallResult)> + Send>>;

/// What a job came back with.
pub(super) enum CallResult {
    /// The mind's answer, or its calls of tools.
    Mind(Result<Completion, FailedCall>),
    /// What its tools returned, in the order of the calls.
    Tools(Vec<ToolCallResult>),
    /// Vectors of what it looks for.
    Vectors(Box<VectorRequest>, Result<Embedded, MindError>),
    /// The decision on a held answer; `None` if it can't be made any more.
    Decided(Box<PassedAnswer>, Option<Decision>),
}

/// An answer that has passed its check.
pub(super) struct PassedAnswer {
    pub(super) ending: AskEnding,
    pub(super) value: BoxedAnswer,
}

/// Texts whose vectors are asked for.
pub(super) struct VectorRequest {
    pub(super) texts: Vec<Digest>,
    /// The most that their vectors may cost.
    pub(super) worst: Spent,
    pub(super) then: Continuation,
}

/// What continues when vectors have come, or when it is clear that none will.
pub(super) enum Continuation {
    /// The mind is asked, with memories of what this text is about.
    Ask {
        about: Digest,
        /// The tokens of its prompt without memories.
        asking: u64,
    },
    /// The tools run that the mind called.
    RunTools(Completion),
    /// The ask ends with an answer that looks something up.
    End(AskEnding, BoxedAnswer),
}

/// How one call of a tool ended.
pub(super) struct ToolCallResult {
    pub(super) output: ToolOutput,
    /// What the tool reported of its own work.
    pub(super) trace: ToolTrace,
}

/// How far a run has come with vectors.
#[derive(Default)]
pub(super) struct Embeddings {
    /// Whether something failed: then nothing more is asked in this run.
    pub(super) failed: bool,
    /// How many chapters of each entity have all their vectors.
    pub(super) done: BTreeMap<Entity, usize>,
    pub(super) facts: usize,
}

/// A message of a prompt: the first half of the digest of its text, which tells it from others, and
/// its bytes.
pub(super) type PromptPiece = (u64, u64);

/// The last prompt of an entity.
#[derive(Default)]
pub(super) struct LastPrompt {
    /// How many messages the conversation had.
    pub(super) history: usize,
    /// How often it had been revised; `None` if only a part of it was shown.
    pub(super) revisions: Option<u32>,
    /// All its messages, each with the bytes of the prompt up to its end, so that those of any part
    /// are known at once.
    pub(super) pieces: Vec<PromptPiece>,
}

pub(super) type LastPrompts = EntityHashMap<LastPrompt>;
