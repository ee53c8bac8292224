//! `resume`: a save continues.

use crate::cli::prelude::*;
use crate::session::Session;
use crate::undercover::Tournament;

use super::dry_run::{DryStory, dry_run};
use super::play::{self, Left, Player, RunView};
use super::{chat, tournament, undercover, undo};
use crate::cli::args::{ChatArgs, PlayArgs};
use crate::cli::loader;
use crate::cli::saved::{Played, Saved, check_turn};
use crate::cli::seat::SeatGame;
use crate::cli::slot_settings;

/// Goes on in another save whenever the person at the terminal takes an answer back.
pub(super) fn until_reported(app: &App, mut left: Left, play: &PlayArgs) -> Result<()> {
    while let Left::ToUndo(slot) = left {
        let branch = undo::undo(app, &slot)?;
        let args = ChatArgs {
            play: play.clone(),
            ..ChatArgs::default()
        };
        left = resume(app, &branch, &args, false)?;
    }
    Ok(())
}

/// Continues a save of any kind.
pub(super) fn resume(app: &App, slot: &str, chat_args: &ChatArgs, force: bool) -> Result<Left> {
    let args = &chat_args.play;
    if Tournament::exists(&app.settings.saves.value, slot) {
        tournament::resume(app, slot, chat_args)?;
        return Ok(Left::Reported);
    }
    let mut saved = Saved::to_play(app, slot, force)?;
    if !force {
        saved.catch_up()?;
    }
    let seed = saved.story.seed();
    saved.new_seed = chat_args.seed.filter(|new| *new != seed);
    let campaign = match &saved.played {
        Played::World(campaign) => &**campaign,
        Played::Team(game) => {
            chat::resume(app, game, &saved, chat_args, force)?;
            return Ok(Left::Reported);
        }
        Played::Undercover(game) => return undercover::resume(app, &saved, game, args, force),
    };
    let mut setup = saved.world(true)?;
    check_turn(&setup.world, args, slot)?;
    let player = Player::find(app, &mut setup.world, SeatGame::Campaign, slot)?;
    if args.dry_run {
        dry_run(app, setup, DryStory::of(&saved))?;
        return Ok(Left::Reported);
    }
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let models = slot_settings::check_models(app, &saved, &mut setup.world)?;
    let minds = loader::minds(app, main.mind, &mut setup.world)?;
    let minds = player.seated(app, loader::given_minds(app, minds, &saved.given_models())?);
    drop(setup);
    let root = &app.settings.saves.value;
    let mut session = Session::resume(root, slot, campaign, minds, force)?;
    slot_settings::remember(app, slot, models)?;
    saved.tell_seed(app, &mut session.engine);
    let introduce = || play::introduce_world(app, &campaign.file, main.introduction.as_deref());
    player.play(app, session, args.until, introduce, |engine| {
        RunView::new(app, engine, campaign.file.language, player.id())
    })
}
