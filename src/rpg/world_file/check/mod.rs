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

use std::collections::BTreeSet;

use crate::locale::UiText;
use crate::world_data::{Parsed, Problem, Problems, is_within};

use super::types::WorldFile;

/// The fields of a world that hold no others.
const HEAD: [&str; 4] = ["name", "language", "title", "rules"];

/// Adds all that is wrong with a world to `problems`.
pub(super) fn check(reading: &Parsed<WorldFile>, problems: &mut Problems) {
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
    reading: &'a Parsed<WorldFile>,
    problems: &'a mut Problems,
}

impl<'a> Report<'a> {
    /// `path` is wrong.
    fn error(&mut self, path: &str, message: impl Into<UiText>, help: impl Into<UiText>) {
        let problem = self.reading.source.problem(path, message, help);
        self.push(problem);
    }

    /// `path` is likely not what was meant.
    fn warn(&mut self, path: &str, message: impl Into<UiText>, help: impl Into<UiText>) {
        let problem = self.reading.source.problem(path, message, help);
        self.push(problem.warning());
    }

    fn push(&mut self, problem: Problem) {
        let mut broken = self.reading.skipped.iter();
        if !broken.any(|path| !path.is_empty() && is_within(&problem.field, path)) {
            self.problems.push(problem);
        }
    }

    /// Whether every part of a list could be read, and no other list was left out that may have
    /// swallowed it for want of a bracket. If not, what seems to be missing may be there.
    fn is_whole(&self, list: &str) -> bool {
        let is_list = |path: &str| !path.contains(['.', '[']) && !HEAD.contains(&path);
        let mut broken = self.reading.skipped.iter();
        !broken.any(|path| is_within(path, list) || is_list(path))
    }

    /// All texts in parts that could not be read: names in them count as given and as used.
    fn unread(&self) -> BTreeSet<&'a str> {
        let texts = self.reading.skipped_texts.iter();
        texts.map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests;
