//! What happened in a save, for the commands that show it.

use crate::cli::prelude::*;
use std::sync::Arc;

use super::play;
use crate::cli::event_types;
use crate::cli::saved::{Saved, StoryView};
use crate::session::EventLog;
use crate::story::{self, About};

/// The story of a save with its events, until a turn or its end.
pub(super) fn read(saved: &Saved, until: Option<u64>) -> Result<Arc<StoryView>> {
    let view = Arc::new(StoryView::new(About {
        events: event_types(),
        ..About::default()
    }));
    view.expect(&saved.world(true)?.world);
    fill(saved, until, &view)?;
    Ok(view)
}

/// Fills a view with the events of a save, until a turn or its end.
pub(super) fn fill(saved: &Saved, until: Option<u64>, view: &Arc<StoryView>) -> Result<()> {
    let log = EventLog::of(&saved.slot, &saved.story)?;
    if log.is_none() {
        // What can't be resumed is not played through either.
        saved.world(true)?;
    }
    let (story, game) = (saved.story.clone(), saved.played.game());
    let read = story::read(&saved.slot, (story, log), game, until, view, |_| {});
    play::runtime()?.block_on(read).map_err(CommandError::from)
}
