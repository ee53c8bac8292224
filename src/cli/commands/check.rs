//! `check`: all errors of a team, or of a world with what is expected of its rehearsals, at once,
//! and those of the grammars with which the improviser plays it.

use crate::cli::prelude::*;
use crate::engine::EngineError;
use crate::rpg::world_file::{Explained, explain, reference};
use crate::rpg::{Campaign, CampaignError};
use crate::world_data::{Problem, Severity};

use crate::cli::loader;

struct Checked {
    /// `world` or `team`.
    what: &'static str,
    problems: Vec<Problem>,
    is_playable: bool,
}

/// Checks a world or a team, and the prompts of its language.
pub(super) fn check(app: &App, name: &str) -> Result<()> {
    let mut checked = if loader::is_team(app, name)? {
        team(app, name)?
    } else {
        let (campaign, problems) = world(app, name)?;
        Checked {
            what: "world",
            problems,
            is_playable: campaign.is_some(),
        }
    };
    if let Err(mistakes) = loader::teach_improviser(app)? {
        let mistakes = mistakes.0.into_iter().map(Problem::from);
        checked.problems.extend(mistakes);
    }
    print(app, name, &checked);
    if errors(&checked.problems) == 0 {
        Ok(())
    } else {
        Err(CommandError::printed(ErrorKind::World))
    }
}

/// Says what a member of a world file, or what is in it, is for; everything without a name.
pub(super) fn explain_member(app: &App, member: &str) -> Result<()> {
    let language = app.language;
    let found = if member.is_empty() {
        reference(language)
    } else {
        explain(member, language)
    };
    if found.is_empty() {
        let mut error = CommandError::usage(text!(cli_no_such_member, member));
        let all = reference(language);
        error.help = loader::did_you_mean(member, all.iter().map(|known| known.path.as_str()));
        return Err(error);
    }
    let columns = columns!(
        language, < cli_member, < cli_kind, < cli_default, < cli_range, < cli_about
    );
    app.list(
        columns,
        &found,
        |member| json!(Printed::Member { member }),
        |known| {
            let Explained {
                path,
                kind,
                default,
                range,
                about,
                ..
            } = known;
            [path, kind, default, range, about].map(String::clone)
        },
    );
    let shown = found.first().filter(|known| !known.example.is_empty());
    if let Some(known) = shown.filter(|_| app.prints_text() && !member.is_empty()) {
        let example = &known.example;
        app.out().line(say!(language, cli_member_example, example));
    }
    Ok(())
}

/// A world, if it can be played, and everything that is wrong with it and its expectations.
pub(super) fn world(app: &App, name: &str) -> Result<(Option<Campaign>, Vec<Problem>)> {
    match loader::load(app, name)? {
        Ok(campaign) => {
            let expectations = loader::expectations(app, name, &campaign.file)?;
            let wrong = expectations.err().unwrap_or_default();
            let problems = campaign.warnings.iter().cloned().chain(wrong).collect();
            Ok((Some(campaign), problems))
        }
        Err(CampaignError::Data(problems)) => Ok((None, problems.into_iter().collect())),
        Err(error) => Err(CommandError::of(ErrorKind::World, &error).at(name)),
    }
}

fn team(app: &App, name: &str) -> Result<Checked> {
    let (problems, is_playable) = match loader::load_team(app, name)? {
        Ok(game) => {
            let unknown = game.unknown_tools().or_fail(ErrorKind::World)?;
            let is_playable = unknown.is_empty();
            let of_tool =
                |error: EngineError| Problem::of_file(name, error.text(), UiText::default());
            let problems = game.warnings.into_iter();
            let problems = problems.chain(unknown.into_iter().map(of_tool));
            (problems.collect(), is_playable)
        }
        Err(problems) => (problems.into_iter().collect(), false),
    };
    Ok(Checked {
        what: "team",
        problems,
        is_playable,
    })
}

fn errors(problems: &[Problem]) -> usize {
    let problems = problems.iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors.count()
}

fn print(app: &App, name: &str, checked: &Checked) {
    let Checked {
        what,
        problems,
        is_playable,
    } = checked;
    let mut out = app.out();
    if app.settings.json {
        return out.json(&Printed::Check {
            world: (*what == "world").then_some(name),
            team: (*what == "team").then_some(name),
            playable: *is_playable,
            problems,
        });
    }
    for found in problems {
        out.line(found.in_language(app.language));
    }
    let warnings = problems.len() - errors(problems);
    if !app.settings.quiet {
        out.line(match (*what, errors(problems)) {
            ("team", 0) => say!(app.language, cli_team_ok, team = name, warnings),
            ("team", count) => say!(app.language, cli_team_errors, team = name, count),
            (_, 0) => say!(app.language, cli_world_ok, world = name, warnings),
            (_, count) if *is_playable => say!(app.language, cli_expectation_errors, count),
            (_, count) => say!(app.language, cli_world_errors, world = name, count),
        });
    }
}
