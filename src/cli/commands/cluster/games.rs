//! Batches whose games workers play.

use std::thread::sleep;
use std::time::Duration;

use super::worlds::begun;
use super::{build, store};
use crate::cli::commands::play;
use crate::cli::prelude::*;
use crate::cluster::{self, Phase, Store};
use crate::save::{PackedSlot, Slot, SlotName};
use crate::session::{Batch, Game};

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(500);

/// Lets the workers of a store, if one is named, play the games of a batch that are not here yet,
/// and waits for them. Their slots are as if they had been played here, so the figures are the same
/// to the letter.
pub(in crate::cli::commands) fn play_games(
    app: &App,
    address: Option<&String>,
    batch: &Batch,
    game: &dyn Game,
) -> Result<()> {
    if address.is_none() {
        return Ok(());
    }
    let store = store(address)?;
    let slot = Slot::find(&app.settings.saves.value, batch.name().as_str())?;
    let settings = slot.read_settings()?.unwrap_or_default();
    let games = (0..batch.plan().games).filter(|number| batch.slot(*number).is_none());
    let begin = |number| {
        let world = format!("{}-{}", batch.name(), Batch::slot_name(number)).parse()?;
        let story = begun(app, game, &world, batch.seed(number), &settings)?;
        Ok((world, story))
    };
    let games: Vec<_> = games.collect();
    let runs = games.len() as u32;
    submit_and_take(app, &*store, games, runs, begin, |number, world| {
        let story = cluster::stored(&*store, world)?;
        Slot::unpack(&batch.games_folder(), &Batch::slot_name(number), &story)?;
        Ok(())
    })
}

/// Submits worlds with these numbers, which have so many runs together, waits until they are over,
/// and takes each of them out of the store, also what an earlier run of this command left there.
pub(super) fn submit_and_take(
    app: &App,
    store: &dyn Store,
    numbers: Vec<u32>,
    runs: u32,
    begin: impl Fn(u32) -> Result<(SlotName, PackedSlot)>,
    mut take: impl FnMut(u32, &SlotName) -> Result<()>,
) -> Result<()> {
    let build = build();
    let submit = |number| -> Result<_> {
        let (world, story) = begin(number)?;
        match cluster::world_state(store, &world)? {
            None => cluster::submit(store, &world, story, None, &build, [])?,
            // An earlier run of this command did it, if it begins the same.
            Some(_) => store.create(&world, &story.journal)?,
        }
        Ok((number, world))
    };
    let open: Result<Vec<_>> = numbers.into_iter().map(submit).collect();
    let mut open = open?;
    let all = open.len();
    while !open.is_empty() {
        let mut rest = Vec::new();
        for (number, world) in open {
            let Some(state) = cluster::world_state(store, &world)? else {
                // Somebody else asked for the same, and has taken it.
                rest.push(submit(number)?);
                continue;
            };
            if state.phase == Phase::Ended {
                take(number, &world)?;
                cluster::remove(store, &world)?;
            } else if state.phase.is_open() {
                rest.push((number, world));
            } else {
                let (world, phase, turn) = (world.as_str(), state.phase.text(), state.turn);
                let left = text!(cli_worker_left_why, world, phase, turn, note = state.note);
                return Err(CommandError::new(ErrorKind::Save, left));
            }
        }
        open = rest;
        let done = u64::from(runs) * (all - open.len()) as u64 / all as u64;
        let text = say!(app.language, cli_runs_played, done, all = runs);
        play::show_progress(app, done as u32, runs, &text);
        if !open.is_empty() {
            sleep(LOOK);
        }
    }
    app.status.hide();
    Ok(())
}
