//! Loading and listing team files.

use playhouse_engine::message::Language;
use playhouse_engine::world_data::{DataFolder, Problem, Problems, Source};
use serde::Serialize;

use super::TeamFile;
use super::check;

pub const FOLDER: &str = "teams";

/// A team in a list of teams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Its path in the folder of teams, such as `en/writing-desk`.
    pub path: String,
    pub title: String,
    pub language: Language,
}

/// All teams in the data folder by path, and the problems of those that can't be loaded.
pub fn list_teams(data: &DataFolder) -> (Vec<Listing>, Problems) {
    let mut problems = Problems::new();
    let mut teams = Vec::new();
    for file in data.files(FOLDER).unwrap_or_default() {
        let path = file.strip_prefix("teams/").unwrap_or(&file);
        let Some(path) = path.strip_suffix(".ron") else {
            continue;
        };
        match TeamFile::load(data, path) {
            Ok((team, _)) => teams.push(Listing {
                path: path.to_owned(),
                title: team.title,
                language: team.language,
            }),
            Err(errors) => problems.extend(errors),
        }
    }
    (teams, problems)
}

impl TeamFile {
    /// Reads and checks `teams/<path>.ron`; returns the team and its warnings.
    ///
    /// # Errors
    /// Every mistake in the file.
    pub fn load(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        let path = format!("{FOLDER}/{path}.ron");
        let text = data.read_text(&path).map_err(Problem::from)?;
        Self::parse(&data.name_of(&path), &text)
    }

    /// Reads and checks the text of a team file; problems name the file `file`.
    ///
    /// # Errors
    /// Every mistake in the text.
    pub fn parse(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        let source = Source::new(file, text);
        let (reading, mut problems) = source.read_all::<Self>()?;
        for problem in check::problems(&reading.value) {
            if problems.is_full() {
                problems.push(Problem {
                    file: file.into(),
                    ..problem
                });
                continue;
            }
            let source = &reading.source;
            problems.push(Problem {
                severity: problem.severity,
                ..source.problem(&problem.field, problem.message, problem.help)
            });
        }
        problems.unless_errors(reading.value)
    }

    /// The problems of a team that was built in code.
    pub fn check(&self) -> Problems {
        let mut problems = Problems::new();
        problems.extend(check::problems(self).into_iter().map(|problem| Problem {
            file: self.name.clone(),
            ..problem
        }));
        problems
    }
}
