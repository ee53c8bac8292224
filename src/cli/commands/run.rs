//! `run`: a world from its beginning.

use crate::journal::JournalHeader;
use crate::session::{Game, Session};

use super::dry_run::{DryStory, dry_run};
use super::games;
use super::play::{self, RunView};
use super::undo;
use crate::cli::app::App;
use crate::cli::args::RunArgs;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader;
use crate::cli::saved::{clear, free_name, session_error};
use crate::cli::seat::SeatGame;
use crate::cli::settings::IMPROVISER;
use crate::cli::slot_settings;

pub(super) fn run(app: &App, args: &RunArgs) -> Result<(), CommandError> {
    let world = &app.settings.world.value;
    if args.story.is_bare {
        loader::check_bare_world(app, world)?;
    }
    if let Some(games) = args.games {
        return games::play_games(app, args, games);
    }
    #[cfg(feature = "page")]
    super::watch::check_server(false, &args.server)?;
    let args = &args.story;
    let campaign = loader::world(app, world)?;
    let seed = play::seed(app, args.seed)?;
    let setup = campaign.new_game(seed);
    let mut setup = setup.map_err(|error| CommandError::of(ErrorKind::World, &error))?;
    let actor = app.settings.seat.value.as_deref();
    let seat = play::seat(&mut setup.world, actor)?;
    if args.play.dry_run {
        let meta = campaign.meta();
        let head = JournalHeader::new(meta.world, meta.data, seed);
        return dry_run(app, setup, DryStory::new(head));
    }
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let minds = loader::minds(app, main.mind, &mut setup.world)?;
    drop(setup);
    let root = &app.settings.saves.value;
    let slot = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, &campaign.folder),
    };
    let terminal = play::terminal_seat(app, SeatGame::Campaign, &slot);
    let minds = play::seated(app, minds, actor, terminal.as_ref());
    if args.force {
        clear(app, &slot)?;
    }
    let models = loader::asked_models(app, campaign.file.models());
    let session = Session::start(root, &slot, &campaign, seed, minds);
    let mut session = session.map_err(session_error)?;
    slot_settings::remember(app, &slot, models)?;
    play::announce(app, &slot, seed);
    play::prepare(app, &mut session.engine);
    undo::watch(terminal.as_ref(), &mut session.engine);
    let runtime = play::runtime()?;
    let servers = runtime.block_on(loader::connect_tools(app, &mut session.engine))?;
    play::introduce_world(app, &campaign.file, main.introduction.as_deref());
    let view = RunView::new(app, &mut session.engine, campaign.file.language, seat);
    // Whoever names a save, or pays for answers, knows what the figures are for.
    let is_newcomer = args.save.is_none() && app.settings.model.value == IMPROVISER;
    let view = view.of_newcomer(is_newcomer);
    let stop = view.play(runtime, &mut session.engine, servers, args.play.until)?;
    if undo::is_wanted(terminal.as_ref()) {
        drop((view, session));
        return undo::undo(app, &slot, &args.play);
    }
    view.report(&session.engine, &stop, Some(&slot))
}
