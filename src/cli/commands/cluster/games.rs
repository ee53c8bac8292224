//! Batches whose games workers play.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;

use super::worlds::{begun, state};
use super::{build, store};
use crate::cli::commands::play;
use crate::cli::prelude::*;
use crate::cli::slot_settings;
use crate::cluster::{self, Phase, StoreError};
use crate::save::{Slot, SlotName};
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
    let (settings, build) = (slot_settings::text(app, player_models), build());
    let all = batch.plan().games;
    let mut open = Vec::new();
    for number in 0..all {
        let world = format!("{}-{}", batch.name(), Batch::slot_name(number));
        let world: SlotName = world.parse()?;
        let story = begun(app, game, &world, batch.seed(number), &settings)?;
        match cluster::submit(&*store, &world, story, None, &build) {
            // An earlier run of this command did it.
            Err(StoreError::Exists { .. }) => {}
            submitted => submitted?,
        }
        open.push((number, world));
    }
    while !open.is_empty() {
        sleep(LOOK);
        let mut rest = Vec::new();
        for (number, world) in open {
            let state = state(&*store, &world)?;
            if state.phase == Phase::Ended {
                let story = cluster::stored(&*store, &world)?;
                Slot::unpack(&batch.games_folder(), &Batch::slot_name(number), &story)?;
            } else if state.phase.is_open() {
                rest.push((number, world));
            } else {
                let (world, phase, turn) = (world.as_str(), state.phase.text(), state.turn);
                let left = text!(cli_worker_left_why, world, phase, turn, note = state.note);
                return Err(CommandError::new(ErrorKind::Save, left));
            }
        }
        open = rest;
        let done = all - open.len() as u32;
        play::show_progress(
            app,
            done,
            all,
            &say!(app.language, cli_runs_played, done, all),
        );
    }
    Ok(())
}
