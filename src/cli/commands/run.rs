//! `run`: a world from its beginning.

use crate::cli::prelude::*;
use crate::session::Game as _;

use super::campaign_batch;
use super::dry_run::{DryStory, dry_run};
use super::play::{self, Left, Player, RunView};
use crate::cli::args::RunArgs;
use crate::cli::loader;
use crate::cli::provenance::Provenance;
use crate::cli::saved::{clear, slot_name};
use crate::cli::seat::SeatGame;
use crate::cli::settings::IMPROVISER;
use crate::cli::slot_settings;

pub(super) fn run(app: &App, args: &RunArgs) -> Result<Left> {
    let world = &app.settings.world.value;
    if args.story.is_bare {
        loader::check_bare_world(app, world)?;
    }
    if let Some(games) = args.games {
        campaign_batch::begin(app, args, games)?;
        return Ok(Left::Reported);
    }
    #[cfg(feature = "page")]
    super::watch::check_server(false, &args.server)?;
    let args = &args.story;
    let campaign = loader::world(app, world)?;
    let seed = play::seed(app, args.seed)?;
    let mut setup = campaign.new_game(seed).or_fail(ErrorKind::World)?;
    let slot = slot_name(app, args.save.as_ref(), &campaign.folder);
    let player = Player::find(app, &mut setup.world, SeatGame::Campaign, &slot)?;
    if args.play.dry_run {
        dry_run(app, setup, DryStory::new(&campaign, seed))?;
        return Ok(Left::Reported);
    }
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let minds = loader::minds(app, main.mind, &mut setup.world)?;
    drop(setup);
    if args.force {
        clear(app, &slot)?;
    }
    let models = loader::asked_models(app, campaign.file.models());
    let minds = player.seated(app, minds);
    let session = slot_settings::start(app, &slot, &campaign, seed, minds, models)?;
    let provenance = Provenance::of(campaign.meta(), &app.settings.model.value);
    play::announce(app, &slot, seed, &provenance);
    // Users who name a save, or pay for answers, know what the figures are for.
    let is_newcomer = args.save.is_none() && app.settings.model.value == IMPROVISER;
    let introduce = || play::introduce_world(app, &campaign.file, main.introduction.as_deref());
    player.play(app, session, args.play.until, introduce, |engine| {
        let view = RunView::new(app, engine, campaign.file.language, player.id());
        view.of_newcomer(is_newcomer)
    })
}
