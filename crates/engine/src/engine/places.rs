//! Which places may step, and which wait for outcomes.

use std::collections::{BTreeMap, BTreeSet};

use super::job::FinishedAsk;
use crate::cast::StableId;

/// The places of the world, in stable order.
#[derive(Default)]
pub(super) struct Places {
    /// Those that may step.
    pub(super) ready: BTreeSet<StableId>,
    /// The steps that each took in this turn.
    pub(super) steps: BTreeMap<StableId, u32>,
    /// Those of the turn before.
    pub(super) steps_before: BTreeMap<StableId, u32>,
    /// Those with open asks.
    pub(super) open: BTreeMap<StableId, OpenPlace>,
}

impl Places {
    /// The steps that a place has before it in this turn, if it takes as many as in the last.
    pub(super) fn steps_left(&self, place: StableId) -> u32 {
        let [before, taken] = [&self.steps_before, &self.steps]
            .map(|steps| steps.get(&place).copied().unwrap_or_default());
        before.saturating_sub(taken)
    }
}

/// The asks of a place that waits for outcomes.
#[derive(Default)]
pub(super) struct OpenPlace {
    /// How many have no outcome yet.
    pub(super) missing: usize,
    pub(super) finished: Vec<FinishedAsk>,
}

/// An outcome that waits to be recorded and committed.
pub(super) struct Arrival {
    pub(super) finished: FinishedAsk,
    /// Whether the journal must still record it.
    pub(super) is_new: bool,
}
