//! The loop: asks, commits, faults, journal and replay, on a small game of its own.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use playhouse::cast::{Dead, Kind, StageQuery};
use playhouse::context::AgentContext;
use playhouse::engine::{EngineError, StepSet, Stop};
use playhouse::event::EventWriter;
use playhouse::event::kinds::Speak;
use playhouse::exchange::{Answers, Ask, Prose, ProseRules, Reply, Violation};
use playhouse::mind::{ScriptLine, ScriptMind, StreamDeltaKind};
use playhouse::testing::tiny;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Words for a neighbour.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Line {
    words: String,
}

impl Reply for Line {
    type Constraints = ();
    const NAME: &'static str = "line";

    fn check(&self, (): &()) -> Vec<Violation> {
        if self.words.is_empty() {
            vec![Violation::new("words", "must not be empty")]
        } else {
            vec![]
        }
    }
}

#[derive(Component)]
struct Talks(u32);

fn ask_lines(mut actors: StageQuery<&mut Talks, Without<Dead>>, mut commands: Commands) {
    actors.each(|entity, mut talks| {
        if talks.0 > 0 {
            talks.0 -= 1;
            let fallback = Line {
                words: "…".into()
            };
            let ask =
                Ask::new("line", "What do you say now, in full?", (), fallback).condensed("Say!");
            commands.entity(entity).insert(ask);
        }
    });
}

fn take_lines(mut answers: Answers<Line>, mut events: EventWriter) {
    for (who, line, _by) in answers.take() {
        let event = Speak {
            actor: format!("{who}"),
            target: "all".into(),
            message: line.words,
            tells: Vec::new(),
        };
        events.broadcast_to_stage(who, event, &[who]);
    }
}

fn engine_with(mind: ScriptMind, times: u32) -> (playhouse::engine::Engine, [Entity; 3]) {
    let mut tiny = tiny();
    let (hall, ann, bob) = (tiny.hall, tiny.ann, tiny.bob);
    for actor in [ann, bob] {
        tiny.world().entity_mut(actor).insert(Talks(times));
    }
    tiny.setup.step.add_systems((
        take_lines.in_set(StepSet::Take),
        ask_lines.in_set(StepSet::Ask),
    ));
    (tiny.engine(mind).unwrap(), [hall, ann, bob])
}

fn buffer(engine: &playhouse::engine::Engine, entity: Entity) -> String {
    playhouse::context::buffer(engine.world.get::<AgentContext>(entity).unwrap())
}

#[tokio::test]
async fn a_question_is_condensed_and_its_answer_is_heard_by_the_others() {
    let mind = ScriptMind::by_rule(|prompt| {
        ScriptLine::say(format!(r#"{{"words": "I am {}"}}"#, prompt.entity))
    });
    let (mut engine, [hall, ann, _]) = engine_with(mind, 1);
    assert_eq!(engine.run(Some(1)).await.unwrap(), Stop::TurnReached(1));
    let ann = buffer(&engine, ann);
    assert!(
        ann.contains("H: Say!\nAI(Ann): {\"words\": \"I am Ann\"}"),
        "{ann}"
    );
    assert!(ann.contains("I am Bob"), "{ann}");
    assert!(!ann.contains("in full"), "{ann}");
    assert!(buffer(&engine, hall).contains("I am Ann"));
}

#[tokio::test]
async fn a_wrong_answer_is_repaired_outside_the_context_and_else_falls_back() {
    let lines = [
        ("Ann", ScriptLine::say(r#"{"words": ""}"#)),
        ("Ann", ScriptLine::say(r#"{"words": "mended"}"#)),
        ("Bob", ScriptLine::say("no json")),
        ("Bob", ScriptLine::say("no json")),
        ("Bob", ScriptLine::say("no json")),
    ];
    let (mut engine, [_, ann, bob]) = engine_with(ScriptMind::lines(lines), 1);
    engine.run(Some(1)).await.unwrap();
    let ann = buffer(&engine, ann);
    assert!(
        ann.contains("mended") && !ann.contains("must not be empty"),
        "{ann}"
    );
    assert!(buffer(&engine, bob).contains("AI(Bob): {\"words\":\"…\"}"));
}

fn ask_prose(mut actors: StageQuery<&mut Talks, Without<Dead>>, mut commands: Commands) {
    actors.each(|entity, mut talks| {
        if talks.0 > 0 {
            talks.0 -= 1;
            let rules = ProseRules {
                max_chars: 8,
                ..ProseRules::default()
            };
            let ask = Ask::new("tell", "Tell it.", rules, Prose("…".into())).repairs(1);
            commands.entity(entity).insert(ask.streamed());
        }
    });
}

fn take_prose(mut answers: Answers<Prose>) {
    drop(answers.take());
}

#[tokio::test]
async fn whoever_watches_sees_answers_being_written_and_which_of_it_is_void() {
    let lines = [
        ("Ann", ScriptLine::say("Far too long")),
        ("Ann", ScriptLine::say("Mended")),
        ("Bob", ScriptLine::say("Too long to")),
        ("Bob", ScriptLine::say("be told, again")),
    ];
    let mut tiny = tiny();
    for actor in [tiny.ann, tiny.bob] {
        tiny.world().entity_mut(actor).insert(Talks(1));
    }
    tiny.setup.step.add_systems((
        take_prose.in_set(StepSet::Take),
        ask_prose.in_set(StepSet::Ask),
    ));
    let mut engine = tiny.engine(ScriptMind::lines(lines)).unwrap();
    let mut watch = engine.watch();
    engine.run(Some(1)).await.unwrap();
    let mut seen = BTreeMap::<_, String>::new();
    while let Some(piece) = watch.try_next() {
        assert_eq!(piece.number, 1, "a repair belongs to its ask");
        let shown = seen.entry(piece.entity.to_string()).or_default();
        match piece.kind {
            StreamDeltaKind::Text(text) => *shown += &text,
            StreamDeltaKind::Retract => *shown += "|",
            StreamDeltaKind::Tools(round) => panic!("{round:?}"),
        }
    }
    assert_eq!(seen["Ann"], "Far too long|Mended");
    assert_eq!(seen["Bob"], "Too long to|be told, again|");
}

#[test]
fn two_tellers_without_an_order_are_named() {
    fn other(mut events: EventWriter, actors: StageQuery<&Kind>) {
        let event = Speak {
            actor: "x".into(),
            target: "y".into(),
            message: "z".into(),
            tells: Vec::new(),
        };
        if let Some(stage) = actors.stage() {
            events.broadcast_to_stage(stage, event, &[]);
        }
    }
    let mut tiny = tiny();
    tiny.setup.step.add_systems((
        take_lines.in_set(StepSet::Take),
        other.in_set(StepSet::Take),
    ));
    let error = tiny.engine(ScriptMind::lines([])).err().unwrap();
    assert!(matches!(error, EngineError::Ambiguous(_)), "{error}");
    assert!(error.to_string().contains("take_lines"), "{error}");
}
