//! Answers are seen while they are written.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Dead, StageQuery};
use playhouse_engine::engine::StepSet;
use playhouse_engine::exchange::{Answers, Ask, Prose, ProseRules};
use playhouse_engine::mind::{ScriptLine, ScriptMind, StreamDeltaKind};
use playhouse_engine::testing::tiny;

#[derive(Component)]
struct Talks(u32);

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
