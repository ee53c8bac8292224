//! Lets a person at the terminal take back an answer: the story continues in a branch.

use std::sync::Arc;

use crate::engine::Engine;
use crate::mind::human;
use crate::session::{self, Retaken};

use super::{play, resume};
use crate::cli::app::App;
use crate::cli::args::{ChatArgs, PlayArgs};
use crate::cli::error::CommandError;
use crate::cli::saved::{Saved, free_name, session_error};
use crate::cli::say::say;
use crate::cli::seat::TerminalSeat;
use crate::cli::slot_settings;

/// Lets whoever plays at the terminal look up what its character knows.
pub(super) fn watch(seat: Option<&Arc<TerminalSeat>>, engine: &mut Engine) {
    if let Some(seat) = seat {
        TerminalSeat::watch(std::slice::from_ref(seat), engine);
    }
}

/// Whether the person left the run to take something back.
pub(super) fn is_wanted(seat: Option<&Arc<TerminalSeat>>) -> bool {
    seat.is_some_and(|seat| seat.wants_undo())
}

/// Goes on before the last answer of the person at the seat, in a new slot; the old one stays.
pub(super) fn undo(app: &App, slot: &str, args: &PlayArgs) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let actor = app.settings.seat.value.as_deref().unwrap_or_default();
    let last = Retaken::last_of(&saved.story.lines, actor, human::ALIAS);
    let (name, text) = match last {
        None => (
            slot.to_owned(),
            say!(app.language, cli_seat_nothing_to_undo),
        ),
        Some(last) => {
            let root = &app.settings.saves.value;
            let name = free_name(root, slot);
            let game = saved.played.game();
            let branched = session::retake(root, &saved.slot, &name, game, last);
            let branch = play::runtime()?.block_on(branched).map_err(session_error)?;
            slot_settings::copy(app, &saved.slot, &branch)?;
            let text = say!(app.language, cli_seat_undone, slot = &name, old = slot);
            (name, text)
        }
    };
    if !app.settings.quiet {
        app.err().line(text);
    }
    let args = ChatArgs {
        play: args.clone(),
        ..ChatArgs::default()
    };
    // Recursive: the branch is played like any save, and may be taken back, too.
    resume::resume(app, &name, &args, false)
}
