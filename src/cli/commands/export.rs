//! `export`: a story as one file.

use std::path::Path;
use std::sync::Arc;

use crate::page::{self, Board};
use serde_json::json;

use super::rehearse::write_page;
use super::{play, watch};
use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::saved::{Saved, session_error};

/// Writes the page of a save into a file, as the host or as one of its characters sees it.
pub(super) fn export(
    app: &App,
    slot: &str,
    file: &Path,
    seat: Option<&str>,
) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let board = Arc::new(Board::new(watch::about(app, &saved, slot)?));
    let read = page::read(&saved.slot, saved.played.game(), None, &board);
    play::runtime()?.block_on(read).map_err(session_error)?;
    let report = page::report(&board, seat, app.language);
    let report = report.map_err(|message| CommandError::new(ErrorKind::Usage, message))?;
    write_page(file, &report)?;
    if app.settings.json {
        let file = file.display().to_string();
        app.out()
            .json(&json!({"record": "export", "slot": slot, "file": file, "bytes": report.len()}));
    }
    Ok(())
}
