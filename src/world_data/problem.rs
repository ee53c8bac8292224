//! What is wrong in a file, where, and what would be right.

use std::fmt;

use serde::Serialize;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file can't be used.
    Error,
    /// The file can be used, but is likely not what its writer meant.
    Warning,
}

/// One mistake in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Whether the file can be used all the same.
    pub severity: Severity,
    /// The file, as people name it.
    pub file: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// The column in characters, from 1; 0 where the whole line is meant.
    pub column: usize,
    /// The field, such as `actors[2].stats.hp`; empty where no field is meant.
    pub field: String,
    /// What is wrong.
    pub wrong: String,
    /// What would be right; empty where `wrong` says it all.
    pub right: String,
}

impl Problem {
    /// An error that concerns the whole of a file.
    pub fn of_file(
        file: impl Into<String>,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            file: file.into(),
            line: 0,
            column: 0,
            field: String::new(),
            wrong: wrong.into(),
            right: right.into(),
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
}

impl fmt::Display for Problem {
    /// One line, without control characters: parts of it may come from anywhere.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.file.clone();
        let places = [self.line, self.column].into_iter();
        for place in places.take_while(|place| *place > 0) {
            line.push_str(&format!(":{place}"));
        }
        line.push_str(match self.severity {
            Severity::Error => ": error: ",
            Severity::Warning => ": warning: ",
        });
        if !self.field.is_empty() {
            line.push_str(&format!("{}: ", self.field));
        }
        line.push_str(&self.wrong);
        if !self.right.is_empty() {
            line.push_str(&format!("; {}", self.right));
        }
        out.write_str(&line.replace(char::is_control, "\u{fffd}"))
    }
}

impl std::error::Error for Problem {}

/// All that is wrong, found in one go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Nothing wrong so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// All of them, in the order in which they were found or [sorted](Self::sort).
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// How many there are, warnings included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing at all is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any is more than a warning.
    pub fn has_errors(&self) -> bool {
        self.iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    /// Orders them as a reader meets them in the files, and drops what was said twice.
    pub fn sort(&mut self) {
        let place = |problem: &Problem| (problem.file.clone(), problem.line, problem.column);
        self.0.sort_by_cached_key(place);
        self.0.dedup();
    }

    /// `value` and the warnings, or, if there are errors, all problems.
    pub fn unless_errors<T>(mut self, value: T) -> Result<(T, Self), Self> {
        self.sort();
        match self.has_errors() {
            true => Err(self),
            false => Ok((value, self)),
        }
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.iter().enumerate() {
            if index > 0 {
                out.write_str("\n")?;
            }
            write!(out, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, wrong: &str) -> Problem {
        Problem {
            line,
            column: 3,
            field: "a.b".into(),
            ..Problem::of_file("w.ron", wrong, "write 1")
        }
    }

    #[test]
    fn a_problem_says_where_what_and_how_to_mend_it() {
        assert_eq!(
            at(7, "is 0").to_string(),
            "w.ron:7:3: error: a.b: is 0; write 1"
        );
        assert!(!at(7, "\u{1b}[31m").to_string().contains('\u{1b}'));
        let whole = Problem::of_file("w.ron", "is missing", "").warning();
        assert_eq!(whole.to_string(), "w.ron: warning: is missing");
    }

    #[test]
    fn problems_come_in_reading_order_and_once() {
        let mut all = Problems::from(at(9, "late"));
        all.extend([at(2, "early"), at(2, "early")]);
        all.sort();
        assert_eq!(all.iter().map(|p| p.line).collect::<Vec<_>>(), [2, 9]);
    }

    #[test]
    fn warnings_do_not_fail() {
        let warned = Problems::from(at(1, "odd").warning());
        assert_eq!(warned.clone().unless_errors(5), Ok((5, warned)));
        assert!(Problems::from(at(1, "bad")).unless_errors(5).is_err());
    }

    #[test]
    fn json_names_every_part() {
        let json = serde_json::to_value(Problems::from(at(7, "is 0"))).expect("serialises");
        assert_eq!(json[0]["severity"], "error");
        assert_eq!(json[0]["line"], 7);
        assert_eq!(json[0]["field"], "a.b");
    }
}
