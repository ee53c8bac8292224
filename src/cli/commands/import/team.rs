//! `import team`: AutoGen's component file as a team file.

use crate::cli::prelude::*;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::{json_in, show};
use crate::cli::loader::print_problems;
use crate::groupchat::read_component;
use crate::groupchat::team::TeamFile;
use crate::interop::cards::Fate;
use crate::rpg::import::Report;

pub(super) fn import(app: &App, file: &Path, into: &Path) -> Result<()> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let read = read_component(&json_in(file)?, &name)
        .map_err(|error| CommandError::of(ErrorKind::Other, &error).at(file.display()))?;
    let path = into.join(format!("{name}.ron"));
    let cant = |error: std::io::Error| {
        let message = text!(cli_cant_write, error = error.to_string());
        CommandError::new(ErrorKind::Other, message).at(path.display())
    };
    fs::create_dir_all(into).map_err(cant)?;
    let mut written = File::create_new(&path).map_err(cant)?;
    written.write_all(read.text.as_bytes()).map_err(cant)?;
    let shown = path.display().to_string();
    let mut report = Report::default();
    report.add(Fate::Taken, &shown, text!(cli_import_team));
    for (path, what) in read.left_out {
        report.add(Fate::Dropped, path, text!(cli_import_named, what));
    }
    show(app, &[report]);
    // What is still missing, such as an end, is the user's to say.
    if let Err(problems) = TeamFile::parse(&shown, &read.text) {
        print_problems(app, &problems);
    }
    Ok(())
}
