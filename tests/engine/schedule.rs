//! Places go on without waiting for each other: how near that comes to the best possible, in
//! simulated time.
#![expect(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stdout, reason = "tests show figures")]

use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use playhouse::cast::{Kind, StageQuery, WorldTurn, spawn};
use playhouse::context::{AgentContext, buffer};
use playhouse::engine::{Engine, Setup, StepSet};
use playhouse::event::EventWriter;
use playhouse::event::kinds::Speak;
use playhouse::exchange::{Answers, Ask, Prose, ProseRules};
use playhouse::message::Digest;
use playhouse::mind::{Answering, Completion, Mind, MindInfo, Minds, Prompt};
use playhouse::testing::{journal, spawn_spec};

/// The first, in which nobody knows which places are crowded, is left out.
const TURNS: u64 = 5;

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

/// A model that is far away.
struct Distant {
    info: MindInfo,
    seed: u64,
}

impl Mind for Distant {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let number = prompt.number;
        let takes = latency(self.seed, prompt.entity, number.into());
        let line = format!("This is line {number} of {}.", prompt.entity);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs_f64(takes)).await;
            Ok(Completion::instant("distant", line))
        })
    }
}

/// Who is where: some places are crowded.
struct Town(Vec<Vec<String>>);

impl Town {
    fn new(actors: u64, places: usize) -> Self {
        let mut town = vec![Vec::new(); places];
        for actor in 0..actors {
            let name = format!("Actor {actor}");
            let place = drawn(0, &name, 0).max(drawn(0, &name, 1)) * places as f64;
            town[(place as usize).min(places - 1)].push(name);
        }
        Self(town)
    }

    /// Plays it with so many calls at once. Returns how long it took, and what came of it.
    async fn play(&self, seed: u64, width: usize) -> (f64, Digest) {
        let mut setup = Setup::new(1);
        for (place, actors) in self.0.iter().enumerate() {
            let place = format!("Place {place}");
            spawn(&mut setup.world, spawn_spec(&place, Kind::Stage, None)).unwrap();
            for actor in actors {
                let spec = spawn_spec(actor, Kind::Actor, Some(&place));
                let actor = spawn(&mut setup.world, spec).unwrap();
                setup.world.entity_mut(actor).insert(Asked(0));
            }
        }
        setup
            .step
            .add_systems((tell.in_set(StepSet::Take), ask_next.in_set(StepSet::Ask)));
        let info = MindInfo::embedded("distant");
        let minds = Minds::all(Arc::new(Distant { info, seed }));
        let mut engine = Engine::new(setup, minds, journal()).unwrap();
        engine.settings.width = width;
        engine.run(Some(1)).await.unwrap();
        let begun = tokio::time::Instant::now();
        engine.run(Some(TURNS)).await.unwrap();
        let took = begun.elapsed().as_secs_f64();
        let mut contexts = engine.world.query::<&AgentContext>();
        let contexts = contexts.iter(&engine.world);
        let contexts: Vec<_> = contexts
            .map(|context| format!("{:?}", buffer(context)))
            .collect();
        (took, Digest::of(contexts.concat().as_bytes()))
    }

    /// The least time in which a schedule could play it: in each turn that of the place which takes
    /// longest, or that of all calls if these are more than there may be at once.
    fn best(&self, seed: u64, width: usize) -> f64 {
        let turn = |turn: u64| {
            let place =
                |actors: &Vec<String>| actors.iter().map(|who| latency(seed, who, turn)).sum();
            let places: Vec<f64> = self.0.iter().map(place).collect();
            let longest = places.iter().copied().fold(0.0, f64::max);
            longest.max(places.iter().sum::<f64>() / width as f64)
        };
        (2..=TURNS).map(turn).sum()
    }

    /// The least time if all places waited for each other after each line.
    fn in_step(&self, seed: u64, width: usize) -> f64 {
        let most = self.0.iter().map(Vec::len).max().unwrap();
        let round = |(turn, round): (u64, usize)| {
            let asked = self.0.iter().filter_map(|actors| actors.get(round));
            let calls: Vec<f64> = asked.map(|who| latency(seed, who, turn)).collect();
            let longest = calls.iter().copied().fold(0.0, f64::max);
            longest.max(calls.iter().sum::<f64>() / width as f64)
        };
        let rounds = (2..=TURNS).flat_map(|turn| (0..most).map(move |round| (turn, round)));
        rounds.map(round).sum()
    }
}

#[tokio::test(start_paused = true)]
async fn places_take_little_longer_than_the_best_possible_and_the_world_is_the_same() {
    for (actors, places) in [(25, 10), (1_000, 10), (1_000, 100)] {
        let town = Town::new(actors, places);
        let mut worlds = Vec::new();
        for (seed, width) in [(1, 1), (2, 4), (3, 8), (4, 16), (5, 32), (6, 64)] {
            let (took, world) = town.play(seed, width).await;
            let share = town.best(seed, width) / took;
            let in_step = town.in_step(seed, width) / took;
            println!(
                "{actors} actors, {places} places, {width} calls: {took:.0} s, \
                 {share:.3} of the best possible, {in_step:.2} times as fast as in step"
            );
            assert!(share >= 0.9);
            worlds.push(world);
        }
        worlds.dedup();
        assert_eq!(worlds.len(), 1);
    }
}
