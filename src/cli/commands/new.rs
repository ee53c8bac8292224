//! `new`: a small world to start from.

use crate::cli::prelude::*;
use std::path::Path;

use crate::rpg::world_file::new_world;

use crate::cli::shell::shell_quoted;

/// Writes a world into a new folder.
pub(super) fn new(app: &App, folder: &Path, language: Option<Language>) -> Result<()> {
    let language = language.unwrap_or(app.language);
    let path = new_world(folder, language).or_fail(ErrorKind::World)?;
    let shown = path.display().to_string();
    app.tell(
        &json!({"record": "world", "path": shown, "language": language}),
        say!(app.language, cli_world_created, path),
    );
    if app.prints_text() {
        let folder = shell_quoted(folder);
        app.out().line(say!(app.language, cli_play_it, folder));
    }
    Ok(())
}
