//! What is reported, and the sentences below the tables.

use crate::cli::prelude::*;
use crate::message::{Cost, Price};
use crate::rpg::rehearsal::{Rehearsal, RunEnd, RunFigures};
use crate::rpg::world_file::WorldFile;
use crate::world_data::Problems;

/// The most seeds that are told of those that were found.
const SEEDS: usize = 20;

pub(crate) struct Report<'a> {
    pub(crate) world: &'a WorldFile,
    pub(crate) runs: &'a [RunFigures],
    /// What they came to.
    pub(crate) rehearsal: &'a Rehearsal,
    /// What a run is priced as.
    pub(crate) price: Option<&'a PricedAs>,
    /// The scene, option, ending or fact of which alone is told why it did not come about.
    pub(crate) why: Option<&'a str>,
    /// Whether only the map is shown.
    pub(crate) map: bool,
    /// Expectations that are not met.
    pub(crate) unmet: &'a Problems,
}

impl<'a> Report<'a> {
    /// All that runs came to.
    pub(crate) fn of(
        world: &'a WorldFile,
        (runs, rehearsal): (&'a [RunFigures], &'a Rehearsal),
        unmet: &'a Problems,
    ) -> Self {
        Self {
            world,
            runs,
            rehearsal,
            price: None,
            why: None,
            map: false,
            unmet,
        }
    }

    /// The seeds of the runs in which the condition came to hold, and the turn in which it did;
    /// `None` if none was looked for.
    pub(crate) fn found(&self) -> Option<Vec<(u64, u64)>> {
        let looked_for = self.runs.iter().any(|run| run.found.is_some());
        let found = self.runs.iter();
        let found = found.filter_map(|run| Some((run.seed, run.found_in?)));
        looked_for.then(|| found.collect())
    }
}

/// A model and its price.
pub(crate) struct PricedAs {
    pub(crate) model: String,
    pub(crate) price: Price,
}

impl PricedAs {
    /// What a run would cost on average.
    pub(crate) fn cost(&self, rehearsal: &Rehearsal) -> Cost {
        self.price.of(rehearsal.usage())
    }
}

/// In which runs the condition that was looked for holds.
pub(super) fn found(language: Language, report: &Report<'_>) -> Option<String> {
    let found = report.found()?;
    let (count, of) = (found.len(), report.runs.len());
    let first = found.iter().take(SEEDS);
    let first =
        first.map(|(seed, turn)| say!(language, cli_rehearsal_seed, seed = *seed, turn = *turn));
    let seeds = Argument::list(first);
    Some(if found.is_empty() {
        say!(language, cli_rehearsal_found_none, of)
    } else if count > SEEDS {
        say!(
            language,
            cli_rehearsal_found_many,
            count,
            of,
            first = SEEDS,
            seeds
        )
    } else {
        say!(language, cli_rehearsal_found, count, of, seeds)
    })
}

/// How the first story ended.
pub(super) fn one_end(language: Language, report: &Report<'_>) -> Option<String> {
    report.runs.iter().find_map(|run| match &run.end {
        RunEnd::Finished(text) => Some(say!(language, cli_rehearsal_end, seed = run.seed, text)),
        _ => None,
    })
}
