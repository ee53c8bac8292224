//! `new`: a small world to start from.

use crate::cli::prelude::*;
use std::path::Path;

use crate::rpg::world_file::{WorldKind, new_world};

use super::draft;
use crate::cli::args::NewArgs;

use crate::cli::shell::shell_quoted;

/// Writes a world into a new folder.
pub(super) fn new(app: &App, args: &NewArgs) -> Result<()> {
    let folder: &Path = &args.dir;
    if let Some(from) = &args.from {
        return draft::draft(app, args, from);
    }
    let language = args.world_lang.unwrap_or(app.language);
    let kind = args.kind.or_else(|| asked_kind(app)).unwrap_or_default();
    let path = new_world(folder, kind, language).or_fail(ErrorKind::World)?;
    let shown = path.display().to_string();
    app.tell(
        &Printed::World {
            path: &shown,
            kind,
            language,
        },
        say!(app.language, cli_world_created, path),
    );
    if app.prints_text() {
        let folder = shell_quoted(folder);
        app.out().line(say!(app.language, cli_play_it, folder));
    }
    Ok(())
}

/// The kind that somebody at the terminal chooses; `None` if nobody is there, or leaves it open.
fn asked_kind(app: &App) -> Option<WorldKind> {
    let options = [
        say!(app.language, cli_kind_talk),
        say!(app.language, cli_kind_mystery),
        say!(app.language, cli_kind_journey),
    ];
    let chosen = app.choose(&say!(app.language, cli_which_kind), &options)?;
    WorldKind::ALL.get(chosen).copied()
}
