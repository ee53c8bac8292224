//! `run --games`: many stories of a world, and what happened how often.

use crate::cli::prelude::*;

use crate::cast::WorldTurn;
use crate::engine::Engine;
use crate::exchange::Spent;
use crate::journal::{HOST, branch_input};
use crate::mind::Minds;
use crate::rpg::rehearsal::{Rehearsal, RunFigures, figures_of};
use crate::rpg::{Campaign, CampaignError};
use crate::save::Slot;
use crate::session::{Batch, BatchPlan, Game};
use crate::world_data::Problems;
use tokio::runtime::Handle;

use super::batch::{self, Games, Part, batch_error};
use super::{play, rehearse};
use crate::cli::args::{ResumeArgs, RunArgs};
use crate::cli::loader;
use crate::cli::provenance::Provenance;
use crate::cli::rehearsal::Report;
use crate::cli::slot_settings;

pub(super) struct Stories {
    campaign: Campaign,
    minds: Minds,
    provenance: Provenance,
}

impl Stories {
    /// Stories of this world, played by the models that these name.
    pub(super) fn of(app: &App, campaign: Campaign, provenance: Provenance) -> Result<Self> {
        let mut app = app.clone();
        if let Some(model) = &provenance.model {
            app.settings.model.value.clone_from(model);
        }
        let main = loader::main_mind(&app, &app.settings.model.value)?;
        // Everybody is the same with every seed.
        let mut setup = campaign.new_game(0).or_fail(ErrorKind::World)?;
        let minds = loader::minds(&app, main.mind, &mut setup.world)?;
        let given = provenance.models.values().cloned().collect();
        Ok(Self {
            minds: loader::given_minds(&app, minds, &given)?,
            campaign,
            provenance,
        })
    }

    /// Stories of this world, played by the model of the settings.
    fn by_settings(app: &App, campaign: Campaign) -> Result<Self> {
        let provenance = Provenance::of(campaign.meta(), &app.settings.model.value);
        Self::of(app, campaign, provenance)
    }
}

impl Games for Stories {
    type Figures = RunFigures;

    fn game(&self) -> &dyn Game {
        &self.campaign
    }

    fn minds(&self, _seed: u64) -> Minds {
        self.minds.clone()
    }

    fn prepare(&self, engine: &mut Engine) {
        let is_new = engine.world.resource::<WorldTurn>().0 == 0;
        let told = branch_input(HOST, None, &self.provenance.models).filter(|_| is_new);
        told.into_iter().for_each(|told| engine.tell_next(told));
    }

    fn figures(&self, _app: &App, slot: &Slot, runtime: &Handle) -> Result<Option<RunFigures>> {
        let figures = runtime.block_on(figures_of(slot, &self.campaign));
        figures.map_err(CommandError::from)
    }

    fn spent(&self, run: &RunFigures) -> Spent {
        let mut total = Spent::default();
        run.spent.values().for_each(|spent| total += *spent);
        total
    }

    fn record<'f>(&'f self, slot: &'f Slot, figures: &'f RunFigures) -> Printed<'f> {
        Printed::Run {
            slot: Some(slot.name().as_str()),
            provenance: &self.provenance,
            figures,
        }
    }
}

pub(super) fn begin(app: &App, args: &RunArgs, games: u32) -> Result<()> {
    let campaign = loader::world(app, &app.settings.world.value)?;
    let seed = play::seed(app, args.story.new.seed)?;
    let name = args.story.new.slot(app, &campaign.folder);
    let stories = Stories::by_settings(app, campaign)?;
    args.story.new.clear(app, &name)?;
    let plan = BatchPlan::of(&stories.campaign, seed, games);
    let root = &app.settings.saves.value;
    let batch = Batch::create(root, &name, plan).map_err(batch_error)?;
    let models = loader::asked_models(app, stories.campaign.file.models());
    slot_settings::remember(app, &name, models)?;
    play::announce(app, &name, seed, &stories.provenance);
    #[cfg(feature = "cluster")]
    super::cluster::play_games(app, args.batch.on.as_ref(), &batch, &stories.campaign)?;
    play_all(app, &batch, &stories, args.batch.jobs)
}

pub(super) fn resume(app: &App, batch: &Batch, args: &ResumeArgs) -> Result<()> {
    let campaign = world_of(app, batch.plan())?;
    batch.check_data(&campaign).map_err(batch_error)?;
    let (root, name) = (&app.settings.saves.value, batch.name().as_str());
    let models = loader::asked_models(app, campaign.file.models());
    slot_settings::check_player_models(app, &Slot::find(root, name)?, &models)?;
    let stories = Stories::by_settings(app, campaign)?;
    slot_settings::remember(app, name, models)?;
    #[cfg(feature = "cluster")]
    super::cluster::play_games(app, args.on.as_ref(), batch, &stories.campaign)?;
    play_all(app, batch, &stories, args.jobs)
}

/// The world of a batch as it began: that of today, if it is the same, else the one that the batch
/// keeps.
pub(super) fn world_of(app: &App, plan: &BatchPlan) -> Result<Campaign> {
    let today = loader::load(app, &plan.world);
    match (today, Campaign::of_batch(plan)) {
        (Ok(Ok(today)), _) if today.fingerprint == plan.data => Ok(today),
        (_, Some(kept)) => kept.map_err(|error| unusable(plan, &error)),
        (today, None) => today?.map_err(|error| unusable(plan, &error)),
    }
}

fn unusable(plan: &BatchPlan, error: &CampaignError) -> CommandError {
    let (world, error) = (&plan.world, error.text());
    CommandError::new(ErrorKind::World, text!(cli_kept_unusable, world, error))
}

/// Plays the stories that are not over, several at a time, and prints what all came to.
fn play_all(app: &App, batch: &Batch, stories: &Stories, jobs: Option<u32>) -> Result<()> {
    rehearse::learn_names(app, &stories.campaign);
    let (parts, all) = (
        [Part {
            batch,
            games: stories,
        }],
        batch.plan().games,
    );
    let mut played = batch::play_all(app, &parts, jobs, &|results| {
        say!(app.language, cli_runs_played, done = results.len(), all)
    })?;
    let runs: Vec<_> = std::mem::take(&mut played.figures).into_values().collect();
    let world = &stories.campaign.file;
    let rehearsal = Rehearsal::of(world, &runs);
    let unmet = Problems::default();
    let report = Report::of(world, (&runs, &rehearsal), &unmet);
    rehearse::print(app, &stories.provenance, &report);
    if app.prints_text() {
        let spent = &played.spent;
        let (calls, tokens, cost) = (spent.calls, spent.usage.total(), spent.cost.to_string());
        let mut err = app.err();
        err.line(say!(app.language, cli_this_run, calls, tokens, cost));
    }
    let (slot, folder) = (batch.name().as_str(), batch.games_folder());
    let saved = text!(cli_batch_saved, slot = app.in_command(slot), folder);
    batch::report_end(app, played, &format!("resume {slot}"), saved)?;
    rehearse::verdict(app, &report)
}
