//! `resume`: a save goes on.

use bevy_ecs::prelude::*;
use playhouse::cast::WorldTurn;
use playhouse::session::Session;
use playhouse::undercover::Tournament;

use super::chat;
use super::dry_run::rehearse;
use super::play::{self, Show};
use super::{tournament, undercover};
use crate::cli::app::App;
use crate::cli::args::{ChatArgs, PlayArgs};
use crate::cli::error::{Failure, Fault};
use crate::cli::loader;
use crate::cli::saved::{Played, Saved, session_failure};

/// Takes a story up where it stopped.
pub(super) fn resume(app: &App, slot: &str, talk: &ChatArgs, force: bool) -> Result<(), Failure> {
    let args = &talk.play;
    if Tournament::exists(&app.settings.saves.value, slot) {
        return tournament::go_on(app, slot, args);
    }
    let saved = Saved::find(app, slot)?;
    let production = match &saved.played {
        Played::World(production) => production,
        Played::Team(game) => return chat::go_on(app, game, slot, talk, force),
        Played::Undercover(game) => return undercover::go_on(app, &saved, game, args, force),
    };
    let mut setup = saved.world(force)?;
    check_turn(app, &setup.world, args, slot)?;
    let lead = loader::lead(app, &app.settings.model.value)?;
    play::check_price(app, lead.mind.info())?;
    let seat = play::seat(app, &mut setup.world, args.seat.as_deref())?;
    if args.dry_run {
        let (head, recording) = saved.journal()?;
        let head = head.ok_or_else(|| Failure::new(Fault::Save, app.words.not_whole(slot)))?;
        return rehearse(app, setup, lead.mind.info(), head, recording);
    }
    let minds = loader::minds(app, lead.mind, &mut setup.world)?;
    let minds = play::seated(app, minds, args.seat.as_deref());
    drop(setup);
    let root = &app.settings.saves.value;
    let session = Session::resume(root, slot, &**production, minds, force);
    let mut session = session.map_err(session_failure)?;
    play::prepare(app, &mut session.engine);
    let runtime = play::runtime()?;
    let servers = runtime.block_on(loader::equip(app, &mut session.engine))?;
    let file = &production.file;
    play::open(app, file, lead.introduction.as_deref());
    let show = Show::of(app, &mut session.engine, file.language, seat);
    let stop = show.play(runtime, &mut session.engine, servers, args.until)?;
    show.close(&session.engine, &stop, Some(slot))
}

/// Refuses to play up to a turn that is over.
pub(super) fn check_turn(
    app: &App,
    world: &World,
    args: &PlayArgs,
    slot: &str,
) -> Result<(), Failure> {
    let turn = world.resource::<WorldTurn>().0;
    match args.until.filter(|until| *until < turn) {
        Some(until) => {
            let what = app.words.turn_behind(until, turn);
            Err(Failure::new(Fault::Usage, what).at(slot))
        }
        None => Ok(()),
    }
}
