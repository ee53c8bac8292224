//! `data`: the built-in data in a folder, to be edited.

use crate::cli::prelude::*;
use std::fs;
use std::path::Path;

use crate::world_data::DataFolder;

use super::rehearse::write_file;

/// Writes the built-in data into a folder. Unless forced, no file changes that is there already.
pub(super) fn export(app: &App, folder: &Path, force: bool) -> Result<()> {
    let data = DataFolder::embedded();
    let unreadable = |error| CommandError::of(ErrorKind::World, &error);
    let mut new = Vec::new();
    for path in data.files("").map_err(unreadable)? {
        let content = data.read(&path).map_err(unreadable)?;
        let file = folder.join(&path);
        let is_same = match fs::read(&file) {
            Ok(there) => there == content,
            Err(_) => false,
        };
        if is_same {
            continue;
        }
        if !force && file.symlink_metadata().is_ok() {
            let error = CommandError::usage(text!(cli_data_differs)).at(file.display());
            return Err(error.help(text!(cli_data_differs_help)));
        }
        new.push((file, content));
    }
    // Nothing is written before all is known to be free.
    for (file, content) in &new {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| CommandError::of(ErrorKind::Other, &error).at(folder.display()))?;
        }
        write_file(file, content)?;
    }
    let (count, folder) = (new.len(), folder.display().to_string());
    app.tell(
        &Printed::Data {
            folder: &folder,
            written: count,
        },
        say!(app.language, cli_data_exported, count, folder = &folder),
    );
    Ok(())
}
