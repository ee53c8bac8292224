//! A call of a mind as a page shows it.

use std::sync::Arc;

use serde::Serialize;

use crate::engine::AnswerInReview;
use crate::event::By;
use crate::journal::{Ending, Outcome};

/// How far a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallState {
    #[default]
    Thinking,
    Writing,
    /// Answered; the host has not decided yet.
    InReview,
    Done,
    /// The run was stopped; whoever continues asks again.
    Dropped,
}

/// A call of a mind. Times are in milliseconds since the view was made.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    pub(super) call: u32,
    pub(super) who: u32,
    /// The number of the ask among all of its entity.
    pub(super) number: u32,
    pub(super) purpose: Arc<str>,
    pub(super) mind: Arc<str>,
    pub(super) place: u32,
    pub(super) turn: u64,
    pub(super) start: u64,
    pub(super) first: Option<u64>,
    pub(super) end: Option<u64>,
    /// The tools that were called, and when.
    pub(super) tools: Vec<(Arc<str>, u64)>,
    pub(super) state: CallState,
    /// The answer on which the host decides.
    pub(super) held: Option<AnswerInReview>,
    pub(super) by: Option<By>,
    /// What the journal keeps of it; `None` while it is open.
    pub(super) outcome: Option<Arc<Outcome>>,
}

impl Call {
    /// Whether its times were measured.
    pub(super) fn is_timed(&self) -> bool {
        !self.mind.is_empty()
    }
}

/// Who made the answer of an outcome.
pub(super) fn made_by(outcome: &Outcome) -> By {
    match &outcome.ending {
        Ending::Failed { reason } => By::Fallback(reason.clone()),
        Ending::Answered { .. } => match outcome.refused.len() {
            0 => By::Mind,
            times => By::Repaired(times as u32),
        },
    }
}
