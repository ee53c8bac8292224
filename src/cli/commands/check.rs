//! `check`: every mistake of a world at once.

use playhouse::rpg::CampaignError;
use playhouse::world_data::Problem;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::{Failure, Fault};
use crate::cli::loader;

/// Checks a world and the prompts of its language.
pub(super) fn check(app: &App, world: &str) -> Result<(), Failure> {
    let (problems, is_playable) = match loader::load(app, world)? {
        Ok(production) => (production.warnings, true),
        Err(CampaignError::Data(problems)) => (problems.into_iter().collect(), false),
        Err(error) => return Err(Failure::new(Fault::World, error).at(world)),
    };
    tell(app, world, &problems, is_playable);
    match is_playable {
        true => Ok(()),
        false => Err(Failure::told(Fault::World)),
    }
}

fn tell(app: &App, world: &str, problems: &[Problem], is_playable: bool) {
    let mut out = app.out();
    if app.settings.json {
        return out.pretty_json(&json!({
            "world": world,
            "playable": is_playable,
            "problems": problems,
        }));
    }
    for problem in problems {
        out.line(app.words.problem(problem));
    }
    if !app.settings.quiet {
        out.line(match is_playable {
            true => app.words.world_fine(world),
            false => app.words.world_mistakes(world, problems.len()),
        });
    }
}
