//! Batches whose games workers play.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;

use super::worlds::{begun, state};
use super::{build, store};
use crate::cli::commands::play;
use crate::cli::prelude::*;
use crate::cli::slot_settings;
use crate::cluster::{self, Phase, Position, Store, StoreError};
use crate::save::{PackedSlot, Slot, SlotName};
use crate::session::{Batch, Game};

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(500);

/// Lets the workers of a store, if one is named, play the games of a batch, and waits for them.
/// Their slots are as if they had been played here, so the figures are the same to the letter.
pub(in crate::cli::commands) fn play_games(
    app: &App,
    address: Option<&String>,
    batch: &Batch,
    game: &dyn Game,
    player_models: BTreeSet<String>,
) -> Result<()> {
    if address.is_none() {
        return Ok(());
    }
    let store = store(address)?;
    let settings = slot_settings::text(app, player_models);
    let games = (0..batch.plan().games).map(|number| {
        let world = format!("{}-{}", batch.name(), Batch::slot_name(number));
        let world: SlotName = world.parse()?;
        let story = begun(app, game, &world, batch.seed(number), &settings)?;
        Ok((world, story))
    });
    submit_and_wait(app, &*store, batch.plan().games, games, |number, world| {
        let story = cluster::stored(&*store, world)?;
        Slot::unpack(
            &batch.games_folder(),
            &Batch::slot_name(number as u32),
            &story,
        )?;
        Ok(())
    })
}

/// Submits worlds that have this many runs together, waits until they are over, and takes each of
/// them, by its number.
pub(super) fn submit_and_wait(
    app: &App,
    store: &dyn Store,
    runs: u32,
    worlds: impl Iterator<Item = Result<(SlotName, PackedSlot)>>,
    mut take: impl FnMut(usize, &SlotName) -> Result<()>,
) -> Result<()> {
    let (mut open, build) = (Vec::new(), build());
    for (number, world) in worlds.enumerate() {
        let (world, story) = world?;
        let begun = story.journal.clone();
        match cluster::submit(store, &world, story, None, &build, []) {
            // An earlier run of this command did it.
            Err(StoreError::Exists { .. })
                if store
                    .read(&world, Position::default())?
                    .0
                    .starts_with(&begun) => {}
            submitted => submitted?,
        }
        open.push((number, world));
    }
    let all = open.len();
    while !open.is_empty() {
        let mut rest = Vec::new();
        for (number, world) in open {
            let state = state(store, &world)?;
            if state.phase == Phase::Ended {
                take(number, &world)?;
            } else if state.phase.is_open() {
                rest.push((number, world));
            } else {
                let (world, phase, turn) = (world.as_str(), state.phase.text(), state.turn);
                let left = text!(cli_worker_left_why, world, phase, turn, note = state.note);
                return Err(CommandError::new(ErrorKind::Save, left));
            }
        }
        open = rest;
        let played = u64::from(runs) * (all - open.len()) as u64 / all as u64;
        let text = say!(app.language, cli_runs_played, done = played, all = runs);
        play::show_progress(app, played as u32, runs, &text);
        if !open.is_empty() {
            sleep(LOOK);
        }
    }
    app.status.hide();
    Ok(())
}
