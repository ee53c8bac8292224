//! Lets a person at the terminal take back an answer: the story continues in a branch.

use crate::cli::prelude::*;
use crate::mind::human;
use crate::session::{self, Retaken};

use super::play;
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Saved, free_name};
use crate::cli::slot_settings;

/// Branches before the last answer of the person at the seat. Returns the new slot, or the old one
/// if there is nothing to take back.
pub(super) fn undo(app: &App, slot: &str) -> Result<String> {
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
            let purpose = last.outcome.purpose.clone();
            let branched = session::retake(root, &saved.slot, &name, saved.played.game(), last);
            let branch = play::runtime()?.block_on(branched)?;
            slot_settings::copy_trust(app, &saved.slot, &branch)?;
            let what = purpose_label(&purpose);
            let text = say!(
                app.language,
                cli_seat_undone,
                what,
                slot = &name,
                old = slot
            );
            (name, text)
        }
    };
    if !app.settings.quiet {
        app.err().paragraph(&Paragraph::default().plain(text));
    }
    Ok(name)
}
