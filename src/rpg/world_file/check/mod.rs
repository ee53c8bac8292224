//! Finds everything that is wrong with a world.
//!
//! Each file checks one side of it: `names` what things are called, `texts` what is told,
//! `numbers` stats, skills and limits, `links` who names whom, `ways` what can be reached.
//! All of them write into a [`Report`], which knows the places in the file.

mod links;
mod names;
mod numbers;
mod texts;
mod ways;

use crate::world_data::{Problem, Problems, Reading};

use super::types::WorldFile;

/// Adds all that is wrong with a world to `problems`.
pub(super) fn check(reading: &Reading<WorldFile>, problems: &mut Problems) {
    let mut report = Report { reading, problems };
    let world = &reading.value;
    names::check(world, &mut report);
    texts::check(world, &mut report);
    numbers::check(world, &mut report);
    links::check(world, &mut report);
    ways::check(world, &mut report);
}

/// Collects problems; keeps silent about parts whose form is wrong already.
struct Report<'a> {
    reading: &'a Reading<WorldFile>,
    problems: &'a mut Problems,
}

impl Report<'_> {
    /// `path` is wrong.
    fn error(&mut self, path: &str, wrong: impl Into<String>, right: impl Into<String>) {
        let problem = self.reading.source.problem(path, wrong, right);
        self.push(problem);
    }

    /// `path` is likely not what was meant.
    fn warn(&mut self, path: &str, wrong: impl Into<String>, right: impl Into<String>) {
        let problem = self.reading.source.problem(path, wrong, right);
        self.push(problem.warning());
    }

    fn push(&mut self, problem: Problem) {
        let mut broken = self.reading.broken.iter();
        if !broken.any(|path| is_within(&problem.field, path)) {
            self.problems.push(problem);
        }
    }

    /// Whether every part could be read. If not, what seems to be missing may stand in one of those
    /// that could not.
    fn is_whole(&self) -> bool {
        self.reading.broken.is_empty()
    }

    /// Whether a name stands in a part that could not be read.
    fn may_be_known(&self, name: &str) -> bool {
        self.reading.broken_texts.iter().any(|text| text == name)
    }
}

/// Whether `path` is `outer` or within it.
fn is_within(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests;
