//! Rehearsals whose runs workers play.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::games::submit_and_take;
use super::{build, store};
use crate::cli::commands::{batch, campaign_batch};
use crate::cli::prelude::*;
use crate::cluster::Position;
use crate::engine::CancellationToken;
use crate::message::Digest;
use crate::rpg::Campaign;
use crate::rpg::rehearsal::{
    Find, RUNS_WITH_MEMORIES, RehearsalPlan, RunFigures, read_runs, rehearse, write_runs,
};
use crate::save::PackedSlot;
use crate::session::{BatchError, BatchPlan, Game};

/// A rehearsal has no more parts, if they are not smaller than those that are alike.
const PARTS: u32 = 1_000;
/// How the first line of a part begins, which is no story.
const START: &[u8] = b"{\"rehearse\":";

/// Some of the runs of a rehearsal.
#[derive(Serialize, Deserialize)]
struct Runs {
    rehearse: BatchPlan,
    find: Option<Find>,
    consistency: bool,
    /// The build of the program whose figures are wanted.
    build: String,
}

impl Runs {
    fn plan(&self) -> RehearsalPlan {
        RehearsalPlan {
            seed: self.rehearse.seed,
            runs: self.rehearse.games,
            jobs: 1,
            find: self.find.clone(),
            consistency: self.consistency,
        }
    }
}

/// Lets the workers of a store play the runs of a rehearsal, and waits for them. The figures are in
/// the order of their seeds, as if they had been played here.
pub(in crate::cli::commands) fn play_runs(
    app: &App,
    address: &String,
    campaign: &Campaign,
    plan: &RehearsalPlan,
) -> Result<Vec<RunFigures>> {
    let (store, build) = (store(Some(address))?, build());
    let each = plan.runs.div_ceil(PARTS);
    let each = each.next_multiple_of(RUNS_WITH_MEMORIES);
    let part = |before: u32| Runs {
        rehearse: BatchPlan::of(
            campaign,
            plan.seed.wrapping_add(before.into()),
            each.min(plan.runs - before),
        ),
        find: plan.find.clone(),
        consistency: plan.consistency,
        build: build.clone(),
    };
    let begin = |number| {
        let mut journal =
            serde_json::to_vec(&part(number * each)).map_err(|error| failed(error.text()))?;
        journal.push(b'\n');
        // Who asks the same again gets what was not taken.
        let digest = Digest::of(&journal);
        let story = PackedSlot {
            journal,
            ..PackedSlot::default()
        };
        Ok((format!("rehearsal-{digest}").parse()?, story))
    };
    let numbers: Vec<_> = (0..plan.runs.div_ceil(each)).collect();
    let mut played = BTreeMap::new();
    submit_and_take(app, &*store, numbers, plan.runs, begin, |number, world| {
        let (journal, _) = store.read(world, Position::default())?;
        let line = journal.split(|byte| *byte == b'\n').nth(1);
        let line = line.and_then(|line| str::from_utf8(line).ok());
        let mut runs =
            read_runs(line.unwrap_or_default()).map_err(|error| failed(UiText::verbatim(error)))?;
        // Its reason is told here in the language of the reader.
        if runs.iter().any(|run| run.end.failure().is_some()) {
            let part = part(number * each).plan();
            let again = rehearse(campaign, &part, &|_| ControlFlow::Continue(()));
            runs = again.or_fail(ErrorKind::Other)?;
        }
        played.insert(number, runs);
        Ok(())
    })?;
    Ok(played.into_values().flatten().collect())
}

/// Plays the runs that a journal asks for, if it is no story.
pub(super) fn perform(
    app: &App,
    build: &str,
    journal: &[u8],
    stop: &CancellationToken,
) -> Option<Result<Vec<u8>>> {
    let line = journal.starts_with(START).then_some(journal)?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    Some(perform_part(app, build, line, stop))
}

fn perform_part(app: &App, build: &str, line: &[u8], stop: &CancellationToken) -> Result<Vec<u8>> {
    let part: Runs = serde_json::from_slice(line).map_err(|error| failed(error.text()))?;
    if part.build != build {
        return Err(failed(text!(cli_other_build)));
    }
    let campaign = campaign_batch::world_of(app, &part.rehearse)?;
    if campaign.meta().data != part.rehearse.data {
        let path = part.rehearse.world.into();
        return Err(batch::batch_error(BatchError::OtherData { path }));
    }
    let runs = rehearse(&campaign, &part.plan(), &|_| match stop.is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let line = write_runs(&runs.or_fail(ErrorKind::Other)?)
        .map_err(|error| failed(UiText::verbatim(error)))?;
    Ok(format!("{line}\n").into_bytes())
}

fn failed(reason: UiText) -> CommandError {
    CommandError::new(ErrorKind::Save, reason)
}
