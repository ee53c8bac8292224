//! `check`: all errors of a world at once, and of what is expected of its rehearsals.

use playhouse::rpg::CampaignError;
use playhouse::world_data::{Problem, Severity};
use serde_json::json;

use crate::cli::app::App;
use crate::cli::catalogue::problem;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader;
use crate::cli::say::say;

/// Checks a world and the prompts of its language.
pub(super) fn check(app: &App, world: &str) -> Result<(), CommandError> {
    let (problems, is_playable): (Vec<Problem>, bool) = match loader::load(app, world)? {
        Ok(campaign) => {
            let expectations = loader::expectations(app, world, &campaign.file)?;
            let wrong = expectations.err().unwrap_or_default();
            (campaign.warnings.into_iter().chain(wrong).collect(), true)
        }
        Err(CampaignError::Data(problems)) => (problems.into_iter().collect(), false),
        Err(error) => {
            return Err(CommandError::new(ErrorKind::World, error.to_string()).at(world));
        }
    };
    let is_right = is_playable
        && problems
            .iter()
            .all(|found| found.severity == Severity::Warning);
    print(app, world, &problems, is_playable, is_right);
    if is_right {
        Ok(())
    } else {
        Err(CommandError::printed(ErrorKind::World))
    }
}

fn print(app: &App, world: &str, problems: &[Problem], is_playable: bool, is_right: bool) {
    let mut out = app.out();
    if app.settings.json {
        return out.pretty_json(&json!({
            "world": world,
            "playable": is_playable,
            "problems": problems,
        }));
    }
    for found in problems {
        out.line(problem(app.language, found));
    }
    if !app.settings.quiet {
        out.line(if is_right {
            say!(app.language, cli_world_ok, world)
        } else {
            let count = problems.len();
            say!(app.language, cli_world_errors, world, count)
        });
    }
}
