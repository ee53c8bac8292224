//! `check`: all errors of a world at once, of what is expected of its rehearsals, and of the
//! grammars with which the improviser plays it.

use crate::cli::prelude::*;
use crate::rpg::CampaignError;
use crate::world_data::{Problem, Severity};

use crate::cli::loader;

/// Checks a world and the prompts of its language.
pub(super) fn check(app: &App, world: &str) -> Result<()> {
    let (mut problems, is_playable): (Vec<Problem>, bool) = match loader::load(app, world)? {
        Ok(campaign) => {
            let expectations = loader::expectations(app, world, &campaign.file)?;
            let wrong = expectations.err().unwrap_or_default();
            (campaign.warnings.into_iter().chain(wrong).collect(), true)
        }
        Err(CampaignError::Data(problems)) => (problems.into_iter().collect(), false),
        Err(error) => {
            return Err(CommandError::of(ErrorKind::World, &error).at(world));
        }
    };
    if let Err(mistakes) = loader::teach_improviser(app)? {
        problems.extend(mistakes.0.into_iter().map(Problem::from));
    }
    print(app, world, &problems, is_playable);
    if errors(&problems) == 0 {
        Ok(())
    } else {
        Err(CommandError::printed(ErrorKind::World))
    }
}

fn errors(problems: &[Problem]) -> usize {
    let problems = problems.iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors.count()
}

fn print(app: &App, world: &str, problems: &[Problem], is_playable: bool) {
    let mut out = app.out();
    if app.settings.json {
        return out.json(&json!({
            "record": "check",
            "world": world,
            "playable": is_playable,
            "problems": problems,
        }));
    }
    for found in problems {
        out.line(found.in_language(app.language));
    }
    if !app.settings.quiet {
        out.line(match errors(problems) {
            0 => say!(app.language, cli_world_ok, world),
            count if is_playable => say!(app.language, cli_expectation_errors, count),
            count => say!(app.language, cli_world_errors, world, count),
        });
    }
}
