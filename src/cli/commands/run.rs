//! `run`: a world from its beginning.

use crate::journal::{JournalHeader, Recording};
use crate::session::{Game, Session};

use super::dry_run::dry_run;
use super::play::{self, DEFAULT_SEED, RunView};
use crate::cli::app::App;
use crate::cli::args::RunArgs;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader;
use crate::cli::saved::{clear, free_name, session_error};

/// Plays a world.
pub(super) fn run(app: &App, args: &RunArgs) -> Result<(), CommandError> {
    let campaign = loader::world(app, &app.settings.world.value)?;
    let seed = args.seed.unwrap_or(DEFAULT_SEED);
    let setup = campaign.new_game(seed);
    let mut setup = setup.map_err(|error| CommandError::of(ErrorKind::World, &error))?;
    let main = loader::main_mind(app, &app.settings.model.value)?;
    play::check_price(app, main.mind.info())?;
    let seat = play::seat(&mut setup.world, args.play.seat.as_deref())?;
    if args.play.dry_run {
        let meta = campaign.meta();
        let head = JournalHeader::new(meta.world, meta.data, seed);
        return dry_run(app, setup, main.mind.info(), head, Recording::default());
    }
    let minds = loader::minds(app, main.mind, &mut setup.world)?;
    let minds = play::seated(app, minds, args.play.seat.as_deref());
    drop(setup);
    let root = &app.settings.saves.value;
    let slot = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, &campaign.folder),
    };
    if args.force {
        clear(root, &slot)?;
    }
    let session = Session::start(root, &slot, &campaign, seed, minds);
    let mut session = session.map_err(session_error)?;
    play::prepare(app, &mut session.engine);
    let runtime = play::runtime()?;
    let servers = runtime.block_on(loader::connect_tools(app, &mut session.engine))?;
    play::introduce_world(app, &campaign.file, main.introduction.as_deref());
    let view = RunView::new(app, &mut session.engine, campaign.file.language, seat);
    let stop = view.play(runtime, &mut session.engine, servers, args.play.until)?;
    view.report(&session.engine, &stop, Some(&slot))
}
