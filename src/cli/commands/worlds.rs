//! `worlds`: what can be played.

use playhouse::rpg::world_file::list_worlds;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::Failure;
use crate::cli::tables::{Side, Table};

/// Lists the worlds of the data folder, and what is wrong with those that can't be listed.
pub(super) fn worlds(app: &App) -> Result<(), Failure> {
    let (worlds, problems) = list_worlds(&app.data()?);
    let mut out = app.out();
    if app.settings.json {
        out.pretty_json(&json!({"worlds": worlds, "problems": problems}));
        return Ok(());
    }
    let words = app.words;
    if worlds.is_empty() {
        out.line(words.no_worlds());
    } else {
        let heads = [words.world(), words.language(), words.title()];
        let mut table = Table::new(heads.map(|head| (head, Side::Left)));
        for world in worlds {
            let title = format!("{} · {}", world.name, world.title);
            table.row([world.folder, world.language.code().into(), title]);
        }
        table.write(&mut out);
    }
    for problem in problems.iter() {
        app.err().line(words.problem(problem));
    }
    Ok(())
}
