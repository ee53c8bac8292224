//! Playing many runs of a world at a time.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, WorldTurn};
use playhouse_engine::engine::{CallFigures, Engine, EngineError, Stop};
use playhouse_engine::event::Feed;
use playhouse_engine::exchange::spent_by_purpose;
use playhouse_engine::journal::Line;
use playhouse_engine::knowledge::Knowledge;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::mind::improviser::{GrammarErrors, Improviser};
use playhouse_engine::mind::{MindAlias, Minds};
use playhouse_engine::save::Slot;
use playhouse_engine::session::{SessionError, play_again};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::subscriber::NoSubscriber;

use super::consistency;
use super::figures::{BondFigures, GoalFigures, LearnedFact, RunEnd, RunFigures, RunNotes};
use super::watch::Watch;
use crate::campaign::Campaign;
use crate::campaign_phase::CampaignState;
use crate::drama::{Belongings, Bonds, Condition, Goals, History, Nearness, Qualities, StoryData};
use crate::improviser;

/// One run in this many has automatic memories, which take a fifth of its time. The improviser
/// does not read them, so they change nothing but the length of prompts.
pub const RUNS_WITH_MEMORIES: u32 = 8;

/// How often a world is rehearsed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RehearsalPlan {
    /// The seed of the first run; each further run has the next one.
    pub seed: u64,
    pub runs: u32,
    /// The number of runs at a time, each in a thread of its own.
    pub jobs: usize,
    /// What is looked for in each run.
    pub find: Option<Find>,
    /// Whether the texts of the world are compared with the state when they are told.
    pub consistency: bool,
}

/// A condition that is looked for in runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Find {
    pub condition: Condition,
    pub when: FindWhen,
}

/// When a condition is looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum FindWhen {
    #[default]
    End,
    /// At the end of any turn.
    Ever,
    /// In the turn in which a scene begins.
    Scene(String),
}

#[derive(Debug, Error, Localize)]
pub enum RehearsalError {
    /// The improviser's grammars can't be read.
    Grammar(#[from] GrammarErrors),
    /// There is no runtime for calls.
    #[text(rpg_rehearsal_runtime, error)]
    Runtime(#[from] std::io::Error),
}

/// Lets the improviser play a world many times, without logs. The figures are in the order of the
/// seeds, whatever the number of jobs. Tokens are those of the runs with automatic memories, the
/// first and every eighth after it. `on_run` is told of each run as it ends, in any order, and
/// may break off the rehearsal: then the figures are those of the runs so far.
///
/// # Errors
/// The improviser or the runtime can't be set up. A run that fails is among the figures.
pub fn rehearse(
    campaign: &Campaign,
    plan: &RehearsalPlan,
    on_run: &(dyn Fn(&RunFigures) -> ControlFlow<()> + Sync),
) -> Result<Vec<RunFigures>, RehearsalError> {
    let (next, stopped) = (AtomicU32::new(0), AtomicBool::new(false));
    let played = Mutex::new(BTreeMap::new());
    let work = || -> Result<(), RehearsalError> {
        // A warning of the world's systems would be logged once for each of many runs.
        let _quiet = tracing::subscriber::set_default(NoSubscriber::default());
        // Each thread has an improviser of its own, so that none waits for what another keeps.
        let improviser = Improviser::taught_from(campaign.data(), improviser::teach)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        while !stopped.load(Ordering::Relaxed) {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= plan.runs {
                break;
            }
            let seed = plan.seed.wrapping_add(u64::from(run));
            let engine = set_up(campaign, &improviser, seed, plan.consistency);
            let engine = engine.map(|mut engine| {
                engine.settings.recalls = run.is_multiple_of(RUNS_WITH_MEMORIES);
                engine
            });
            let figures = play_engine(engine, seed, plan.find.as_ref());
            let figures = runtime.block_on(figures);
            if on_run(&figures).is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
            locked(&played).insert(run, figures);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work);
        let jobs: io::Result<Vec<_>> = (0..plan.jobs.max(1)).map(start).collect();
        stopped.fetch_or(jobs.is_err(), Ordering::Relaxed);
        let end =
            |job: ScopedJoinHandle<'_, _>| job.join().unwrap_or_else(|panic| resume_unwind(panic));
        jobs?.into_iter().try_for_each(end)
    })?;
    let played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(played.into_values().collect())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets an improviser that knows campaigns play a world once, counts what happens, and looks
/// for `find`.
pub async fn play(
    campaign: &Campaign,
    improviser: &Improviser,
    seed: u64,
    find: Option<&Find>,
) -> RunFigures {
    play_engine(set_up(campaign, improviser, seed, false), seed, find).await
}

async fn play_engine(engine: Result<Engine, UiText>, seed: u64, find: Option<&Find>) -> RunFigures {
    let failed = |reason| RunFigures {
        seed,
        end: RunEnd::Failed(reason),
        ..RunFigures::default()
    };
    let mut engine = match engine {
        Ok(engine) => engine,
        Err(reason) => return failed(reason),
    };
    let watch = observe(&mut engine);
    locked(&watch).find = find.cloned();
    let end = match engine.run(None).await {
        Ok(Stop::Finished(text)) => RunEnd::Finished(text),
        Ok(_) => RunEnd::Failed(text!(rpg_rehearsal_idle)),
        Err(error) => RunEnd::Failed(error.text()),
    };
    let false_texts = consistency::take(&mut engine.world);
    let world = &engine.world;
    let found_in = match find {
        Some(find) if find.when == FindWhen::End => {
            let holds = find.condition.holds(world, &"find");
            holds.then(|| world.resource::<WorldTurn>().0)
        }
        _ => locked(&watch).found_in,
    };
    let mut figures = figures(world, &watch);
    figures.notes.false_texts = false_texts;
    RunFigures {
        seed,
        end,
        found: find.map(|_| found_in.is_some()),
        found_in,
        has_memories: engine.settings.recalls,
        cached_tokens: engine.totals().predicted_cached(),
        ..figures
    }
}

/// What a saved run came to, by its journal; `None` if it is not over. Models may have played it.
pub async fn figures_of(
    slot: &Slot,
    campaign: &Campaign,
) -> Result<Option<RunFigures>, SessionError> {
    let story = slot.read(false)?;
    let (seed, cached_tokens) = (story.header.seed, predicted_cached(&story.lines));
    let mut watch = SharedWatch::default();
    let replayed = play_again(story, campaign, None, |engine| watch = observe(engine)).await?;
    let end = match replayed.stop {
        Stop::Finished(text) => RunEnd::Finished(text),
        Stop::Idle => RunEnd::Failed(text!(rpg_rehearsal_idle)),
        _ => return Ok(None),
    };
    Ok(Some(RunFigures {
        seed,
        end,
        has_memories: true,
        cached_tokens,
        ..figures(&replayed.engine.world, &watch)
    }))
}

/// The prompt tokens of recorded calls that providers are expected to have read from their caches.
fn predicted_cached(journal: &[Line]) -> u64 {
    let outcomes = journal.iter().filter_map(|line| match line {
        Line::Outcome(outcome) => Some(CallFigures {
            prompt_bytes: outcome.prompt_bytes,
            usage: outcome.usage,
            ..CallFigures::default()
        }),
        _ => None,
    });
    outcomes.map(|call| call.predicted_cached()).sum()
}

type SharedWatch = Arc<Mutex<Watch>>;

/// Counts what happens in an engine.
fn observe(engine: &mut Engine) -> SharedWatch {
    engine.world.init_resource::<Nearness>();
    let watch = SharedWatch::default();
    let (sink, turns) = (watch.clone(), watch.clone());
    engine.add_feed(Feed::observer(move |record| locked(&sink).note(record)));
    engine.on_turn(move |world, _, _| {
        locked(&turns).note_turn(world);
        Ok(())
    });
    watch
}

/// What became of a world, and what happened on the way.
fn figures(world: &World, watch: &SharedWatch) -> RunFigures {
    let watch = std::mem::take(&mut *locked(watch));
    let ending = world.resource::<History>().ending.as_deref();
    let qualities = world
        .resource::<Qualities>()
        .0
        .iter()
        .map(|(id, value)| (id.to_string(), *value));
    RunFigures {
        ending: ending.map(Into::into),
        turns: world.resource::<WorldTurn>().0,
        days: world.resource::<CampaignState>().days_done,
        course: watch.course,
        notes: RunNotes {
            missing: Nearness::take(world),
            spots: watch.spots,
            near_told: watch.near_told,
            false_texts: Vec::new(),
        },
        falls: watch.falls,
        skipped: watch.skipped,
        learned: learned(world),
        holders: holders(world),
        goals: goals(world),
        bonds: bonds(world),
        qualities: qualities.collect(),
        spent: spent_by_purpose(world),
        repeated: watch.clauses.repeated(),
        ..RunFigures::default()
    }
}

/// An engine for one run, with the improviser for everybody. Nobody resumes it, so its state is not
/// hashed, and its journal is lost with it.
fn set_up(
    campaign: &Campaign,
    improviser: &Improviser,
    seed: u64,
    consistency: bool,
) -> Result<Engine, UiText> {
    let mut setup = campaign.new_game(seed).map_err(|error| error.text())?;
    if consistency {
        consistency::watch(&mut setup, &campaign.file);
    }
    let mut minds = Minds::all(Arc::new(improviser.clone()));
    let mut preferences = setup.world.query::<&MindAlias>();
    for alias in preferences.iter(&setup.world) {
        minds = minds.with_alias(&*alias.0, Arc::new(improviser.clone()));
    }
    let mut engine = Engine::in_memory(setup, minds).map_err(|error: EngineError| error.text())?;
    engine.settings.verify = false;
    engine.settings.without_servers = true;
    Ok(engine)
}

/// A component of each entity that has it, with its name, in stable order.
pub(super) fn each<C: Component>(world: &World) -> impl Iterator<Item = (&str, Entity, &C)> {
    let cast = world.resource::<CastList>().all();
    cast.filter_map(|(_, entity)| {
        let name = &world.get::<EntityName>(entity)?.0;
        Some((&**name, entity, world.get::<C>(entity)?))
    })
}

/// What characters did not know at the start. Stages and world agents hear much that nobody tells
/// them.
fn learned(world: &World) -> Vec<LearnedFact> {
    let is_actor = |entity| world.get::<Kind>(entity) == Some(&Kind::Actor);
    let characters = each::<Knowledge>(world).filter(|(_, entity, _)| is_actor(*entity));
    let learned = characters.flat_map(|(who, _, knowledge)| {
        let learned = knowledge.all().filter(|(_, known)| !known.by.is_empty());
        learned.map(move |(fact, known)| LearnedFact {
            fact: fact.to_string(),
            who: who.to_owned(),
            from: known.from.as_deref().map(Into::into),
            day: known.day,
        })
    });
    learned.collect()
}

fn holders(world: &World) -> BTreeMap<String, Option<String>> {
    let items = world.resource::<StoryData>().items.iter();
    let holder = |item: &str| {
        let mut holders = each::<Belongings>(world);
        let holder = holders.find(|(_, _, belongings)| belongings.0.contains(item));
        holder.map(|(name, ..)| name.to_owned())
    };
    items
        .map(|item| (item.name.clone(), holder(&item.name)))
        .collect()
}

fn goals(world: &World) -> Vec<GoalFigures> {
    let goals = each::<Goals>(world).flat_map(|(who, _, goals)| {
        let goals = goals.0.iter().enumerate();
        goals.map(move |(number, state)| GoalFigures {
            who: who.to_owned(),
            number,
            state: *state,
        })
    });
    goals.collect()
}

fn bonds(world: &World) -> Vec<BondFigures> {
    let bonds = each::<Bonds>(world).flat_map(|(from, _, bonds)| {
        bonds.0.iter().map(move |(to, bond)| BondFigures {
            from: from.to_owned(),
            to: to.to_string(),
            value: bond.value,
        })
    });
    bonds.collect()
}
