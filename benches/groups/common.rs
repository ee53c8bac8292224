//! What the benches share: a game of saying lines, figures of the process, and fair averages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy_ecs::prelude::*;
use playhouse::cast::{Dead, EntityName, Kind, StageQuery, WorldTurn, spawn};
use playhouse::engine::{Engine, Setup, StepSet};
use playhouse::event::guard::{Guards, SecretRule};
use playhouse::event::kinds::Speak;
use playhouse::event::{EventWriter, Phrasebook};
use playhouse::exchange::{Answers, Ask, Reply};
use playhouse::message::Language;
use playhouse::mind::{Mind, Minds};
use playhouse::rpg::phrases::load as load_phrases;
use playhouse::testing::{journal, spawn_spec};
use playhouse::world_data::DataFolder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line of exactly so many bytes; lines of different numbers differ.
pub(crate) fn line(number: usize, bytes: usize) -> String {
    let words =
        "The rain has not stopped since the ferry left, and nobody on the quay will say why. ";
    let mut line = format!("{number}: ");
    while line.len() < bytes {
        line.push_str(words);
    }
    line.truncate(bytes);
    line
}

/// The phrases of the English prompts, as a campaign has them.
pub(crate) fn phrases() -> Phrasebook {
    let (phrases, _) = load_phrases(&DataFolder::embedded(), Language::En).unwrap();
    phrases
}

/// The guards as a world file with a few secrets sets them up.
pub(crate) fn guards() -> Guards {
    let secrets = [
        "the key is under the stair",
        "Mira * poisoned the well",
        "the abbot's brother lives",
    ]
    .map(|text| SecretRule {
        text: text.into(),
        mask: None,
        action: Default::default(),
        ..SecretRule::default()
    });
    Guards::built_in(2_000, secrets.into())
}

/// A world of so many stages with so many actors each, guarded and with its phrases.
pub(crate) fn stages(stages: usize, actors: usize) -> (Setup, Vec<Entity>) {
    let mut setup = Setup::new(1);
    setup.world.insert_resource(phrases());
    setup.world.insert_resource(guards());
    let mut entered = Vec::new();
    for stage in 0..stages {
        let name = format!("Stage {stage}");
        let world = &mut setup.world;
        entered.push(spawn(world, spawn_spec(&name, Kind::Stage, None)).unwrap());
        for actor in 0..actors {
            let actor = format!("Actor {stage}-{actor}");
            spawn(world, spawn_spec(&actor, Kind::Actor, Some(&name))).unwrap();
        }
    }
    (setup, entered)
}

/// An engine of a world, with one mind for everybody and a journal in memory.
pub(crate) fn engine(setup: Setup, mind: impl Mind + 'static, width: usize) -> Engine {
    let mut engine = Engine::new(setup, Minds::all(Arc::new(mind)), journal()).unwrap();
    engine.settings.width = width;
    engine
}

/// Plays so many turns more.
pub(crate) fn play(runtime: &tokio::runtime::Runtime, engine: &mut Engine, turns: u64) {
    let until = engine.world.resource::<WorldTurn>().0 + turns;
    runtime.block_on(engine.run(Some(until))).unwrap();
}

/// A runtime on this thread alone.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// What an actor says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Line {
    /// The words.
    pub(crate) words: String,
}

impl Reply for Line {
    type Constraints = ();
    const NAME: &'static str = "line";
}

/// Asks for a line in full words, of which a short form stays.
pub(crate) fn ask_for_line() -> Ask<Line> {
    let words = "What do you say now? Answer with one line, as you would say it aloud.";
    let fallback = Line {
        words: "…".into()
    };
    Ask::new("line", words, (), fallback).condensed("What do you say?")
}

/// Who was asked last on a stage, and in which turn.
#[derive(Component, Default)]
pub(crate) struct Talk {
    turn: u64,
    asked: usize,
}

/// How many actors of a stage are asked in one step.
#[derive(Resource)]
pub(crate) struct AskedAtOnce(pub(crate) usize);

/// Asks the actors of a stage, each once a turn, so many in a step.
pub(crate) fn ask_in_turn(
    actors: StageQuery<(), Without<Dead>>,
    turn: Res<WorldTurn>,
    at_once: Res<AskedAtOnce>,
    mut talks: Query<&mut Talk>,
    mut commands: Commands,
) {
    let Some(Ok(mut talk)) = actors.stage().map(|stage| talks.get_mut(stage)) else {
        return;
    };
    if talk.turn != turn.0 {
        *talk = Talk {
            turn: turn.0,
            asked: 0,
        };
    }
    let actors = actors.entities();
    for actor in actors.iter().skip(talk.asked).take(at_once.0) {
        commands.entity(*actor).insert(ask_for_line());
    }
    talk.asked += at_once.0;
}

/// Lets the others on the stage hear what was answered.
pub(crate) fn tell_lines(
    mut answers: Answers<Line>,
    names: Query<&EntityName>,
    mut events: EventWriter,
) {
    for (who, line, _) in answers.take() {
        let event = Speak {
            actor: names.get(who).unwrap().to_string(),
            target: "all".into(),
            message: line.words,
            tells: Vec::new(),
        };
        events.broadcast_to_stage(who, event, &[who]);
    }
}

/// Makes all stages talk: each actor once a turn, so many at once.
pub(crate) fn talking(setup: &mut Setup, stages: &[Entity], at_once: usize) {
    for stage in stages {
        // Turns are counted from 0; the first is none before it.
        let talk = Talk {
            turn: u64::MAX,
            asked: 0,
        };
        setup.world.entity_mut(*stage).insert(talk);
    }
    setup.world.insert_resource(AskedAtOnce(at_once));
    setup.step.add_systems((
        tell_lines.in_set(StepSet::Take),
        ask_in_turn.in_set(StepSet::Ask),
    ));
}

/// Repeats a batch of so many units until `iterations` units are done, and returns what
/// `iterations` units took, so that a report says the average of one unit.
pub(crate) fn average(
    iterations: u64,
    units: u64,
    mut batch: impl FnMut() -> Duration,
) -> Duration {
    let batches = iterations.div_ceil(units);
    let total: Duration = (0..batches).map(|_| batch()).sum();
    total.mul_f64(iterations as f64 / (batches * units) as f64)
}

#[expect(clippy::disallowed_methods, reason = "benches read the clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

pub(crate) fn timed(act: impl FnOnce()) -> Duration {
    let began = now();
    act();
    began.elapsed()
}

/// Processor time that all threads of this process have used.
pub(crate) fn cpu_time() -> Duration {
    let nanos = std::fs::read_dir("/proc/self/task").unwrap().map(|task| {
        let path = task.unwrap().path().join("schedstat");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let first = text.split(' ').next();
        first.and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
    });
    Duration::from_nanos(nanos.sum())
}

/// Megabytes of memory that this process holds, by the name of a line of `/proc/self/status`.
pub(crate) fn megabytes(of: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(of)).unwrap();
    let kilobytes = line.split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}
