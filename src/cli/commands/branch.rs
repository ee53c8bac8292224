//! `branch`: a new slot from a turn of an old one.

use playhouse::session;
use serde_json::json;

use super::play;
use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::saved::{Saved, session_error};
use crate::cli::say::say;

/// Starts the slot `new` from a turn of the slot `old`.
pub(super) fn branch(app: &App, old: &str, new: &str, turn: u64) -> Result<(), CommandError> {
    let saved = Saved::find(app, old)?;
    let root = &app.settings.saves.value;
    let runtime = play::runtime()?;
    let branched = session::branch(root, &saved.slot, new, saved.played.game(), turn);
    let slot = runtime.block_on(branched).map_err(session_error)?;
    let mut out = app.out();
    if app.settings.json {
        out.json(&json!({"slot": slot.name().as_str(), "turn": turn}));
    } else if !app.settings.quiet {
        out.line(say!(app.language, cli_branched, slot = new, turn));
        out.line(say!(app.language, cli_continue_with, slot = new));
    }
    Ok(())
}
