//! `resume`: a save continues.

use crate::cli::prelude::*;
use crate::session::{Batch, Session};

use super::dry_run::{DryStory, dry_run};
use super::play::{Left, Player, RunView, introduce_world};
use super::{batch, chat, replay, undercover, undo};
use crate::cli::args::{PlayArgs, ResumeArgs};
use crate::cli::loader;
use crate::cli::saved::{Played, Saved, check_turn};
use crate::cli::seat::SeatGame;
use crate::cli::slot_settings;

/// Goes on in another save whenever the person at the terminal takes an answer back.
pub(super) fn until_reported(app: &App, mut left: Left, play: &PlayArgs) -> Result<()> {
    while let Left::ToUndo(slot) = left {
        let args = ResumeArgs {
            slot: undo::undo(app, &slot)?,
            play: play.clone(),
            is_undo: true,
            ..ResumeArgs::default()
        };
        left = resume(app, &args)?;
    }
    Ok(())
}

/// Continues a save of any kind.
pub(super) fn resume(app: &App, args: &ResumeArgs) -> Result<Left> {
    let (slot, force, play) = (&*args.slot, args.force, &args.play);
    if Batch::exists(&app.settings.saves.value, slot) {
        batch::resume(app, args)?;
        return Ok(Left::Reported);
    }
    let mut saved = Saved::to_play(app, slot, force)?;
    if !force {
        saved.catch_up()?;
    }
    let seed = saved.story.seed();
    saved.new_seed = args.seed.filter(|new| *new != seed);
    let is_over = app.prints_text() && !play.dry_run && saved.is_over()?;
    if !play.dry_run && !is_over {
        saved.forget_played();
    }
    let campaign = match &saved.played {
        Played::Team(game) => {
            chat::resume(app, game, &saved, args)?;
            return Ok(Left::Reported);
        }
        _ if is_over => return replay::tell_end(app, &saved),
        Played::World(campaign) => &**campaign,
        Played::Undercover(game) => return undercover::resume(app, &saved, game, args),
    };
    let mut setup = saved.world(true)?;
    check_turn(&setup.world, play, slot)?;
    let player = Player::find(app, &mut setup.world, SeatGame::Campaign, slot)?;
    if play.dry_run {
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
    let introduce = || {
        if !args.is_undo {
            introduce_world(app, &campaign.file, main.introduction.as_deref());
        }
    };
    player.play(app, session, play.until, introduce, |engine| {
        RunView::new(app, engine, campaign.file.language, player.id())
    })
}
