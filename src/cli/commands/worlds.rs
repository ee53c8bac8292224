//! `worlds`: the worlds that can be played.

use crate::rpg::world_file::list_worlds;
use serde_json::json;

use super::play::joined;
use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};

/// Lists the worlds of the data folder, and what is wrong with the others.
pub(super) fn worlds(app: &App) -> Result<(), CommandError> {
    let (worlds, problems) = list_worlds(&app.data()?);
    let mut out = app.out();
    if app.settings.json {
        for world in &worlds {
            out.json(&joined(vec![json!({"record": "world"}), json!(world)]));
        }
        for problem in problems.iter() {
            out.json(&joined(vec![json!({"record": "problem"}), json!(problem)]));
        }
        return Ok(());
    }
    let language = app.language;
    if worlds.is_empty() {
        out.line(say!(language, cli_no_worlds));
    } else {
        let heads = [
            say!(language, cli_world),
            say!(language, cli_language),
            say!(language, cli_title),
        ];
        let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
        for world in worlds {
            let title = format!("{}{}{}", world.name, say!(language, cli_colon), world.title);
            table.row([world.folder, world.language.code().into(), title]);
        }
        table.write(&mut out);
    }
    for found in problems.iter() {
        app.err().line(found.in_language(language));
    }
    Ok(())
}
