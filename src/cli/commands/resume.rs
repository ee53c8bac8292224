//! `resume`: a save continues.

use crate::session::Session;
use crate::undercover::Tournament;

use super::chat;
use super::dry_run::{DryStory, dry_run};
use super::play::{self, RunView};
use super::{tournament, undercover, undo};
use crate::cli::app::App;
use crate::cli::args::ChatArgs;
use crate::cli::error::CommandError;
use crate::cli::loader;
use crate::cli::saved::{Played, Saved, check_turn, session_error};
use crate::cli::seat::SeatGame;
use crate::cli::slot_settings;

/// Continues a save of any kind.
pub(super) fn resume(
    app: &App,
    slot: &str,
    chat_args: &ChatArgs,
    force: bool,
) -> Result<(), CommandError> {
    let args = &chat_args.play;
    if Tournament::exists(&app.settings.saves.value, slot) {
        return tournament::resume(app, slot, chat_args);
    }
    let mut saved = Saved::to_play(app, slot, force)?;
    if !force {
        saved.catch_up()?;
    }
    let seed = saved.story.seed();
    saved.new_seed = chat_args.seed.filter(|new| *new != seed);
    let campaign = match &saved.played {
        Played::World(campaign) => campaign,
        Played::Team(game) => return chat::resume(app, game, &saved, chat_args, force),
        Played::Undercover(game) => return undercover::resume(app, &saved, game, args, force),
    };
    let mut setup = saved.world(true)?;
    check_turn(&setup.world, args, slot)?;
    let actor = app.settings.seat.value.as_deref();
    let seat = play::seat(&mut setup.world, actor)?;
    if args.dry_run {
        return dry_run(app, setup, DryStory::of(&saved));
    }
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let models = slot_settings::check_models(app, &saved, &mut setup.world)?;
    let minds = loader::minds(app, main.mind, &mut setup.world)?;
    let minds = loader::given_minds(app, minds, &saved.given_models())?;
    let terminal = play::terminal_seat(app, SeatGame::Campaign, slot);
    let minds = play::seated(app, minds, actor, terminal.as_ref());
    drop(setup);
    let root = &app.settings.saves.value;
    let session = Session::resume(root, slot, &**campaign, minds, force);
    let mut session = session.map_err(session_error)?;
    slot_settings::remember(app, slot, models)?;
    saved.tell_seed(app, &mut session.engine);
    play::prepare(app, &mut session.engine);
    undo::watch(terminal.as_ref(), &mut session.engine);
    let runtime = play::runtime()?;
    let servers = runtime.block_on(loader::connect_tools(app, &mut session.engine))?;
    play::say_changes(app, &session.changes);
    play::introduce_world(app, &campaign.file, main.introduction.as_deref());
    let view = RunView::new(app, &mut session.engine, campaign.file.language, seat);
    let stop = view.play(runtime, &mut session.engine, servers, args.until)?;
    if undo::is_wanted(terminal.as_ref()) {
        drop((view, session));
        return undo::undo(app, slot, args);
    }
    view.report(&session.engine, &stop, Some(slot))
}
