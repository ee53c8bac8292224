//! Finds everything that is wrong with a world.
//!
//! Each file checks one side of it: `names` what things are called, `texts` what is told, `numbers`
//! stats, skills and limits, `links` who refers to whom and which stages can be reached, `drama`
//! facts, items, scenes and endings, `beds` who wakes up where. All of them write into a `Report`,
//! which knows the places in the file and all its names. What never comes about although nothing is
//! wrong with it, or is told although it is not so, is found by a [rehearsal](crate::rehearsal).

mod beds;
mod drama;
mod links;
mod names;
mod numbers;
mod report;
#[cfg(test)]
mod tests;
mod texts;

pub(crate) use drama::never_comes;
pub(crate) use names::ROLES;
pub(super) use numbers::range_of;
use playhouse_engine::world_data::{Parsed, Problems, Source};

use super::types::WorldFile;
use crate::drama::Condition;
use report::Report;
pub use report::instead_of;
pub(crate) use report::{choices, each, part};

/// Adds everything that is wrong with a condition to `problems`, given its source and its world.
pub(super) fn check_condition(
    condition: &Condition,
    source: Source,
    world: &WorldFile,
    problems: &mut Problems,
) {
    let reading = Parsed {
        value: world.clone(),
        source,
        skipped: Vec::new(),
        skipped_texts: Vec::new(),
    };
    Report::new(&reading, problems).condition("", condition);
}

/// Adds everything that is wrong with a world to `problems`.
pub(super) fn check(reading: &Parsed<WorldFile>, problems: &mut Problems) {
    let mut report = Report::new(reading, problems);
    names::check(&mut report);
    texts::check(&mut report);
    numbers::check(&mut report);
    links::check(&mut report);
    drama::check(&mut report);
    beds::check(&mut report);
}
