//! Loading and listing team files.

use std::collections::BTreeSet;

use playhouse_engine::locale::Localize;
use playhouse_engine::message::Language;
use playhouse_engine::world_data::{DataFolder, Problem, Problems, Source};
use playhouse_tools::NotBuilt;
use serde::Serialize;

use super::check;
use super::{ParticipantKind, TeamFile};

pub const FOLDER: &str = "teams";

/// A team in a list of teams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Listing {
    /// Its path in the folder of teams, such as `en/writing-desk`.
    pub path: String,
    pub title: String,
    pub language: Language,
    /// The Cargo features that it needs and this build lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<&'static str>,
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
        match listing(data, path) {
            Ok(team) => teams.push(team),
            Err(errors) => problems.extend(errors),
        }
    }
    (teams, problems)
}

/// A team in the list. What a build lacks is no mistake of its file.
fn listing(data: &DataFolder, path: &str) -> Result<Listing, Problems> {
    let (team, found) = TeamFile::read(data, path)?;
    let missing = team.not_built();
    let reasons: Vec<_> = missing.iter().map(NotBuilt::text).collect();
    let mistakes = found
        .into_iter()
        .filter(|mistake| !reasons.contains(&mistake.message));
    let mut problems = Problems::new();
    problems.extend(mistakes);
    problems
        .unless_errors(Listing {
            path: path.to_owned(),
            title: team.title,
            language: team.language,
            needs: missing.into_iter().map(NotBuilt::feature).collect(),
        })
        .map(|(team, _)| team)
}

impl TeamFile {
    /// Reads and checks `teams/<path>.ron`; returns the team and its warnings.
    pub fn load(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        let (team, problems) = Self::read(data, path)?;
        problems.unless_errors(team)
    }

    /// Reads and checks the text of a team file; problems name the file `file`.
    pub fn parse(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        let (team, problems) = Self::read_text(file, text)?;
        problems.unless_errors(team)
    }

    /// A team with all its problems, if it can be read at all.
    fn read(data: &DataFolder, path: &str) -> Result<(Self, Problems), Problems> {
        let path = format!("{FOLDER}/{path}.ron");
        let text = data.read_text(&path).map_err(Problem::from)?;
        Self::read_text(&data.name_of(&path), &text)
    }

    fn read_text(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
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
        Ok((reading.value, problems))
    }

    /// What this build lacks of what its participants need, those of inner teams and of teams that
    /// are tools included.
    fn not_built(&self) -> BTreeSet<NotBuilt> {
        let teams = self.with_tool_teams().into_iter().flat_map(Self::nested);
        let needs = teams
            .flat_map(|team| &team.participants)
            .flat_map(|participant| {
                let is_coder = matches!(participant.kind, ParticipantKind::Coder { .. });
                let code = is_coder.then(NotBuilt::code).flatten();
                let tools = participant.tools.iter();
                tools.filter_map(|tool| NotBuilt::tool(tool)).chain(code)
            });
        needs.collect()
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
