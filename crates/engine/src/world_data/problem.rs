//! What is wrong in a file, where, and how to fix it.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::file_text::file_text;
use crate::locale::{Language, Localize, UiText, text};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file can't be used.
    Error,
    /// The file can be used, but is probably not what its author meant.
    Warning,
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Whether the file can be used nevertheless.
    pub severity: Severity,
    /// The name of the file, for people.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The column in characters, from 1; 0 for the whole line.
    pub column: usize,
    /// The field, such as `actors[2].stats.hp`; empty if there is none.
    pub field: String,
    /// The same for people: with the names of items instead of their numbers.
    #[serde(skip)]
    pub named: String,
    #[schemars(with = "String")]
    pub message: UiText,
    /// How to fix it; empty if the message says it.
    #[schemars(with = "String")]
    pub help: UiText,
}

impl Problem {
    /// An error in a whole file.
    pub fn of_file(file: impl Into<String>, message: UiText, help: UiText) -> Self {
        Self {
            severity: Severity::Error,
            file: file.into(),
            line: 0,
            column: 0,
            field: String::new(),
            named: String::new(),
            message,
            help,
        }
    }

    /// The same problem as a warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self {
            severity: Severity::Warning,
            ..self
        }
    }

    /// One line, without control characters: parts of it may come from anywhere.
    pub fn in_language(&self, language: Language) -> String {
        let line = self.text().in_language(language);
        line.replace(char::is_control, "\u{fffd}")
    }
}

impl Localize for Problem {
    fn text(&self) -> UiText {
        let mut place = self.file.clone();
        let numbers = [self.line, self.column].into_iter();
        for number in numbers.take_while(|number| *number > 0) {
            place.push_str(&format!(":{number}"));
        }
        let mut problem = self.message.clone();
        if !self.help.is_empty() {
            problem = text!(world_data_with_help, message = problem, help = &self.help);
        }
        let field = if self.named.is_empty() {
            &self.field
        } else {
            &self.named
        };
        if !field.is_empty() {
            problem = text!(world_data_in_field, field, problem);
        }
        match self.severity {
            Severity::Error => text!(world_data_problem_error, place = file_text(&place), problem),
            Severity::Warning => text!(
                world_data_problem_warning,
                place = file_text(&place),
                problem
            ),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.in_language(Language::En))
    }
}

impl std::error::Error for Problem {}

const MAX_TOLD: usize = 100;

/// All problems of some files. Of very many the first 100 are kept, and one that says how many more
/// there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems {
    list: Vec<Problem>,
    /// How many are not in the list. Then its last one says so.
    #[serde(skip)]
    more: usize,
}

impl Problems {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, problem: Problem) {
        if !self.is_full() {
            return self.list.push(problem);
        }
        self.more += 1;
        let message = text!(world_data_more_problems, count = self.more);
        match self.list.get_mut(MAX_TOLD) {
            Some(last) => {
                last.message = message;
                // An error among the others must not be lost.
                last.severity = last.severity.min(problem.severity);
            }
            None => self.list.push(Problem {
                severity: problem.severity,
                ..Problem::of_file(problem.file, message, UiText::default())
            }),
        }
    }

    /// Whether further problems are only counted.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_TOLD
    }

    /// The problems, in the order in which they were found or [sorted](Self::sort).
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.list.iter()
    }

    /// The number of problems that are told, including warnings.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no problems, not even warnings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of errors, without warnings.
    pub fn error_count(&self) -> usize {
        let is_error = |problem: &&Problem| problem.severity == Severity::Error;
        self.iter().filter(is_error).count()
    }

    /// Whether any problem is an error.
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// Sorts them by file, line and column, and removes duplicates.
    pub fn sort(&mut self) {
        let place = |problem: &Problem| (problem.file.clone(), problem.line, problem.column);
        let last = self.list.len().min(MAX_TOLD);
        self.list[..last].sort_by_cached_key(place);
        self.list.dedup();
    }

    /// `value` and the warnings.
    pub fn unless_errors<T>(mut self, value: T) -> Result<(T, Self), Self> {
        self.sort();
        if self.has_errors() {
            return Err(self);
        }
        Ok((value, self))
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self {
            list: vec![problem],
            more: 0,
        }
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Localize for Problems {
    /// One problem per line.
    fn text(&self) -> UiText {
        UiText::lines(self.iter().map(Problem::text))
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.iter().map(Problem::to_string).collect();
        out.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, message: &str) -> Problem {
        Problem {
            line,
            column: 3,
            field: "a.b".into(),
            ..Problem::of_file(
                "w.ron",
                UiText::verbatim(message),
                UiText::verbatim("write 1"),
            )
        }
    }

    #[test]
    fn a_problem_says_where_what_and_how_to_fix_it() {
        assert_eq!(
            at(7, "is 0").to_string(),
            "w.ron:7:3: error: a.b: is 0; write 1"
        );
        assert!(!at(7, "\u{1b}[31m").to_string().contains('\u{1b}'));
        let whole =
            Problem::of_file("w.ron", UiText::verbatim("is missing"), UiText::default()).warning();
        assert_eq!(whole.to_string(), "w.ron: warning: is missing");
        assert_eq!(
            at(7, "is 0").in_language(Language::Zh),
            "w.ron:7:3: 错误：a.b：is 0；write 1"
        );
    }

    #[test]
    fn problems_come_in_reading_order_and_once() {
        let mut problems = Problems::from(at(9, "late"));
        problems.extend([at(2, "early"), at(2, "early")]);
        problems.sort();
        let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 9]);
        assert_eq!(problems.to_string(), problems.text().to_string());
    }

    #[test]
    fn of_very_many_the_first_are_told() {
        let mut problems = Problems::new();
        problems.extend((1..=100_000).map(|line| at(line, "odd").warning()));
        assert_eq!(problems.len(), MAX_TOLD + 1);
        assert!(!problems.has_errors());
        problems.push(at(1, "bad"));
        problems.sort();
        let last = problems.iter().last().expect("one");
        assert_eq!(last.to_string(), "w.ron: error: and 99901 more");
        assert!(problems.unless_errors(5).is_err());
    }

    #[test]
    fn warnings_do_not_fail() {
        let warned = Problems::from(at(1, "odd").warning());
        assert_eq!(warned.error_count(), 0);
        assert_eq!(warned.clone().unless_errors(5), Ok((5, warned)));
        assert!(Problems::from(at(1, "bad")).unless_errors(5).is_err());
    }

    #[test]
    fn json_names_every_part() {
        let json = serde_json::to_value(Problems::from(at(7, "is 0"))).expect("serialises");
        assert_eq!(json[0]["severity"], "error");
        assert_eq!(json[0]["line"], 7);
        assert_eq!(json[0]["field"], "a.b");
        assert_eq!(json[0]["message"], "is 0");
        assert_eq!(json[0]["help"], "write 1");
    }
}
