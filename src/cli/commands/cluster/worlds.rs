//! `submit`, `status` and `cancel`: the worlds of a store.

use super::{build, scratch, store};
use crate::cli::args::{BranchArgs, CancelArgs, StatusArgs, SubmitArgs};
use crate::cli::commands::{branch, play};
use crate::cli::prelude::*;
use crate::cli::{loader, slot_settings};
use crate::cluster::{self, Store, StoreError, WorldState};
use crate::mind::{Cost, Minds};
use crate::save::{PackedSlot, Slot, SlotName};
use crate::session::{Game, Session};
use std::fs;
use std::sync::Arc;

/// Puts new stories of a world into a store, or lets one go on.
pub(in crate::cli) fn submit(app: &App, args: &SubmitArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    if let Some(world) = &args.resume {
        let world = world.parse()?;
        cluster::go_on(&*store, &world, args.until)?;
        tell(app, &world);
        return Ok(());
    }
    let name = args.world.as_ref().unwrap_or(&app.settings.world.value);
    let campaign = loader::world(app, name)?;
    let first = play::seed(app, args.seed)?;
    let mut setup = campaign.new_game(first).or_fail(ErrorKind::World)?;
    for name in &args.seat {
        loader::actor(&mut setup.world, name)?;
    }
    let models = loader::asked_models(app, campaign.file.models());
    let (settings, build) = (slot_settings::text(app, models).into_bytes(), build());
    for number in 0..args.count {
        let seed = first.wrapping_add(number.into());
        let world = match &args.id {
            Some(id) if args.count == 1 => id.clone(),
            Some(id) => format!("{id}-{seed}"),
            None => format!("{}-{seed}", campaign.folder),
        };
        let world: SlotName = world.parse()?;
        let story = begun(app, &campaign, &world, seed, &settings)?;
        let seats = args.seat.iter().cloned();
        cluster::submit(&*store, &world, story, args.until, &build, seats)?;
        tell(app, &world);
    }
    Ok(())
}

/// A new story, as its slot would be.
pub(super) fn begun(
    app: &App,
    game: &dyn Game,
    world: &SlotName,
    seed: u64,
    settings: &[u8],
) -> Result<PackedSlot> {
    let root = scratch(app, "submit");
    // Nobody is asked here.
    let minds = Minds::all(Arc::new(loader::improviser(app)?));
    let name = world.as_str();
    let session = Session::start_with(&root, name, game, seed, minds, Some(settings));
    let story = session
        .map_err(CommandError::from)
        .and_then(|session| session.slot().pack().map_err(CommandError::from));
    let _ = fs::remove_dir_all(root);
    story
}

/// Puts a branch of a world into its store.
pub(in crate::cli) fn branch(app: &App, args: &BranchArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    let root = scratch(app, "branch");
    let mut own = app.clone();
    own.settings.saves.value.clone_from(&root);
    let begin = || {
        Slot::unpack(
            &root,
            &args.slot,
            &cluster::stored(&*store, &args.slot.parse()?)?,
        )?;
        let begun = branch::begin(&own, args)?;
        let packed = begun.map(|(slot, _)| Ok((slot.name().clone(), slot.pack()?)));
        packed.transpose()
    };
    let begun: Result<_> = begin();
    let _ = fs::remove_dir_all(root);
    if let Some((world, story)) = begun? {
        cluster::submit(&*store, &world, story, None, &build(), [])?;
        tell(app, &world);
    }
    Ok(())
}

fn tell(app: &App, world: &SlotName) {
    let world = world.as_str();
    let record = Printed::Submitted { world };
    app.tell(&record, say!(app.language, cli_submitted, world));
}

/// Shows the worlds of a store.
pub(in crate::cli) fn status(app: &App, args: &StatusArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    let rows = match &args.id {
        None => cluster::states(&*store)?,
        Some(world) => {
            let world = world.parse()?;
            let state = state(&*store, &world)?;
            vec![(world, state)]
        }
    };
    let language = app.language;
    if rows.is_empty() && !app.settings.json {
        app.out().line(say!(language, cli_no_submitted));
        return Ok(());
    }
    let columns = columns!(language, < cli_world, < cli_state, > cli_turn, > cli_calls, > cli_cost,
                           < cli_worker, < cli_note);
    let json = |(world, state): &(SlotName, WorldState)| {
        let world = world.as_str();
        json!(Printed::Played { world, state })
    };
    app.list(columns, rows, json, |(world, state)| {
        let phase = state.phase.text().in_language(language);
        let turn = state.turn.to_string();
        let (calls, cost) = (state.spent.calls.to_string(), Cost(state.spent.cost));
        let cost = cost.to_string();
        [
            world.to_string(),
            phase,
            turn,
            calls,
            cost,
            state.worker,
            state.note,
        ]
    });
    Ok(())
}

pub(super) fn state(store: &dyn Store, world: &SlotName) -> Result<WorldState> {
    let state = cluster::world_state(store, world)?;
    let world = world.to_string();
    Ok(state.ok_or(StoreError::Missing { world })?)
}

/// Stops a world of a store, or removes it.
pub(in crate::cli) fn cancel(app: &App, args: &CancelArgs) -> Result<()> {
    let (store, id) = (store(args.of.store.store.as_ref())?, args.of.id.parse()?);
    let world = args.of.id.as_str();
    let line = if args.remove {
        cluster::remove(&*store, &id)?;
        text!(cli_removed_world, world)
    } else {
        cluster::cancel(&*store, &id)?;
        // One that is over stays so.
        let WorldState { phase, turn, .. } = state(&*store, &id)?;
        text!(cli_worker_left, world, phase = phase.text(), turn)
    };
    let record = Printed::Cancelled { world };
    app.tell(&record, line.in_language(app.language));
    Ok(())
}
