//! `rehearse`: the improviser plays a world many times, and tables show how often things happened.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use crate::engine::CancellationToken;
use crate::rpg::Campaign;
use crate::rpg::experiment::ConditionRuns;
use crate::rpg::rehearsal::{
    FalseText, Find, FindWhen, Rehearsal, RehearsalPlan, RunFigures, rehearse as play_runs,
};
use crate::rpg::world_file::WorldFile;
use crate::session::Game as _;
use crate::world_data::Problems;

use super::play;
use crate::cli::args::RehearseArgs;
use crate::cli::comparison::{Arm, print_report};
use crate::cli::loader;
use crate::cli::printed::RunPrice;
use crate::cli::provenance::Provenance;
use crate::cli::rehearsal::{self, PricedAs, Report};
use crate::cli::settings::IMPROVISER;

/// The seed of the first run if none is given: the figures of two rehearsals can be compared, and
/// expectations hold or don't hold every time.
pub(super) const FIRST_SEED: u64 = 1;

pub(super) fn rehearse(app: &App, args: &RehearseArgs) -> Result<()> {
    let campaign = loader::world(app, &args.world)?;
    if let Some(other) = &args.against {
        return compare(app, args, &campaign, other);
    }
    if args.consistency {
        return check_texts(app, args, &campaign);
    }
    let expectations =
        loader::expectations(app, &args.world, &campaign.file)?.map_err(|problems| {
            loader::print_problems(app, &problems);
            let message = text!(cli_expectation_errors, count = problems.len());
            CommandError::new(ErrorKind::World, message)
        })?;
    if let Some(id) = &args.why {
        check_id(id, &ids(&campaign.file))?;
    }
    if let Some(scene) = &args.at {
        let scenes = campaign.file.scenes.iter();
        let scenes: Vec<_> = scenes.map(|scene| scene.id.clone()).collect();
        check_id(scene, &scenes)?;
    }
    let price = args.cost_as.as_deref().map(|model| price(app, model));
    let price = price.transpose()?;
    let find = args.find.as_deref().map(|text| {
        let found = campaign.file.read_condition("--find", text);
        let found = found.map_err(|problems| {
            loader::print_problems(app, &problems);
            CommandError::printed(ErrorKind::Usage)
        });
        found.map(|(condition, warnings)| {
            loader::print_problems(app, &warnings);
            condition
        })
    });
    let find = find.transpose()?.map(|condition| Find {
        condition,
        when: match &args.at {
            Some(scene) => FindWhen::Scene(scene.clone()),
            None if args.ever => FindWhen::Ever,
            None => FindWhen::End,
        },
    });
    let plan = plan(args, find);
    let token = CancellationToken::default();
    let runs = play_plan(app, args, &campaign, &plan, &token)?;
    let provenance = Provenance::of(campaign.meta(), IMPROVISER);
    let rehearsal = Rehearsal::of(&campaign.file, &runs);
    // Who asks one question is told nothing else.
    let is_asked = args.why.is_some() || args.map || args.find.is_some();
    let unmet = match is_asked {
        true => Problems::default(),
        false => expectations.unmet(&rehearsal),
    };
    let report = Report {
        price: price.as_ref(),
        why: args.why.as_deref(),
        map: args.map,
        ..Report::of(&campaign.file, (&runs, &rehearsal), &unmet)
    };
    learn_names(app, &campaign);
    if app.settings.json {
        print_runs(app, &provenance, &runs);
    }
    print(app, &provenance, &report);
    if let Some(path) = &args.html {
        write_page(path, &rehearsal::page(app.language, &report))?;
        if app.prints_text() {
            app.err().line(say!(
                app.language,
                cli_rehearsal_page,
                path = path.display()
            ));
        }
    }
    if token.is_cancelled() && app.prints_text() {
        app.err().line(say!(app.language, cli_end_stopped));
    }
    verdict(app, &report)
}

fn plan(args: &RehearseArgs, find: Option<Find>) -> RehearsalPlan {
    RehearsalPlan {
        seed: args.seed.unwrap_or(FIRST_SEED),
        runs: args.runs,
        jobs: play::jobs(args.jobs, args.runs) as usize,
        find,
        consistency: args.consistency,
    }
}

/// Plays a world and prints which of its texts were told although they were not true.
fn check_texts(app: &App, args: &RehearseArgs, campaign: &Campaign) -> Result<()> {
    let (plan, token) = (plan(args, None), CancellationToken::default());
    let runs = play_plan(app, args, campaign, &plan, &token)?;
    let source = campaign.source();
    let mut by_place = BTreeMap::<_, Vec<(u64, &FalseText)>>::new();
    for run in &runs {
        for found in &run.notes.false_texts {
            let told = by_place.entry((&found.path, &found.wrong)).or_default();
            told.push((run.seed, found));
        }
    }
    let mut problems = Vec::new();
    for ((path, wrong), told) in &by_place {
        let (message, help) = wrong.texts();
        let seeds: BTreeSet<_> = told.iter().map(|(seed, _)| *seed).collect();
        let (seed, turn) = told
            .first()
            .map_or((0, 0), |(seed, found)| (*seed, found.turn));
        let message = text!(
            cli_rehearsal_false_text,
            message,
            runs = seeds.len(),
            of = runs.len(),
            seed,
            turn
        );
        problems.push((source.problem(path, message, help), told));
    }
    problems
        .sort_by(|(a, _), (b, _)| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    let mut out = app.out();
    for (problem, told) in &problems {
        if app.settings.json {
            for (seed, found) in *told {
                out.json(&Printed::FalseText {
                    seed: *seed,
                    file: &problem.file,
                    line: problem.line,
                    found,
                });
            }
        } else {
            out.line(problem.in_language(app.language));
        }
    }
    let failed = runs
        .iter()
        .find_map(|run| Some((run.seed, run.end.failure()?)));
    if let Some((seed, reason)) = failed {
        let message = text!(
            cli_rehearsal_failed,
            count = 1,
            seed,
            reason = reason.clone()
        );
        return Err(CommandError::new(ErrorKind::Other, message));
    }
    if problems.is_empty() {
        if app.prints_text() {
            out.line(say!(app.language, cli_rehearsal_true, runs = runs.len()));
        }
        return Ok(());
    }
    let message = text!(cli_rehearsal_false, count = problems.len());
    Err(CommandError::new(ErrorKind::Expectation, message))
}

/// Plays all runs, unless Ctrl-C stops them, or lets the workers of a store play them.
fn play_plan(
    app: &App,
    #[cfg_attr(
        not(feature = "cluster"),
        expect(unused_variables, reason = "no store")
    )]
    args: &RehearseArgs,
    campaign: &Campaign,
    plan: &RehearsalPlan,
    token: &CancellationToken,
) -> Result<Vec<RunFigures>> {
    #[cfg(feature = "cluster")]
    if let Some(address) = &args.on {
        return super::cluster::play_runs(app, address, campaign, plan);
    }
    let runtime = play::runtime()?;
    runtime.spawn(play::handle_ctrl_c(token.clone(), app.err(), app.language));
    let done = Mutex::new(0);
    let runs = play_runs(campaign, plan, &|_| {
        let mut done = lock(&done);
        *done += 1;
        let text = say!(app.language, cli_runs_played, done = *done, all = plan.runs);
        play::show_progress(app, *done, plan.runs, &text);
        if token.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    runtime.shutdown_background();
    app.status.hide();
    runs.or_fail(ErrorKind::Other)
}

/// Rehearses two worlds with the same seeds, and prints how they differ.
fn compare(app: &App, args: &RehearseArgs, first: &Campaign, other: &str) -> Result<()> {
    let second = loader::world(app, other)?;
    let (plan, token) = (plan(args, None), CancellationToken::default());
    let campaigns = [(&args.world, first), (&other.to_owned(), &second)];
    let mut arms = Vec::new();
    for (name, campaign) in campaigns {
        let runs = play_plan(app, args, campaign, &plan, &token)?;
        let mut provenance = Provenance::of(campaign.meta(), IMPROVISER);
        provenance.condition = Some(name.clone());
        arms.push((name, campaign, provenance, runs));
    }
    learn_names(app, first);
    if app.settings.json {
        for (_, _, provenance, runs) in &arms {
            print_runs(app, provenance, runs);
        }
    }
    let arms = arms.iter().map(|(name, campaign, provenance, runs)| Arm {
        provenance,
        seed: plan.seed,
        runs: ConditionRuns {
            name,
            world: &campaign.file,
            runs,
        },
    });
    print_report(app, &arms.collect::<Vec<_>>(), &[]);
    Ok(())
}

fn print_runs(app: &App, provenance: &Provenance, runs: &[RunFigures]) {
    for figures in runs {
        app.out().json(&Printed::Run {
            slot: None,
            provenance,
            figures,
        });
    }
}

/// The ids of all scenes, options, endings and facts.
fn ids(world: &WorldFile) -> Vec<String> {
    let scenes = world.scenes.iter().flat_map(|scene| {
        let options = scene.choice.iter().flat_map(|choice| &choice.options);
        let options = options.map(|option| format!("{}={}", scene.id, option.id));
        std::iter::once(scene.id.clone()).chain(options)
    });
    let endings = world.endings.iter().map(|ending| ending.id.clone());
    let facts = world.facts.iter().map(|fact| fact.id.clone());
    scenes.chain(endings).chain(facts).collect()
}

/// Checks that something has this id.
fn check_id(id: &str, known: &[String]) -> Result<()> {
    if known.iter().any(|known| known == id) {
        return Ok(());
    }
    let mut error = CommandError::usage(text!(cli_rehearsal_no_such_id, id));
    error.help = loader::did_you_mean(id, known.iter().map(String::as_str));
    Err(error)
}

/// The price of this model, which must be known.
fn price(app: &App, model: &str) -> Result<PricedAs> {
    let summary = app.models()?.summary(model).or_fail(ErrorKind::Server)?;
    let price = summary.price;
    let model = model.to_owned();
    match price {
        Some(price) => Ok(PricedAs { model, price }),
        None => Err(CommandError::usage(text!(cli_no_price_as, model))),
    }
}

/// Lets records have the numbers of everybody in a world. Those who come with a fight have other
/// numbers in every run.
pub(super) fn learn_names(app: &App, campaign: &Campaign) {
    let setup = campaign.new_game(FIRST_SEED).ok();
    if let Some(setup) = setup.filter(|_| app.settings.json) {
        play::learn_names(app, &setup.world);
    }
}

/// Prints the figures of all runs of a world.
pub(super) fn print(app: &App, provenance: &Provenance, report: &Report<'_>) {
    let mut out = app.out();
    if app.settings.json {
        let found = report.found();
        out.json(&Printed::Rehearsal {
            title: &report.world.name,
            seed: report.runs.first().map(|run| run.seed),
            price: report.price.map(|priced| RunPrice {
                model: &priced.model,
                cost: priced.cost(report.rehearsal),
                currency: &priced.price.currency,
            }),
            unmet: report.unmet,
            found: found.map(|found| found.into_iter().map(|(seed, _)| seed).collect()),
            provenance,
            figures: report.rehearsal,
        });
    } else if !app.settings.quiet {
        rehearsal::write(&mut out, app.language, report);
    }
    out.flush();
}

pub(super) fn write_page(path: &Path, page: &str) -> Result<()> {
    write_file(path, page.as_bytes())
}

/// Writes a file that the user named.
pub(super) fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let written = File::create(path).and_then(|mut file| file.write_all(content));
    written.map_err(|error| {
        let message = text!(cli_cant_write, error = &error);
        CommandError::new(ErrorKind::Other, message).at(path.display())
    })
}

/// An error if runs failed or expectations were not met.
pub(super) fn verdict(app: &App, report: &Report<'_>) -> Result<()> {
    let failed = &report.rehearsal.failed;
    if let Some(first) = failed.first() {
        let (count, seed) = (failed.len(), first.seed);
        let reason = first.reason.clone();
        let message = text!(cli_rehearsal_failed, count, seed, reason);
        return Err(CommandError::new(ErrorKind::Other, message));
    }
    if report.unmet.is_empty() {
        return Ok(());
    }
    loader::print_problems(app, report.unmet);
    let message = text!(cli_rehearsal_unmet, count = report.unmet.len());
    Err(CommandError::new(ErrorKind::Expectation, message))
}
