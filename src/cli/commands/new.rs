//! `new`: a small world to start from.

use std::path::Path;

use playhouse::mind::Language;
use playhouse::rpg::world_file::new_world;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::args::Tongue;
use crate::cli::error::{Failure, Fault};

/// Writes a world into a new folder.
pub(super) fn new(app: &App, folder: &Path, tongue: Option<Tongue>) -> Result<(), Failure> {
    let language = tongue.map_or(app.settings.language.value, Language::from);
    let path = new_world(folder, language).map_err(|error| Failure::new(Fault::World, error))?;
    let mut out = app.out();
    if app.settings.json {
        out.json(&json!({"path": path.display().to_string(), "language": language}));
    } else if !app.settings.quiet {
        out.line(app.words.world_made(&path.display().to_string()));
        let command = format!("playhouse run {}", folder.display());
        out.line(app.words.play_it(&command));
    }
    Ok(())
}
