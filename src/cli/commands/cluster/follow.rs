//! `follow`: a story is told while a worker plays it, whichever that is.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::worlds::state;
use super::{scratch, store};
use crate::cli::args::OfStoreArgs;
use crate::cli::commands::play::{self, RunView};
use crate::cli::commands::replay;
use crate::cli::prelude::*;
use crate::cli::saved::Saved;
use crate::cluster::{Store, WorldLead};
use crate::save::SlotName;
use crate::session::play_again;

/// Tells what happens in a world until it is not played any more.
pub(in crate::cli) fn follow(app: &App, args: &OfStoreArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    let world: SlotName = args.id.parse()?;
    let root = scratch(app, "follow");
    let told = tell_all(app, &store, &world, &root);
    let _ = fs::remove_dir_all(&root);
    told?;
    if app.prints_text() {
        let state = state(&*store, &world)?;
        let (world, phase, turn) = (world.as_str(), state.phase.text(), state.turn);
        let mut err = app.err();
        err.line(say!(app.language, cli_worker_left, world, phase, turn));
    }
    Ok(())
}

fn tell_all(app: &App, store: &Arc<dyn Store>, world: &SlotName, root: &Path) -> Result<()> {
    let lead = WorldLead::of(store.clone(), world, root)?;
    let mut own = app.clone();
    own.settings.saves.value = root.to_owned();
    let saved = Saved::as_stored(&own, world.as_str())?;
    let Saved { played, story, .. } = saved;
    replay::introduce_story(app, &played);
    let (mut view, runtime) = (None, play::runtime()?);
    let told = play_again(story, played.game(), None, |engine| {
        engine.follow(Box::new(lead));
        play::stop_by_signals(app, &runtime, engine.cancellation_token());
        view = Some(replay::view(app, &played, engine));
    });
    runtime.block_on(told)?;
    view.iter().for_each(RunView::finish);
    Ok(())
}
