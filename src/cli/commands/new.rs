//! `new`: a small world to start from.

use std::path::Path;

use crate::locale::Language;
use crate::rpg::world_file::new_world;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::args::LanguageArg;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::say::say;
use crate::cli::shell::shell_quoted;

/// Writes a world into a new folder.
pub(super) fn new(
    app: &App,
    folder: &Path,
    language: Option<LanguageArg>,
) -> Result<(), CommandError> {
    let language = language.map_or(app.language, Language::from);
    let path = new_world(folder, language);
    let path = path.map_err(|error| CommandError::of(ErrorKind::World, &error))?;
    let mut out = app.out();
    if app.settings.json {
        out.json(
            &json!({"record": "world", "path": path.display().to_string(), "language": language}),
        );
    } else if !app.settings.quiet {
        out.line(say!(app.language, cli_world_created, path));
        let folder = shell_quoted(folder);
        out.line(say!(app.language, cli_play_it, folder));
    }
    Ok(())
}
