//! Does the checks of cases, which are files of data: what goes in, which operation is done, what
//! comes out. To add cases, add files; for a new kind of operation add a function to a module's
//! `OPERATIONS` (or a module of your own to the test). Members of a file:
//!
//! | member | meaning |
//! |---|---|
//! | `case`, `title` | the case's number and what it is about |
//! | `source` | where it was observed, or why it is ours |
//! | `checks` | a list; each has `operation`, `input` and one of the three below |
//! | `expected` | the result |
//! | `one_of` | results of which any will do |
//! | `refused` | words of the error |
//! | `note` | optional, in the file or in a check |

use std::fs;

use serde::Deserialize;
use serde_json::Value;

/// Does what a check asks for; an error is its words.
pub(crate) type Operation = fn(&Value) -> Result<Value, String>;

/// All that the checks of a folder can ask for, and how a result differs from what is expected.
pub(crate) struct Runner {
    pub(crate) operations: &'static [&'static [(&'static str, Operation)]],
    pub(crate) difference: fn(&Value, &Value) -> Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    case: String,
    title: String,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    checks: Vec<Check>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    operation: String,
    input: Value,
    #[serde(rename = "note")]
    _note: Option<String>,
    #[serde(default, deserialize_with = "given")]
    expected: Option<Value>,
    one_of: Option<Vec<Value>>,
    refused: Option<Vec<String>>,
}

/// A member that is there, be it null.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Runner {
    /// What is wrong with a check, if anything is.
    fn run(&self, check: &Check) -> Result<(), String> {
        let mut operations = self.operations.iter().copied().flatten();
        let operation = operations.find(|(name, _)| *name == check.operation);
        let Some((_, operation)) = operation else {
            return Err("no such operation; add it to a module of the runner".into());
        };
        let got = operation(&check.input);
        let wanted = match (&check.expected, &check.one_of, &check.refused) {
            (Some(expected), None, None) => std::slice::from_ref(expected),
            (None, Some(several), None) => several.as_slice(),
            (None, None, Some(words)) => return refused(words, got),
            _ => return Err("give one of 'expected', 'one_of' and 'refused'".into()),
        };
        let got = got?;
        let differs = |expected| (self.difference)(expected, &got).ok_or(());
        let differences: Result<Vec<_>, _> = wanted.iter().map(differs).collect();
        differences.map_or(Ok(()), |differences| Err(differences.join("\n      or ")))
    }

    /// Does all checks of the cases in a folder.
    pub(crate) fn check_all(&self, folder: &str) {
        let cases = cases(folder);
        assert!(!cases.is_empty());
        let mut failures = Vec::new();
        for (name, case) in &cases {
            assert!(!case.checks.is_empty(), "{name} checks nothing");
            for (number, check) in case.checks.iter().enumerate() {
                if let Err(problem) = self.run(check) {
                    let (case, title) = (&case.case, &case.title);
                    let operation = &check.operation;
                    failures.push(format!(
                        "{case} {title} ({name}.json, check {number}, {operation}):\n   {problem}"
                    ));
                }
            }
        }
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }
}

fn refused(words: &[String], got: Result<Value, String>) -> Result<(), String> {
    match got {
        Ok(value) => Err(format!("should be refused, but gave {value}")),
        Err(error) => match words.iter().find(|word| !error.contains(word.as_str())) {
            None => Ok(()),
            Some(word) => Err(format!(
                "the error should speak of '{word}', but is: {error}"
            )),
        },
    }
}

/// All files with their names, sorted by name.
fn cases(folder: &str) -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let case = serde_json::from_str(&fs::read_to_string(&path).unwrap());
        let case = case.unwrap_or_else(|error| panic!("{name}: {error}"));
        cases.push((name, case));
    }
    cases.sort_by(|left, right| left.0.cmp(&right.0));
    cases
}
