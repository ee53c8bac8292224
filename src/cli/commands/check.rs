//! `check`: all errors of a world at once.

use playhouse::rpg::CampaignError;
use playhouse::world_data::{Problem, Severity};
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader;
use crate::cli::say::say;

/// Checks a world and the prompts of its language.
pub(super) fn check(app: &App, world: &str) -> Result<(), CommandError> {
    let (problems, is_playable) = match loader::load(app, world)? {
        Ok(campaign) => (campaign.warnings, true),
        Err(CampaignError::Data(problems)) => (problems.into_iter().collect(), false),
        Err(error) => {
            return Err(CommandError::of(ErrorKind::World, &error).at(world));
        }
    };
    print(app, world, &problems, is_playable);
    if is_playable {
        Ok(())
    } else {
        Err(CommandError::printed(ErrorKind::World))
    }
}

fn print(app: &App, world: &str, problems: &[Problem], is_playable: bool) {
    let mut out = app.out();
    if app.settings.json {
        return out.pretty_json(&json!({
            "world": world,
            "playable": is_playable,
            "problems": problems,
        }));
    }
    for found in problems {
        out.line(found.in_language(app.language));
    }
    if !app.settings.quiet {
        out.line(if is_playable {
            say!(app.language, cli_world_ok, world)
        } else {
            let errors = problems.iter();
            let errors = errors.filter(|problem| problem.severity == Severity::Error);
            let count = errors.count();
            say!(app.language, cli_world_errors, world, count)
        });
    }
}
