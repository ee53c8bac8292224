//! `run`: a world from its beginning.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::mind::Minds;
use crate::rpg::Campaign;
use crate::rpg::drama::Condition;
use crate::rpg::rehearsal::{Find, FindWhen, RehearsalPlan, rehearse};
use crate::rpg::world_file::instead_of;
use crate::session::{Game as _, Session};

use super::campaign_batch;
use super::dry_run::{DryStory, dry_run};
use super::play::{self, Left, Player, RunView};
use crate::cli::args::{RunArgs, StoryArgs};
use crate::cli::loader;
use crate::cli::provenance::Provenance;
use crate::cli::seat::SeatGame;
use crate::cli::settings::IMPROVISER;
use crate::cli::slot_settings;

pub(super) fn run(app: &App, args: &RunArgs) -> Result<Left> {
    let world = &app.settings.world.value;
    if args.story.is_bare {
        loader::check_bare_world(app, world)?;
    }
    if let Some(games) = args.batch.games {
        campaign_batch::begin(app, args, games)?;
        return Ok(Left::Reported);
    }
    super::watch::check_server(false, &args.server)?;
    let campaign = loader::world(app, world)?;
    begin(app, &campaign, &args.story, args.scene.as_deref())
}

/// A new story in a world, from its beginning or with the stage set for a scene.
pub(super) fn begin(
    app: &App,
    campaign: &Campaign,
    args: &StoryArgs,
    scene: Option<&str>,
) -> Result<Left> {
    let opening = scene.map(|scene| Opening::find(app, campaign, scene, args.new.seed));
    let opening = opening.transpose()?;
    let seed = match &opening {
        Some(opening) => opening.seed,
        None => play::seed(app, args.new.seed)?,
    };
    let mut setup = campaign.new_game(seed).or_fail(ErrorKind::World)?;
    let slot = args.new.slot(app, &campaign.folder);
    let player = Player::find(app, &mut setup.world, SeatGame::Campaign, &slot)?;
    if args.play.dry_run {
        dry_run(app, setup, DryStory::new(campaign, seed))?;
        return Ok(Left::Reported);
    }
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let minds = loader::minds(app, main.mind, &mut setup.world)?;
    drop(setup);
    args.new.clear(app, &slot)?;
    let models = loader::asked_models(app, campaign.file.models());
    let minds = player.seated(app, minds);
    let session = match &opening {
        Some(opening) => opening.set(app, &slot, campaign, minds, models)?,
        None => slot_settings::start(app, &slot, campaign, seed, minds, models)?,
    };
    let provenance = Provenance::of(campaign.meta(), &app.settings.model.value);
    play::announce(app, &slot, seed, &provenance);
    // Users who name a save, or pay for answers, know what the figures are for.
    let is_newcomer = args.new.save.is_none() && app.settings.model.value == IMPROVISER;
    let introduce = || play::introduce_world(app, &campaign.file, main.introduction.as_deref());
    let until = args.play.until.or(opening.map(|opening| opening.turn + 1));
    player.play(app, session, until, introduce, |engine| {
        RunView::new(app, engine, campaign.file.language, player.id()).of_newcomer(is_newcomer)
    })
}

/// How many runs are looked at for one in which a scene opens.
const MOST_RUNS: u32 = 500;
/// So many at a time.
const RUNS_AT_A_TIME: u32 = 20;

/// A story in which a scene opens.
pub(super) struct Opening {
    pub(super) seed: u64,
    /// The turn in which it does.
    pub(super) turn: u64,
}

impl Opening {
    /// The first one that rehearsals come to.
    pub(super) fn find(
        app: &App,
        campaign: &Campaign,
        scene: &str,
        seed: Option<u64>,
    ) -> Result<Self> {
        let scenes = campaign.file.scenes.iter().map(|scene| scene.id.as_str());
        if !scenes.clone().any(|id| id == scene) {
            let error = CommandError::usage(text!(cli_no_such_scene, scene));
            return Err(error.help(instead_of(scene, scenes)));
        }
        let mut plan = RehearsalPlan {
            seed: seed.unwrap_or(1),
            runs: RUNS_AT_A_TIME,
            jobs: play::jobs(None, RUNS_AT_A_TIME) as usize,
            find: Some(Find {
                condition: Condition::Happened(scene.to_owned()),
                when: FindWhen::Ever,
            }),
            consistency: false,
        };
        let mut played = 0;
        while played < MOST_RUNS {
            let runs = rehearse(campaign, &plan, &|_| ControlFlow::Continue(()))
                .or_fail(ErrorKind::Other)?;
            let found = runs.iter().find_map(|run| Some((run.seed, run.found_in?)));
            if let Some((seed, turn)) = found {
                if app.prints_text() {
                    app.err()
                        .line(say!(app.language, cli_scene_opens, scene, seed, turn));
                }
                return Ok(Self { seed, turn });
            }
            played += plan.runs;
            plan.seed = plan.seed.wrapping_add(plan.runs.into());
        }
        let error = CommandError::new(ErrorKind::Other, text!(cli_scene_never, scene, played));
        let world = &app.settings.world.value;
        Err(error.help(text!(cli_scene_why, world, scene)))
    }

    /// The story at its opening: the improviser has played what was before.
    pub(super) fn set(
        &self,
        app: &App,
        slot: &str,
        campaign: &Campaign,
        minds: Minds,
        models: BTreeSet<String>,
    ) -> Result<Session> {
        let mut before = Minds::all(loader::main_mind(app, IMPROVISER)?.mind);
        for alias in &models {
            before = before.with_alias(alias.as_str(), loader::main_mind(app, IMPROVISER)?.mind);
        }
        let mut session = slot_settings::start(app, slot, campaign, self.seed, before, models)?;
        session.engine.settings.without_servers = true;
        let runtime = play::runtime()?;
        runtime.block_on(session.engine.run(Some(self.turn.saturating_sub(1))))?;
        drop(session);
        let root = &app.settings.saves.value;
        Ok(Session::resume(root, slot, campaign, minds, false)?)
    }
}
