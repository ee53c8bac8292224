//! Where the checks report problems.

use std::collections::BTreeSet;

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::world_data::{Parsed, Problem, Problems, is_within};

use crate::world_file::types::{CampaignStep, WorldFile};

/// The fields of a world that contain no others.
const HEAD: [&str; 4] = ["name", "language", "title", "rules"];

/// Names in the order of the file. There may be many, and many that refer to them.
pub(super) type NameSet<'a> = IndexSet<&'a str, FixedState>;

/// Where a step of the schedule is written, without its conditions.
pub(super) fn step_path(number: usize, step: &CampaignStep) -> String {
    let mut path = format!("schedule[{number}]");
    let mut step = step;
    while let CampaignStep::If(_, then) = step {
        path.push_str(".1");
        step = then;
    }
    path
}

/// A list names something twice.
pub(super) fn report_twice(path: &str, name: &str, report: &mut Report<'_>) {
    let wrong = text!(rpg_check_listed_twice, name);
    report.error(path, wrong, text!(rpg_check_list_once));
}

/// The path of a part without a name, such as the second argument of an effect.
pub(super) fn part(path: &str, number: usize) -> String {
    match path {
        "" => number.to_string(),
        path => format!("{path}.{number}"),
    }
}

/// Collects problems, except for those in parts that could not be read, which are problems already.
pub(super) struct Report<'a> {
    reading: &'a Parsed<WorldFile>,
    /// All texts in parts that could not be read.
    unread: BTreeSet<&'a str>,
    problems: &'a mut Problems,
}

impl<'a> Report<'a> {
    /// A report on a world, which adds to `problems`.
    pub(super) fn new(reading: &'a Parsed<WorldFile>, problems: &'a mut Problems) -> Self {
        let texts = reading.skipped_texts.iter();
        Self {
            reading,
            unread: texts.map(String::as_str).collect(),
            problems,
        }
    }

    pub(super) fn error(&mut self, path: &str, message: UiText, help: UiText) {
        if let Some(problem) = self.problem(path, message, help) {
            self.problems.push(problem);
        }
    }

    /// `path` is likely not what was meant.
    pub(super) fn warn(&mut self, path: &str, message: UiText, help: UiText) {
        if let Some(problem) = self.problem(path, message, help) {
            self.problems.push(problem.warning());
        }
    }

    /// Whether further problems are only counted. Checks that take the time of two lists may stop.
    pub(super) fn is_full(&self) -> bool {
        self.problems.is_full()
    }

    /// The problem, unless it is in a part that could not be read. Its position is looked up only
    /// if it is going to be told.
    fn problem(&self, path: &str, message: UiText, help: UiText) -> Option<Problem> {
        let source = &self.reading.source;
        if self.is_full() {
            return Some(Problem::of_file(source.file(), message, help));
        }
        let problem = source.problem(path, message, help);
        let mut skipped = self.reading.skipped.iter();
        let is_skipped = skipped.any(|path| !path.is_empty() && is_within(&problem.field, path));
        (!is_skipped).then_some(problem)
    }

    /// Whether every part of a list could be read, and no other list that may contain parts of it
    /// because a bracket is missing. If not, what seems to be missing may be there.
    pub(super) fn is_whole(&self, list: &str) -> bool {
        let is_list = |path: &str| !path.contains(['.', '[']) && !HEAD.contains(&path);
        let mut skipped = self.reading.skipped.iter();
        !skipped.any(|path| is_within(path, list) || is_list(path))
    }

    /// All texts in parts that could not be read: names in them count as defined and as used.
    pub(super) fn unread(&self) -> &BTreeSet<&'a str> {
        &self.unread
    }
}
