//! `experiment`: stories under several conditions, one batch for each, and how they differ.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

use playhouse_engine::{files, parallel};

use crate::rpg::experiment::{Condition, ConditionRuns, Experiment, ExperimentFile};
use crate::rpg::rehearsal::{RunFigures, figures_of};
use crate::rpg::{Campaign, CampaignError};
use crate::save::{EXPERIMENT, SlotName};
use crate::session::{Batch, BatchPlan, Game as _, create_experiment};
use crate::world_data::{MAX_BYTES, Problems};

use super::batch::{self, Part, batch_error};
use super::campaign_batch::Stories;
use super::{play, rehearse};
use crate::cli::app::shell_quoted;
use crate::cli::args::{ExperimentArgs, ExperimentCommand};
use crate::cli::comparison::{Arm, print_report};
use crate::cli::loader;
use crate::cli::provenance::Provenance;
use crate::cli::slot_settings;

/// A condition with its world, as it changes that.
struct Prepared<'f> {
    condition: &'f Condition,
    campaign: Campaign,
    provenance: Provenance,
}

pub(super) fn experiment(app: &App, command: &ExperimentCommand) -> Result<()> {
    let args = command.args();
    let (file, text) = read(app, &args.file)?;
    let conditions = prepare(app, &file)?;
    let name = slot_of(args)?;
    let saves = &app.settings.saves.value;
    let root = saves.join(&name);
    match command {
        ExperimentCommand::Run(_) => create_experiment(saves, &name, &text)?,
        _ if root.join(EXPERIMENT).is_file() => {}
        _ => {
            let error = CommandError::new(ErrorKind::Save, text!(cli_no_experiment, name));
            return Err(error.help(text!(cli_no_experiment_help, file = &args.file)));
        }
    }
    let is_report = matches!(command, ExperimentCommand::Report(_));
    let batches = open(&root, &file.experiment, &conditions, !is_report)?;
    if is_report {
        let runs = recorded(&batches, &conditions)?;
        report(app, &file, &conditions, &runs);
        return Ok(());
    }
    remember(app, &name, &conditions)?;
    play_all(app, args, (&file, &conditions), &batches, &name)
}

/// Takes over with which model and limits an experiment was played before.
pub(in crate::cli) fn recall(app: &mut App, command: &ExperimentCommand) -> Result<()> {
    match command {
        ExperimentCommand::Resume(args) => slot_settings::recall(app, &slot_of(args)?, false),
        _ => Ok(()),
    }
}

/// The name of the folder of an experiment: the given one, else that of its file.
fn slot_of(args: &ExperimentArgs) -> Result<String> {
    let stem = || Some(args.file.file_stem()?.to_str()?.to_owned());
    let name = args.save.clone().or_else(stem).unwrap_or_default();
    let name = name.parse::<SlotName>();
    Ok(name.or_fail(ErrorKind::Usage)?.to_string())
}

fn read(app: &App, path: &Path) -> Result<(ExperimentFile, String)> {
    let text = files::read_text(path, MAX_BYTES).or_fail(ErrorKind::World)?;
    let read = ExperimentFile::read(&path.display().to_string(), &text);
    let (file, warnings) = read.map_err(|problems| wrong(app, &problems))?;
    loader::print_problems(app, &warnings);
    Ok((file, text))
}

fn wrong(app: &App, problems: &Problems) -> CommandError {
    loader::print_problems(app, problems);
    let message = text!(cli_experiment_errors, count = problems.error_count());
    CommandError::new(ErrorKind::World, message)
}

/// All conditions with their worlds. All that is wrong with them is told at once.
fn prepare<'f>(app: &App, file: &'f ExperimentFile) -> Result<Vec<Prepared<'f>>> {
    let mut problems = Problems::new();
    let mut worlds = Vec::new();
    let mut has_failed = false;
    for index in 0..file.experiment.conditions.len() {
        match world_of(app, file, index)? {
            Ok(campaign) => {
                problems.extend(file.check_models(index, &campaign.file));
                worlds.push(campaign);
            }
            Err(found) => {
                has_failed = true;
                problems.extend(found);
            }
        }
    }
    if !has_failed {
        let worlds: Vec<_> = worlds.iter().map(|campaign| &*campaign.file).collect();
        problems.extend(file.check_outcomes(&worlds));
    }
    if problems.has_errors() {
        return Err(wrong(app, &problems));
    }
    let conditions = file.experiment.conditions.iter().zip(worlds);
    let prepared = conditions.map(|(condition, campaign)| Prepared {
        provenance: provenance(app, &file.experiment, condition, &campaign),
        condition,
        campaign,
    });
    Ok(prepared.collect())
}

/// What the stories of a condition are played with.
fn provenance(
    app: &App,
    experiment: &Experiment,
    condition: &Condition,
    campaign: &Campaign,
) -> Provenance {
    let own = condition.model.as_ref().or(experiment.model.as_ref());
    let model = own.unwrap_or(&app.settings.model.value);
    Provenance {
        condition: Some(condition.name.clone()),
        models: condition.models.clone(),
        ..Provenance::of(campaign.meta(), model)
    }
}

/// The world of a condition, with what it changes, or what is wrong with that.
fn world_of(app: &App, file: &ExperimentFile, index: usize) -> Result<Result<Campaign, Problems>> {
    let Experiment {
        world, conditions, ..
    } = &file.experiment;
    let own = conditions
        .get(index)
        .and_then(|condition| condition.world.as_ref());
    let change = |source| file.changed(index, source);
    match loader::load_changed(app, own.unwrap_or(world), change)? {
        Ok(campaign) => Ok(Ok(campaign)),
        Err(CampaignError::Data(problems)) => Ok(Err(problems)),
        Err(error) => Err(CommandError::of(ErrorKind::World, &error)),
    }
}

/// The batches of all conditions. New ones begin, if they may.
fn open(
    root: &Path,
    experiment: &Experiment,
    conditions: &[Prepared<'_>],
    may_begin: bool,
) -> Result<Vec<Batch>> {
    let batch = |prepared: &Prepared<'_>| {
        let name = &prepared.condition.name;
        let plan = BatchPlan::of(&prepared.campaign, experiment.seed, experiment.runs);
        if may_begin && !Batch::exists(root, name) {
            return Batch::create(root, name, plan).map_err(batch_error);
        }
        let batch = Batch::find(root, name).map_err(batch_error)?;
        if *batch.plan() == plan {
            return Ok(batch);
        }
        let error = CommandError::usage(text!(cli_experiment_changed, condition = name));
        Err(error.help(text!(cli_experiment_changed_help)))
    };
    conditions.iter().map(batch).collect()
}

/// Keeps with which limits the experiment is played.
fn remember(app: &App, name: &str, conditions: &[Prepared<'_>]) -> Result<()> {
    let models = conditions.iter().flat_map(|prepared| {
        let Provenance { model, models, .. } = &prepared.provenance;
        model.iter().chain(models.values()).cloned()
    });
    slot_settings::remember(app, name, models.collect::<BTreeSet<_>>())
}

/// Plays the stories that are not over, those of all conditions in turn, and reports on all.
fn play_all(
    app: &App,
    args: &ExperimentArgs,
    (file, conditions): (&ExperimentFile, &[Prepared<'_>]),
    batches: &[Batch],
    name: &str,
) -> Result<()> {
    let stories = conditions.iter().map(|prepared| {
        let (campaign, provenance) = (prepared.campaign.clone(), prepared.provenance.clone());
        Stories::of(app, campaign, provenance)
    });
    let stories: Vec<_> = stories.collect::<Result<_>>()?;
    let parts = batches.iter().zip(&stories);
    let parts: Vec<_> = parts.map(|(batch, games)| Part { batch, games }).collect();
    let all = file.experiment.runs * parts.len() as u32;
    let mut played = batch::play_all(app, &parts, args.jobs, &|results| {
        say!(app.language, cli_runs_played, done = results.len(), all)
    })?;
    let mut runs: Vec<_> = conditions.iter().map(|_| Vec::new()).collect();
    for ((part, _), figures) in std::mem::take(&mut played.figures) {
        if let Some(runs) = runs.get_mut(part) {
            runs.push(figures);
        }
    }
    report(app, file, conditions, &runs);
    let path = shell_quoted(&args.file);
    let command = format!("experiment resume {path}");
    let folder = app.settings.saves.value.join(name);
    let saved = text!(cli_experiment_saved, folder, path);
    batch::report_end(app, played, &command, saved)
}

/// The figures of the stories that are over, by condition, from their journals.
fn recorded(batches: &[Batch], conditions: &[Prepared<'_>]) -> Result<Vec<Vec<RunFigures>>> {
    let runtime = play::runtime()?;
    let of_batch = |(batch, prepared): (&Batch, &Prepared<'_>)| {
        let numbers = 0..batch.plan().games;
        let slots: Vec<_> = numbers.filter_map(|number| batch.slot(number)).collect();
        let read = parallel::map(&slots, |slot| {
            runtime.block_on(figures_of(slot, &prepared.campaign))
        });
        let over = read.into_iter().filter_map(Result::transpose);
        over.map(|run| run.map_err(CommandError::from)).collect()
    };
    batches.iter().zip(conditions).map(of_batch).collect()
}

fn report(app: &App, file: &ExperimentFile, conditions: &[Prepared<'_>], runs: &[Vec<RunFigures>]) {
    if let Some(prepared) = conditions.first() {
        rehearse::learn_names(app, &prepared.campaign);
    }
    let arms = conditions.iter().zip(runs).map(|(prepared, runs)| Arm {
        provenance: &prepared.provenance,
        seed: file.experiment.seed,
        runs: ConditionRuns {
            name: &prepared.condition.name,
            world: &prepared.campaign.file,
            runs,
        },
    });
    print_report(app, &arms.collect::<Vec<_>>(), &file.experiment.outcomes);
}
