//! `run`: a world from its beginning.

use playhouse::journal::{FORMAT, Head, Recording};
use playhouse::session::Session;

use super::dry_run::rehearse;
use super::play::{self, Show};
use crate::cli::app::App;
use crate::cli::args::RunArgs;
use crate::cli::error::{Failure, Fault};
use crate::cli::loader;
use crate::cli::saved::{clear, free_name, session_failure};

/// The seed where none is given: the same story every time, until somebody wants another.
const USUAL_SEED: u64 = 1;

/// Plays a world.
pub(super) fn run(app: &App, args: &RunArgs) -> Result<(), Failure> {
    let production = loader::world(app, &app.settings.world.value)?;
    let seed = args.seed.unwrap_or(USUAL_SEED);
    let opening = production.new_game(seed);
    let mut setup = opening.map_err(|error| Failure::new(Fault::World, error))?;
    let lead = loader::lead(app, &app.settings.model.value)?;
    play::check_price(app, lead.mind.info())?;
    let seat = play::seat(app, &mut setup.world, args.play.seat.as_deref())?;
    if args.play.dry_run {
        let head = Head {
            format: FORMAT,
            engine: env!("CARGO_PKG_VERSION").into(),
            data: production.fingerprint,
            seed,
        };
        return rehearse(app, setup, lead.mind.info(), head, Recording::default());
    }
    let minds = loader::minds(app, lead.mind, &mut setup.world)?;
    let minds = play::seated(app, minds, args.play.seat.as_deref());
    drop(setup);
    let root = &app.settings.saves.value;
    let slot = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, &production.folder),
    };
    if args.force {
        clear(root, &slot)?;
    }
    let session = Session::start(root, &slot, &production, seed, minds);
    let mut session = session.map_err(session_failure)?;
    play::prepare(app, &mut session.engine);
    let runtime = play::runtime()?;
    let servers = runtime.block_on(loader::equip(app, &mut session.engine))?;
    play::open(app, &production.file, lead.introduction.as_deref());
    let show = Show::of(app, &mut session.engine, production.file.language, seat);
    let stop = show.play(runtime, &mut session.engine, servers, args.play.until)?;
    show.close(&session.engine, &stop, Some(&slot))
}
