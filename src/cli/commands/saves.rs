//! `saves`: the saves that can be resumed.

use std::path::Path;

use crate::locale::{Localize, text};
use crate::save::{Listed, list};
use crate::undercover::{GAME, Tournament};
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::saved::save_error;
use crate::cli::say::say;
use crate::cli::tables::{Side, Table};

/// Lists the saves.
pub(super) fn saves(app: &App) -> Result<(), CommandError> {
    let root = &app.settings.saves.value;
    let slots = list(root).map_err(save_error)?;
    let mut out = app.out();
    if app.settings.json {
        let slots: Vec<_> = slots.iter().map(|slot| described(root, slot)).collect();
        out.pretty_json(&slots);
        return Ok(());
    }
    let language = app.language;
    if slots.is_empty() {
        out.line(say!(language, cli_no_saves, path = root));
        return Ok(());
    }
    let mut table = Table::new([
        (say!(language, cli_name), Side::Left),
        (say!(language, cli_world), Side::Left),
        (say!(language, cli_turn), Side::Right),
        (say!(language, cli_bytes), Side::Right),
        (say!(language, cli_state), Side::Left),
    ]);
    for listed in &slots {
        let name = listed.slot.name().to_string();
        let size = listed.size.to_string();
        table.row(match &listed.head {
            Ok(Some(head)) => {
                let state = if head.finale.is_some() {
                    text!(cli_finished)
                } else {
                    text!(cli_in_progress)
                };
                let (world, turn) = (head.world.clone(), head.turn.to_string());
                [name, world, turn, size, state.in_language(language)]
            }
            Ok(None) if Tournament::exists(root, &name) => {
                let state = tournament_state(app, &name);
                [name, GAME.into(), "-".into(), size, state]
            }
            Ok(None) => {
                let state = say!(language, cli_save_incomplete, slot = &name);
                [name, "-".into(), "-".into(), size, state]
            }
            Err(error) => {
                let state = error.text().in_language(language);
                [name, "-".into(), "-".into(), size, state]
            }
        });
    }
    table.write(&mut out);
    Ok(())
}

/// The state of a tournament.
fn tournament_state(app: &App, name: &str) -> String {
    let found = app.data().map(|data| {
        let found = Tournament::find(&app.settings.saves.value, name, &data);
        found.map_err(|error| error.text().in_language(app.language))
    });
    match found {
        Ok(Ok(tournament)) => say!(app.language, cli_tournament, games = tournament.games()),
        Ok(Err(error)) => error,
        Err(error) => error.message.unwrap_or_default().in_language(app.language),
    }
}

fn described(root: &Path, listed: &Listed) -> Value {
    let (head, error) = match &listed.head {
        Ok(head) => (head.as_ref(), None),
        Err(error) => (None, Some(error.to_string())),
    };
    json!({
        "slot": listed.slot.name().as_str(),
        "is_tournament": Tournament::exists(root, listed.slot.name().as_str()),
        "head": head,
        "bytes": listed.size,
        "error": error,
    })
}
