//! `run --games`: many stories of a world, and what happened how often.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::engine::Engine;
use crate::exchange::Spent;
use crate::rpg::rehearsal::{Rehearsal, RehearsalPlan, RunFigures, play_all};
use crate::world_data::Problems;

use super::budget::SharedBudget;
use super::tournament::CancellationTokens;
use super::{play, rehearse};
use crate::cli::args::RunArgs;
use crate::cli::loader;
use crate::cli::rehearsal::Report;

/// Plays many stories, each with the next seed, and prints their statistics. They are not saved.
pub(super) fn play_games(app: &App, args: &RunArgs, games: u32) -> Result<()> {
    let campaign = loader::world(app, &app.settings.world.value)?;
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let jobs = play::jobs(args.jobs, games);
    let plan = RehearsalPlan {
        seed: play::seed(app, args.story.seed)?,
        runs: games,
        jobs: jobs as usize,
        find: None,
    };
    if !app.settings.json {
        play::show_seed(app, plan.seed);
    }
    let budget = SharedBudget::new(&app.settings, jobs);
    let granted = Mutex::new(BTreeMap::new());
    let tokens = CancellationTokens::default();
    let runtime = play::runtime()?;
    tokens.handle_ctrl_c(app, &runtime);
    let engine_of = |seed| -> Result<Engine, UiText> {
        let mut setup = campaign.new_game(seed).map_err(|error| error.text())?;
        let minds = loader::minds(app, main.mind.clone(), &mut setup.world)
            .map_err(|error| error.message.unwrap_or_default())?;
        let mut engine = Engine::in_memory(setup, minds).map_err(|error| error.text())?;
        play::prepare(app, &mut engine);
        let grant = budget.grant();
        engine.settings.limits = grant.0;
        engine.settings.hash_meetings = false;
        engine.settings.without_servers = true;
        let mut granted = lock(&granted);
        granted.insert(seed, grant);
        tokens.add(engine.cancellation_token());
        Ok(engine)
    };
    let done = Mutex::new(0);
    let on_run = |run: &RunFigures| {
        let grant = lock(&granted).remove(&run.seed);
        if let Some(grant) = grant {
            budget.give_back(grant, &spent([run]));
        }
        let mut done = lock(&done);
        *done += 1;
        let text = say!(app.language, cli_runs_played, done = *done, all = games);
        play::show_progress(app, *done, games, &text);
        let has_failed = run.end.failure().is_some();
        if has_failed || tokens.main.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let runs = play_all(&plan, &engine_of, &on_run);
    runtime.shutdown_background();
    app.status.hide();
    let mut runs = runs.or_fail(ErrorKind::Other)?;
    let was_stopped = tokens.main.is_cancelled();
    let total = spent(&runs);
    // Those that Ctrl-C stopped came to no end.
    runs.retain(|run| !was_stopped || run.end.failure().is_none());
    let rehearsal = Rehearsal::of(&campaign.file, &runs);
    let report = Report {
        world: &campaign.file,
        runs: &runs,
        rehearsal: &rehearsal,
        price: None,
        why: None,
        unmet: &Problems::default(),
    };
    rehearse::print(app, &campaign, &report);
    if app.prints_text() {
        let (calls, tokens, cost) = (total.calls, total.usage.total(), total.cost.to_string());
        let mut err = app.err();
        err.line(say!(app.language, cli_this_run, calls, tokens, cost));
    }
    rehearse::verdict(app, &report)
}

/// What these stories have spent together.
fn spent<'r>(runs: impl IntoIterator<Item = &'r RunFigures>) -> Spent {
    let mut total = Spent::default();
    for run in runs {
        run.spent.values().for_each(|spent| total += *spent);
    }
    total
}
