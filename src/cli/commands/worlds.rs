//! `worlds`: the worlds that can be played.

use crate::cli::prelude::*;
use crate::rpg::world_file::list_worlds;

/// Lists the worlds of the data folder, and what is wrong with the others.
pub(super) fn worlds(app: &App) -> Result<()> {
    let (worlds, problems) = list_worlds(&app.data()?);
    let language = app.language;
    if worlds.is_empty() && !app.settings.json {
        app.out().line(say!(language, cli_no_worlds));
    } else {
        let columns = columns!(language, < cli_world, < cli_language, < cli_title);
        app.list(
            columns,
            worlds,
            |world| json!(Printed::Listed(world)),
            |world| {
                let title = format!("{}{}{}", world.name, say!(language, cli_colon), world.title);
                [world.folder, world.language.code().into(), title]
            },
        );
    }
    for problem in problems.iter() {
        if app.settings.json {
            app.out().json(&Printed::Problem(problem));
        } else {
            app.err().line(problem.in_language(language));
        }
    }
    Ok(())
}
