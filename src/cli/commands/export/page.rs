//! `export --html`: a story as one file.

use crate::cli::prelude::*;
use std::path::Path;
use std::sync::Arc;

use crate::page::{self, Extras};
use crate::save::names;
use crate::session::Wanted;
use crate::story::StoryView;

use crate::cli::args::ExportArgs;
use crate::cli::commands::rehearse::write_page;
use crate::cli::commands::{sent, told, watch};
use crate::cli::saved::Saved;

/// Writes the page of a save into a file, as the host or as one of its characters sees it; with
/// `calls`, also what was sent for every call.
pub(super) fn export(app: &App, args: &ExportArgs, file: &Path) -> Result<()> {
    let slot = &*args.slot;
    let saved = Saved::as_stored(app, slot)?;
    let view = Arc::new(StoryView::new(watch::about(app, &saved, slot)?));
    let requests = if args.calls {
        sent::find(app, &saved, Wanted::default())?
    } else {
        Vec::new()
    };
    let slots = names(&app.settings.saves.value).unwrap_or_default();
    let slots: Vec<_> = slots.iter().map(ToString::to_string).collect();
    let branches =
        page::branches(&slots, &saved.slot, Some(&saved.story.lines)).or_fail(ErrorKind::Other)?;
    told::fill(&saved, None, &view)?;
    let extras = Extras {
        branches: Some(branches),
        requests,
    };
    let report = page::report(&view, args.seat.as_deref(), app.language, extras)
        .or_fail(ErrorKind::Usage)?;
    // To free a long story piece by piece would only delay the end of the program.
    std::mem::forget(view);
    write_page(file, &report)?;
    if app.settings.json {
        let file = file.display().to_string();
        let bytes = report.len();
        app.out().json(&Printed::Export { slot, file, bytes });
    } else if app.prints_text() {
        app.err()
            .line(say!(app.language, cli_rehearsal_page, path = file));
    }
    Ok(())
}
