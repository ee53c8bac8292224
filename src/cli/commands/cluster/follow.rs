//! `follow`: a story is told while a worker plays it, whichever that is.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::store;
use super::worlds::state;
use crate::cast::turn_number;
use crate::cli::args::OfStoreArgs;
use crate::cli::commands::play::{self, RunView};
use crate::cli::commands::replay::show_from;
use crate::cli::prelude::*;
use crate::cli::saved::{Played, Saved};
use crate::cluster::{Position, Store};
use crate::save::{PackedSlot, Slot, SlotName};
use crate::session::replay_with;

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(300);

/// Tells what happens in a world until it is not played any more.
pub(in crate::cli) fn follow(app: &App, args: &OfStoreArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    let world: SlotName = args.id.parse()?;
    let root = app
        .settings
        .saves
        .value
        .join(format!(".follow-{}", std::process::id()));
    let told = tell_all(app, &*store, &world, &root);
    let _ = fs::remove_dir_all(&root);
    told
}

fn tell_all(app: &App, store: &dyn Store, world: &SlotName, root: &Path) -> Result<()> {
    let (mut journal, mut at, mut told) = (Vec::new(), Position::default(), 0);
    loop {
        // The state first, so that nothing comes after the last look.
        let state = state(store, world)?;
        let (more, now) = store.read(world, at)?;
        if !more.is_empty() {
            journal.extend_from_slice(&more);
            at = now;
            told = tell_more(app, world, &journal, root, told)?;
        }
        if !state.phase.is_open() {
            if app.prints_text() {
                let (world, phase, turn) = (world.as_str(), state.phase.text(), state.turn);
                let mut err = app.err();
                err.line(say!(app.language, cli_worker_left, world, phase, turn));
            }
            return Ok(());
        }
        sleep(LOOK);
    }
}

/// Tells the whole turns of a journal after one. Returns the last.
fn tell_more(app: &App, world: &SlotName, journal: &[u8], root: &Path, told: u64) -> Result<u64> {
    let mut app = app.clone();
    app.settings.saves.value = root.to_owned();
    let _ = fs::remove_dir_all(root);
    let files = PackedSlot {
        journal: journal.to_vec(),
        ..PackedSlot::default()
    };
    Slot::unpack(root, world.as_str(), &files)?;
    let saved = Saved::as_stored(&app, world.as_str())?;
    let last = saved.story.last_turn();
    let Played::World(campaign) = &saved.played else {
        return Err(CommandError::usage(text!(cli_not_on_workers)));
    };
    if last == told {
        return Ok(told);
    }
    if told == 0 {
        play::introduce_world(&app, &campaign.file, None);
    }
    let mut view = None;
    let replay = replay_with(&saved.slot, &**campaign, Some(last), |engine| {
        view = Some(RunView::new(&app, engine, campaign.file.language, None));
        show_from(&app, engine, turn_number(told));
    });
    play::runtime()?.block_on(replay)?;
    view.iter().for_each(RunView::finish);
    Ok(last)
}
