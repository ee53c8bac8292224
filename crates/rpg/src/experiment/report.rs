//! What the conditions of an experiment came to, beside each other.

use std::collections::BTreeMap;

use playhouse_engine::statistics::{Comparison, correct_by_holm};
use serde::Serialize;

use super::outcome::{Figure, Outcome};
use crate::rehearsal::RunFigures;
use crate::world_file::WorldFile;

#[derive(Clone, Copy)]
pub struct ConditionRuns<'a> {
    pub name: &'a str,
    pub world: &'a WorldFile,
    pub runs: &'a [RunFigures],
}

impl<'a> ConditionRuns<'a> {
    /// Those that came to an end.
    pub fn ended(&self) -> impl Iterator<Item = &'a RunFigures> + use<'a> {
        self.runs.iter().filter(|run| run.end.failure().is_none())
    }

    /// The stories of both that have the same seed.
    fn pairs(&self, other: &Self) -> impl Iterator<Item = (&'a RunFigures, &'a RunFigures)> {
        let first: BTreeMap<_, _> = self.ended().map(|run| (run.seed, run)).collect();
        other
            .ended()
            .filter_map(move |run| Some((*first.get(&run.seed)?, run)))
    }
}

/// What an outcome was in each condition, and how it differs from that in the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutcomeReport {
    pub outcome: Outcome,
    /// In the order of the conditions; `None` if it was never measured.
    pub figures: Vec<Option<Figure>>,
    /// For each condition after the first; `None` if there was nothing to test.
    pub comparisons: Vec<Option<Comparison>>,
}

/// Compares conditions with the first of them, by pairs of stories with the same seed. Without
/// outcomes, all that can be measured in any of their worlds are compared. All tests are corrected
/// for their number.
pub fn compare(conditions: &[ConditionRuns<'_>], outcomes: &[Outcome]) -> Vec<OutcomeReport> {
    let outcomes = match outcomes {
        [] => all_outcomes(conditions),
        outcomes => outcomes.to_vec(),
    };
    let mut reports: Vec<_> = outcomes
        .into_iter()
        .map(|outcome| OutcomeReport::of(conditions, outcome))
        .collect();
    let comparisons = reports
        .iter_mut()
        .flat_map(|report| &mut report.comparisons);
    correct_by_holm(comparisons.flatten());
    reports
}

fn all_outcomes(conditions: &[ConditionRuns<'_>]) -> Vec<Outcome> {
    let mut all = Vec::new();
    for outcome in conditions
        .iter()
        .flat_map(|condition| Outcome::all(condition.world))
    {
        if !all.contains(&outcome) {
            all.push(outcome);
        }
    }
    all
}

impl OutcomeReport {
    fn of(conditions: &[ConditionRuns<'_>], outcome: Outcome) -> Self {
        let measured = |condition: &ConditionRuns<'_>| {
            let can_be = outcome.is_of(condition.world);
            can_be.then(|| outcome.figure(condition.ended()))?
        };
        let compared = |second: &ConditionRuns<'_>| {
            let first = conditions.first()?;
            let can_be = outcome.is_of(first.world) && outcome.is_of(second.world);
            can_be.then(|| outcome.compare(first.pairs(second)))?
        };
        Self {
            figures: conditions.iter().map(measured).collect(),
            comparisons: conditions.iter().skip(1).map(compared).collect(),
            outcome,
        }
    }
}
