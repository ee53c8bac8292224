//! `resume`: a save goes on.

use bevy_ecs::prelude::*;
use playhouse::cast::WorldTurn;
use playhouse::session::Session;
use playhouse::undercover::Tournament;

use super::chat;
use super::play::{self, Show};
use super::rehearse::rehearse;
use super::{tournament, undercover};
use crate::cli::args::{ChatArgs, PlayArgs};
use crate::cli::desk::Desk;
use crate::cli::error::{Failure, Fault};
use crate::cli::saved::{Played, Saved, session_failure};
use crate::cli::theatre;

/// Takes a story up where it stopped.
pub(super) fn resume(desk: &Desk, slot: &str, talk: &ChatArgs, force: bool) -> Result<(), Failure> {
    let args = &talk.play;
    if Tournament::is_in(&desk.settings.saves.value, slot) {
        return tournament::go_on(desk, slot, args);
    }
    let saved = Saved::find(desk, slot)?;
    let production = match &saved.played {
        Played::World(production) => production,
        Played::Team(game) => return chat::go_on(desk, game, slot, talk, force),
        Played::Undercover(game) => return undercover::go_on(desk, &saved, game, args, force),
    };
    let mut setup = saved.world(force)?;
    check_turn(desk, &setup.world, args, slot)?;
    let lead = theatre::lead(desk, &desk.settings.model.value)?;
    play::check_price(desk, lead.mind.info())?;
    let seat = play::seat(desk, &mut setup.world, args.seat.as_deref())?;
    if args.dry_run {
        let (head, recording) = saved.journal()?;
        let head = head.ok_or_else(|| Failure::new(Fault::Save, desk.words.not_whole(slot)))?;
        return rehearse(desk, setup, lead.mind.info(), head, recording);
    }
    let minds = theatre::minds(desk, lead.mind, &mut setup.world)?;
    let minds = play::seated(desk, minds, args.seat.as_deref());
    drop(setup);
    let root = &desk.settings.saves.value;
    let session = Session::resume(root, slot, &**production, minds, force);
    let mut session = session.map_err(session_failure)?;
    play::prepare(desk, &mut session.engine);
    let runtime = play::runtime()?;
    let servers = runtime.block_on(theatre::equip(desk, &mut session.engine))?;
    let file = &production.file;
    play::open(desk, file, lead.introduction.as_deref());
    let show = Show::of(desk, &mut session.engine, file.language, seat);
    let stop = show.play(runtime, &mut session.engine, servers, args.until)?;
    show.close(&session.engine, &stop, Some(slot))
}

/// Refuses to play up to a turn that is over.
pub(super) fn check_turn(
    desk: &Desk,
    world: &World,
    args: &PlayArgs,
    slot: &str,
) -> Result<(), Failure> {
    let turn = world.resource::<WorldTurn>().0;
    match args.until.filter(|until| *until < turn) {
        Some(until) => {
            let what = desk.words.turn_behind(until, turn);
            Err(Failure::new(Fault::Usage, what).at(slot))
        }
        None => Ok(()),
    }
}
