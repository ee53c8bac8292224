//! `saves`: what there is to resume.

use std::path::Path;

use playhouse::save::{Listed, list};
use playhouse::undercover::{GAME, Tournament};
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::Failure;
use crate::cli::saved::save_failure;
use crate::cli::tables::{Side, Table};

/// Lists the slots.
pub(super) fn saves(app: &App) -> Result<(), Failure> {
    let root = &app.settings.saves.value;
    let slots = list(root).map_err(save_failure)?;
    let mut out = app.out();
    if app.settings.json {
        let slots: Vec<_> = slots.iter().map(|slot| described(root, slot)).collect();
        out.pretty_json(&slots);
        return Ok(());
    }
    let words = app.words;
    if slots.is_empty() {
        out.line(words.no_saves(&root.display().to_string()));
        return Ok(());
    }
    let mut table = Table::new([
        (words.slot(), Side::Left),
        (words.world(), Side::Left),
        (words.turn_column(), Side::Right),
        (words.bytes(), Side::Right),
        (words.state(), Side::Left),
    ]);
    for listed in &slots {
        let name = listed.slot.name().to_string();
        let size = listed.size.to_string();
        table.row(match &listed.head {
            Ok(Some(head)) => {
                let state = match head.finale {
                    Some(_) => words.is_over(),
                    None => words.goes_on(),
                };
                let turn = head.turn.to_string();
                [name, head.world.clone(), turn, size, state]
            }
            Ok(None) if Tournament::is_in(root, &name) => {
                let state = tournament_state(app, &name);
                [name, GAME.into(), "-".into(), size, state]
            }
            Ok(None) => {
                let state = words.not_whole(&name);
                [name, "-".into(), "-".into(), size, state]
            }
            Err(error) => {
                let state = words.error_text(&error.to_string());
                [name, "-".into(), "-".into(), size, state]
            }
        });
    }
    table.write(&mut out);
    Ok(())
}

/// How many games a tournament has.
fn tournament_state(app: &App, name: &str) -> String {
    let words = app.words;
    let data = app.data().map_err(|failure| failure.what.to_string());
    let found = data.and_then(|data| {
        let found = Tournament::find(&app.settings.saves.value, name, &data);
        found.map_err(|error| error.to_string())
    });
    match found {
        Ok(tournament) => words.tournament_of(tournament.games()),
        Err(why) => words.error_text(&why),
    }
}

fn described(root: &Path, listed: &Listed) -> Value {
    let (head, error) = match &listed.head {
        Ok(head) => (head.as_ref(), None),
        Err(error) => (None, Some(error.to_string())),
    };
    json!({
        "slot": listed.slot.name().as_str(),
        "is_tournament": Tournament::is_in(root, listed.slot.name().as_str()),
        "head": head,
        "bytes": listed.size,
        "error": error,
    })
}
