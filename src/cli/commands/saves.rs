//! `saves`: the saves that can be resumed, and what is wrong with the others.

use crate::cli::prelude::*;
use std::path::Path;

use crate::save::{Listed, Repair, list, repairable};
use crate::session::{Batch, BatchError, StoredExperiment};

use crate::cli::slot_settings;

/// Lists the saves. If `verifies`, their files are checked for damage, those of all games of
/// batches too.
pub(super) fn saves(app: &App, verifies: bool) -> Result<()> {
    let root = &app.settings.saves.value;
    let slots = list(root)?;
    let mut rows = Vec::new();
    for listed in slots {
        let row = Row::of(root, listed);
        if verifies && let Some(Ok(batches)) = &row.batches {
            let games = batches.iter().filter_map(|batch| batch.slots().ok());
            let games: Vec<_> = games.flatten().collect();
            rows.push(row);
            let games = games.into_iter().map(|game| Row::of(root, game).verified());
            rows.extend(games.filter(|game| game.damage.is_some()));
        } else {
            rows.push(if verifies { row.verified() } else { row });
        }
    }
    write(app, &rows);
    if rows.iter().all(|row| row.damage.is_none()) {
        Ok(())
    } else {
        Err(CommandError::printed(ErrorKind::Save))
    }
}

/// A save as it is listed.
struct Row {
    /// Its name; for a game of a batch its path.
    name: String,
    listed: Listed,
    /// The batch that it is, if it is one, or those of the experiment.
    batches: Option<Result<Vec<Batch>, BatchError>>,
    is_experiment: bool,
    /// What is wrong with its files, and what a repair would keep.
    damage: Option<(UiText, Option<Repair>)>,
}

impl Row {
    fn of(root: &Path, mut listed: Listed) -> Self {
        let name = listed.slot.name().as_str();
        let batch = Batch::exists(root, name).then(|| Batch::find(root, name));
        let experiment = StoredExperiment::find(root, name);
        let is_experiment = experiment.is_some();
        let experiment = experiment.map(|found| found.map(|found| found.batches));
        let batches = experiment.or_else(|| Some(batch?.map(|batch| vec![batch])));
        for batch in batches.iter().flatten().flatten() {
            let games = batch.slots().unwrap_or_default();
            listed.size += games.iter().map(|game| game.size).sum::<u64>();
        }
        let folder = listed.slot.folder();
        let name = folder.strip_prefix(root).unwrap_or(folder);
        Self {
            name: name.display().to_string(),
            batches,
            is_experiment,
            damage: None,
            listed,
        }
    }

    fn verified(mut self) -> Self {
        let slot = &self.listed.slot;
        self.damage = match slot.read(false) {
            Err(error) => Some((error.text(), repairable(slot).ok().flatten())),
            Ok(_) => slot_settings::damage(slot).map(|problem| (problem, None)),
        };
        self
    }

    /// What is wrong with it, and what can be saved of it.
    fn problem(&self) -> Option<UiText> {
        if let Some(Err(error)) = &self.batches {
            return Some(error.text());
        }
        match (&self.damage, &self.listed.head) {
            (Some((problem, Some(repair))), _) => {
                Some(text!(cli_save_repairable, problem, turn = repair.turn))
            }
            (Some((problem, None)), _) => Some(problem.clone()),
            (None, Err(problem)) => Some(problem.text()),
            (None, Ok(_)) => None,
        }
    }

    fn cells(&self, app: &App) -> [String; 5] {
        let language = app.language;
        let (name, size) = (self.name.clone(), self.listed.size.to_string());
        let nothing = || "-".to_owned();
        if let Some(problem) = self.problem() {
            let state = problem.in_language(language);
            return [name, nothing(), nothing(), size, state];
        }
        match &self.listed.head {
            Ok(Some(head)) => {
                let state = if head.ending.is_some() {
                    text!(cli_finished)
                } else {
                    text!(cli_in_progress)
                };
                let (world, turn) = (head.world.clone(), head.turn.to_string());
                [name, world, turn, size, state.in_language(language)]
            }
            _ if let Some(branch) = &self.listed.branch => {
                let state = say!(language, cli_branch_unplayed, slot = &branch.slot);
                let (world, turn) = (branch.world.clone(), branch.turn.to_string());
                [name, world, turn, size, state]
            }
            _ if let Some(Ok(batches)) = &self.batches => {
                let first = batches.first().map(Batch::plan);
                let games = first.map_or(0, |plan| plan.games);
                let state = match self.is_experiment {
                    true => say!(language, cli_experiment, conditions = batches.len()),
                    false => say!(language, cli_batch, games),
                };
                let world = first.map_or_else(nothing, |plan| plan.world.clone());
                [name, world, nothing(), size, state]
            }
            _ => {
                let header = self.listed.slot.journal_header();
                let world = header.map(|header| header.world);
                let world = world.filter(|world| !world.is_empty());
                let state = match &world {
                    Some(_) => say!(language, cli_only_journal),
                    None => say!(language, cli_no_snapshot, slot = &name),
                };
                [name, world.unwrap_or_else(nothing), nothing(), size, state]
            }
        }
    }

    fn json(&self) -> Value {
        let repair = self.damage.as_ref().and_then(|(_, repair)| *repair);
        json!(Printed::Save {
            slot: &self.name,
            is_batch: self.batches.is_some() && !self.is_experiment,
            is_experiment: self.is_experiment,
            head: self.listed.head.as_ref().ok().and_then(Option::as_ref),
            branch_of: self.listed.branch.as_ref(),
            bytes: self.listed.size,
            error: self.problem().map(|problem| problem.to_string()),
            goes_back_to: repair.map(|repair| repair.turn),
        })
    }
}

fn write(app: &App, rows: &[Row]) {
    let language = app.language;
    if rows.is_empty() && !app.settings.json {
        let root = &app.settings.saves.value;
        return app.out().line(say!(language, cli_no_saves, path = root));
    }
    let columns = columns!(
        language, < cli_name, < cli_world, > cli_turn, > cli_bytes, < cli_state
    );
    app.list(columns, rows, |row| row.json(), |row| row.cells(app));
}
