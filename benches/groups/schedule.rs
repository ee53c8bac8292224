//! `schedule`: places go on without waiting for each other. How near that comes to the best
//! possible, in simulated time; a short form is among the tests of the campaign.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "benches and tests show figures"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CurrentStage, Kind, StageQuery, WorldTurn, spawn};
use playhouse_engine::engine::{Engine, Setup, StepSet};
use playhouse_engine::event::EventWriter;
use playhouse_engine::event::kinds::Speak;
use playhouse_engine::exchange::{Answers, Ask, Prose, ProseRules};
use playhouse_engine::journal::{AskEnding, Journal, JournalHeader, Line, Recording};
use playhouse_engine::message::{Block, Digest};
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{Answering, Mind, MindInfo, Minds, Prompt, ScriptLine, ScriptMind};
use playhouse_engine::testing::{journal, spawn_spec};
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;

/// The last turn in which an actor was asked, from 1.
#[derive(Component)]
struct Asked(u64);

/// Lets those at a place speak one after the other, each once a turn.
fn ask_next(mut actors: StageQuery<&mut Asked>, turn: Res<WorldTurn>, mut commands: Commands) {
    let mut is_asked = false;
    actors.each(|entity, mut asked| {
        if !is_asked && asked.0 <= turn.0 {
            (is_asked, asked.0) = (true, turn.0 + 1);
            let ask = Ask::new(
                "line",
                "What do you say?",
                ProseRules::default(),
                Prose("…".into()),
            );
            commands.entity(entity).insert(ask);
        }
    });
}

fn tell(mut answers: Answers<Prose>, mut events: EventWriter) {
    for (who, line, _) in answers.take() {
        let event = Speak {
            actor: format!("{who}"),
            target: "all".into(),
            message: line.0,
            tells: Vec::new(),
        };
        events.broadcast_to_stage(who, event, &[who]);
    }
}

/// A number below 1 that follows from these.
fn drawn(seed: u64, name: &str, number: u64) -> f64 {
    let digest = Digest::of(format!("{seed} {name} {number}").as_bytes()).to_string();
    let first = u32::from_str_radix(&digest[..8], 16).unwrap();
    f64::from(first) / f64::from(u32::MAX)
}

/// How long a model takes: one in two 2 s, one in twenty 8 s, with a lognormal distribution.
fn latency(seed: u64, name: &str, number: u64) -> f64 {
    let [u, v] = [0, 1].map(|part| drawn(seed, name, number * 2 + part));
    let normal = (-2.0 * u.max(1e-9).ln()).sqrt() * (std::f64::consts::TAU * v).cos();
    2.0 * (0.843 * normal).exp()
}

/// How long all calls for each ask took, by the name of who was asked and the ask's number.
type Took = Arc<Mutex<BTreeMap<(String, u32), f64>>>;

/// A mind that is far away.
struct Distant {
    mind: ScriptMind,
    seed: u64,
    took: Took,
}

impl Mind for Distant {
    fn info(&self) -> &MindInfo {
        self.mind.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (who, number) = (prompt.entity.to_string(), prompt.number);
        let call = u64::from(number) * 100 + prompt.rounds.len() as u64;
        let takes = latency(self.seed, &who, call);
        let mut took = self.took.lock().unwrap();
        *took.entry((who, number)).or_default() += takes;
        let answer = self.mind.answer(prompt);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs_f64(takes)).await;
            answer.await
        })
    }
}

/// A campaign by the improviser, as its journal has it.
async fn record(world: &str, until: u64) -> Vec<Line> {
    let campaign = Campaign::load(&DataFolder::embedded(), world).unwrap();
    let setup = campaign.new_game(7).unwrap();
    let improviser = Improviser::taught(playhouse_rpg::improviser::teach).unwrap();
    let journal = Journal::in_memory(JournalHeader::new(world, "", 7));
    let mut engine = Engine::new(setup, Minds::all(Arc::new(improviser)), journal).unwrap();
    engine.run(Some(until)).await.unwrap();
    engine.journal().lines().to_vec()
}

/// The world of a recorded campaign from its beginning, and a mind that says again what was
/// recorded: refused answers and calls of tools, too.
fn recorded(lines: &[Line]) -> (Setup, ScriptMind) {
    let Some(Line::Header(head)) = lines.first() else {
        panic!("a journal begins with its header");
    };
    let campaign = Campaign::load(&DataFolder::embedded(), &head.world).unwrap();
    let recording = Recording::of(lines.to_vec());
    let outcomes = recording.outcomes().map(|outcome| {
        let ask = (outcome.entity.to_string(), outcome.number);
        (ask, outcome.clone())
    });
    let outcomes: BTreeMap<_, _> = outcomes.collect();
    let mind = ScriptMind::by_rule(move |prompt| {
        let outcome = &outcomes[&(prompt.entity.to_string(), prompt.number)];
        let refused = prompt.refused().count();
        let round = outcome.rounds.get(prompt.rounds.len() - refused);
        if let Some(round) = round.filter(|round| round.refused_before as usize == refused) {
            let calls = round.said.iter().filter_map(|block| match block {
                Block::ToolUse { name, input, .. } => Some((name.as_str(), input.clone())),
                _ => None,
            });
            return ScriptLine::call(calls);
        }
        match (outcome.refused.get(refused), &outcome.ending) {
            (Some(refused), _) => ScriptLine::say(&refused.answer),
            (None, AskEnding::Answered { text, .. }) => ScriptLine::say(text),
            // What is nothing can't be used, either.
            (None, AskEnding::Failed { .. }) => ScriptLine::say(""),
        }
    });
    (campaign.new_game(head.seed).unwrap(), mind)
}

/// A town whose actors speak once a turn, in places of which some are crowded, and their mind.
fn town(actors: u64, places: usize) -> (Setup, ScriptMind) {
    let mut setup = Setup::new(1);
    for place in 0..places {
        let spec = spawn_spec(&format!("Place {place}"), Kind::Stage, None);
        spawn(&mut setup.world, spec).unwrap();
    }
    for actor in 0..actors {
        let name = format!("Actor {actor}");
        let place = drawn(0, &name, 0).max(drawn(0, &name, 1)) * places as f64;
        let place = format!("Place {}", (place as usize).min(places - 1));
        let actor = spawn(
            &mut setup.world,
            spawn_spec(&name, Kind::Actor, Some(&place)),
        );
        setup.world.entity_mut(actor.unwrap()).insert(Asked(0));
    }
    let systems = (tell.in_set(StepSet::Take), ask_next.in_set(StepSet::Ask));
    setup.step.add_systems(systems);
    let mind = ScriptMind::by_rule(|prompt| {
        ScriptLine::say(format!("Line {} of {}.", prompt.number, prompt.entity))
    });
    (setup, mind)
}

/// What depends on what: the parts of a story that come one after the other, with the places that
/// play at the same time in each, step after step, and how long those take who are asked in a step.
type Steps = BTreeMap<(u64, usize), BTreeMap<Entity, Vec<Vec<f64>>>>;

/// The least time in which a schedule could play it: in each part that of the place which takes
/// longest, or that of all calls if these are more than there may be at once.
fn best(steps: &Steps, width: usize) -> f64 {
    let longest = |times: &mut dyn Iterator<Item = f64>| times.fold(0.0, f64::max);
    let part = |places: &BTreeMap<_, Vec<Vec<f64>>>| {
        let step = |calls: &Vec<f64>| longest(&mut calls.iter().copied());
        let place = |steps: &Vec<Vec<f64>>| steps.iter().map(step).sum();
        let all: f64 = places.values().flatten().flatten().sum();
        longest(&mut places.values().map(place)).max(all / width as f64)
    };
    steps.values().map(part).sum()
}

/// The same story, if all places waited for each other after each step.
fn in_step(steps: &Steps) -> Steps {
    let mut waiting = Steps::new();
    for ((turn, _), places) in steps {
        for (place, steps) in places {
            for (round, calls) in steps.iter().enumerate() {
                let places = waiting.entry((*turn, round)).or_default();
                places.insert(*place, vec![calls.clone()]);
            }
        }
    }
    waiting
}

/// Plays a story with so many calls at once. Returns how long it took, what depends on what, and
/// what came of it.
async fn play(
    setup: Setup,
    mind: ScriptMind,
    seed: u64,
    width: usize,
    until: u64,
) -> (f64, Steps, Digest) {
    let (took, steps) = (Took::default(), Arc::new(Mutex::new(Steps::new())));
    let distant = Distant {
        mind,
        seed,
        took: took.clone(),
    };
    let mut engine = Engine::new(setup, Minds::all(Arc::new(distant)), journal()).unwrap();
    engine.settings.width = width;
    engine.settings.max_defaults = Some(u64::MAX);
    let noted = steps.clone();
    engine.on_commit(move |world, outcomes| {
        let turn = world.resource::<WorldTurn>().0;
        let CurrentStage::Place(place) = *world.resource::<CurrentStage>() else {
            panic!("nobody is asked between turns");
        };
        let took = took.lock().unwrap();
        let calls = outcomes.iter().filter_map(|outcome| {
            let ask = (outcome.entity.to_string(), outcome.number);
            took.get(&ask).copied()
        });
        let mut steps = noted.lock().unwrap();
        let places = steps.entry((turn, 0)).or_default();
        places.entry(place).or_default().push(calls.collect());
    });
    let begun = tokio::time::Instant::now();
    engine.run(Some(until)).await.unwrap();
    let took = begun.elapsed().as_secs_f64();
    let conversations = format!("{:?}", engine.conversations());
    let steps = std::mem::take(&mut *steps.lock().unwrap());
    (took, steps, Digest::of(conversations.as_bytes()))
}

/// Plays a story with so many calls at once.
async fn compare(
    what: &str,
    story: impl Fn() -> (Setup, ScriptMind),
    until: u64,
    widths: &[usize],
) {
    let mut worlds = Vec::new();
    for &width in widths {
        let (setup, mind) = story();
        // Other latencies each time.
        let seed = width.ilog2().into();
        let (took, steps, world) = play(setup, mind, seed, width, until).await;
        let share = best(&steps, width) / took;
        let in_step = best(&in_step(&steps), width) / took;
        println!(
            "{what}, {width} calls: {took:.0} s, {share:.3} of the best possible, \
             {in_step:.2} times as fast as in step"
        );
        assert!(share >= 0.9);
        worlds.push(world);
    }
    worlds.dedup();
    assert_eq!(worlds.len(), 1);
}

#[allow(
    dead_code,
    clippy::disallowed_methods,
    reason = "benches call it, and whoever starts them may name a journal"
)]
pub(crate) fn bench() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().unwrap();
    let widths = [1, 4, 8, 16, 32, 64];
    let lines = match std::env::var_os("PLAYHOUSE_JOURNAL") {
        Some(path) => Journal::read(path.as_ref()).unwrap(),
        None => runtime.block_on(record("drowned-assize", u64::MAX)),
    };
    let until = Recording::of(lines.clone()).last_turn();
    let campaign = || recorded(&lines);
    runtime.block_on(compare("a campaign", campaign, until, &widths));
    for (actors, places) in [(25, 10), (1_000, 10), (1_000, 100)] {
        let what = format!("{actors} actors, {places} places");
        runtime.block_on(compare(&what, || town(actors, places), 4, &widths));
    }
}

#[cfg(test)]
#[tokio::test(start_paused = true)]
async fn places_take_little_longer_than_the_best_possible_and_the_world_is_the_same() {
    let lines = record("drowned-assize", 6).await;
    compare("a campaign", || recorded(&lines), 6, &[1, 8]).await;
    compare("25 actors, 10 places", || town(25, 10), 4, &[1, 4, 64]).await;
    compare("1,000 actors, 100 places", || town(1_000, 100), 2, &[8]).await;
}
