//! Teams as data: who takes part, who speaks next, when it ends.
//!
//! [`TeamFile`] is what a writer writes in `data/teams/<language>/<name>.ron` and what a library user
//! builds by hand; [`TeamFile::load`] and [`TeamFile::check`] find every mistake at once. Nothing here
//! knows how a team is played.

mod check;
mod file;
mod graph_file;

pub use file::{
    Audience, Handoff, Kind, Newcomers, Output, Participant, Selection, TeamFile, ToolTeam,
    Transitions,
};
pub use graph_file::{Activation, EdgeFile, GraphFile, When};

use serde::Serialize;

use crate::message::Language;
use crate::world_data::{DataFolder, Problem, Problems, Source};

/// The folder of the teams that come along.
pub const FOLDER: &str = "teams";

/// A team that can be played, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// How it is chosen: `en/writing-desk`.
    pub path: String,
    /// One line about it.
    pub title: String,
    /// Its language.
    pub language: Language,
}

/// All teams in `teams/`, by path, and what is wrong with those that can't be read.
pub fn list_teams(data: &DataFolder) -> (Vec<Listing>, Problems) {
    let mut problems = Problems::new();
    let files = data.files(FOLDER).unwrap_or_default();
    let mut listed = Vec::new();
    for file in files {
        let inside = file.strip_prefix("teams/").unwrap_or(&file);
        let Some(path) = inside.strip_suffix(".ron") else {
            continue;
        };
        match TeamFile::load(data, path) {
            Ok((team, _)) => listed.push(Listing {
                path: path.to_owned(),
                title: team.title,
                language: team.language,
            }),
            Err(more) => more
                .iter()
                .for_each(|problem| problems.push(problem.clone())),
        }
    }
    (listed, problems)
}

impl TeamFile {
    /// Reads and checks `teams/<path>.ron`: the team and its warnings, or all that is wrong with it.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn load(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        let path = format!("{FOLDER}/{path}.ron");
        let text = data.read_text(&path).map_err(Problem::from)?;
        Self::parse(&data.name_of(&path), &text)
    }

    /// Reads and checks the text of a team file; `file` is what messages call it.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn parse(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        let mut problems = Problems::new();
        let source = Source::new(file, text);
        let Some(reading) = source.read_all::<Self>(&mut problems) else {
            problems.sort();
            return Err(problems);
        };
        for mistake in check::mistakes(&reading.value) {
            let problem = reading
                .source
                .problem(&mistake.path, mistake.wrong, mistake.right);
            problems.push(match mistake.is_warning {
                true => problem.warning(),
                false => problem,
            });
        }
        problems.unless_errors(reading.value)
    }

    /// All that is wrong with a team that was built by hand.
    pub fn check(&self) -> Problems {
        let mut problems = Problems::new();
        for mistake in check::mistakes(self) {
            let mut problem = Problem::of_file(self.name.as_str(), mistake.wrong, mistake.right);
            problem.field = mistake.path;
            problems.push(match mistake.is_warning {
                true => problem.warning(),
                false => problem,
            });
        }
        problems
    }
}

#[cfg(test)]
mod tests;
