//! Law 5: the world is a function of data, seed and journal.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use playhouse_engine::engine::{Engine, EngineError, Stop};
use playhouse_engine::exchange::recorded_ledgers;
use playhouse_engine::journal::{AskEnding, Line, Recording};
use playhouse_engine::message::Digest;

use super::game::{Game, outcomes, reader, whole};

const TURNS: u64 = 6;

/// Plays on a recording, with this pattern of latencies behind it; tells how many calls were made.
async fn play(game: &Game, pattern: u64, width: usize, lines: &[Line]) -> (Engine, usize) {
    let calls = Arc::new(AtomicUsize::new(0));
    let mut engine = game.engine(Arc::new(reader(pattern, calls.clone())));
    engine.settings.width = width;
    engine.play_back(Recording::of(lines.iter().cloned()));
    let stop = engine.run(Some(TURNS)).await.unwrap();
    assert_eq!(stop, Stop::TurnReached(TURNS));
    (engine, calls.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn any_timing_width_and_order_of_making_gives_one_world() {
    let mut first: Option<String> = None;
    let mut arrivals = BTreeSet::new();
    for variant in 0..16 {
        let (pattern, width) = (1 + variant / 4, [1, 2, 5, 64][variant as usize % 4]);
        let game = Game {
            spawn_order: variant % 3,
            systems_reversed: variant % 5 > 2,
            ..Game::default()
        };
        let (mut engine, calls) = play(&game, pattern, width, &[]).await;
        assert!(calls > 100, "{calls}");
        let world = whole(&mut engine.world);
        let arrived = outcomes(engine.journal().lines()).into_iter();
        arrivals.insert(arrived.map(|o| (o.id, o.number)).collect::<Vec<_>>());
        match &first {
            Some(first) => assert!(*first == world, "pattern {pattern}, width {width}"),
            None => first = Some(world),
        }
    }
    assert!(
        arrivals.len() >= 6,
        "only {} orders of arrival",
        arrivals.len()
    );
    let world = first.unwrap();
    for happened in [
        "WRONG TARGET", "death {", "leave {", "arrive {", "whisper {", "announce {",
    ] {
        let is_there = world.contains(happened);
        assert_eq!(is_there, happened != "WRONG TARGET", "{happened}");
    }
    assert!(
        world.contains("Chronicler/1") || world.contains("/1 "),
        "nothing was folded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_replay_makes_the_same_world_and_asks_nobody() {
    let game = Game::default();
    let (mut played, _) = play(&game, 1, 8, &[]).await;
    let calls = Arc::new(AtomicUsize::new(0));
    let mut replay = game.engine(Arc::new(reader(0, calls.clone())));
    replay.settings.replay = true;
    replay.play_back(Recording::of(played.journal().lines().iter().cloned()));
    let stop = replay.run(Some(TURNS)).await.unwrap();
    assert_eq!(stop, Stop::TurnReached(TURNS));
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    assert_eq!(replay.journal().lines().len(), 1, "a replay writes nothing");
    assert!(whole(&mut replay.world) == whole(&mut played.world));
    assert_eq!(replay.run(None).await.unwrap(), Stop::EndOfRecording);
}

#[tokio::test(start_paused = true)]
async fn another_answer_or_request_is_named_with_turn_and_entity() {
    let game = Game::default();
    let (played, _) = play(&game, 1, 8, &[]).await;
    let lines = played.journal().lines();
    let changed = |change: fn(&mut playhouse_engine::journal::Outcome)| {
        let mut lines = lines.to_vec();
        let outcome = lines.iter_mut().find_map(|line| match line {
            Line::Outcome(outcome)
                if outcome.number == 4
                    && outcome.purpose == "deed"
                    && matches!(outcome.ending, AskEnding::Answered { .. }) =>
            {
                Some(outcome)
            }
            _ => None,
        });
        let outcome = outcome.unwrap();
        change(std::sync::Arc::make_mut(outcome));
        (outcome.entity.clone(), lines)
    };
    let replay = async |lines: Vec<Line>| {
        let mut replay = game.engine(Arc::new(reader(0, Arc::default())));
        replay.settings.replay = true;
        replay.play_back(Recording::of(lines));
        replay.run(Some(TURNS)).await.unwrap_err()
    };

    let (asked, lines) = changed(|outcome| outcome.hash = Digest::of(b"another"));
    match replay(lines).await {
        EngineError::OtherRequest {
            turn: 1,
            entity,
            number: 4,
            difference,
            ..
        } => {
            assert_eq!(*asked, *entity);
            assert!(
                difference.to_string().contains("the question is the same"),
                "{difference}"
            );
        }
        other => panic!("{other}"),
    }
    let (_, lines) = changed(|outcome| {
        let text = r#"{"act": "wait", "target": "", "words": "CHANGED"}"#.into();
        let (thinking, finish) = (None, playhouse_engine::mind::FinishReason::Stop);
        outcome.ending = AskEnding::Answered {
            text,
            thinking,
            finish,
        };
    });
    match replay(lines).await {
        EngineError::OtherState { turn: 2, place } => assert!(place.starts_with("Stage")),
        EngineError::OtherRequest { turn, entity, .. } => {
            assert!(turn >= 1 && !entity.is_empty());
        }
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn killed_anywhere_it_goes_on_to_the_same_world_and_asks_nothing_again() {
    let game = Game::default();
    let (mut played, all_calls) = play(&game, 1, 8, &[]).await;
    let wanted = whole(&mut played.world);
    let lines = played.journal().lines().to_vec();
    // Answers that were sent back are kept, too, before their ask has an outcome.
    let calls = |lines: &[Line]| {
        let ledgers = recorded_ledgers(lines);
        let spent = ledgers.iter().map(|(_, ledger)| ledger.total().calls);
        spent.sum::<u64>() as usize
    };
    assert_eq!(calls(&lines), all_calls);
    for kill in 1..=12 {
        let kept = &lines[..lines.len() * kill / 12 - kill % 3];
        let (mut resumed, calls_now) = play(&game, kill as u64 % 5, kill, kept).await;
        assert!(
            whole(&mut resumed.world) == wanted,
            "killed after {} lines",
            kept.len()
        );
        assert_eq!(
            calls_now,
            all_calls - calls(kept),
            "killed after {} lines",
            kept.len()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn two_of_one_name_are_two_in_the_journal() {
    let (engine, _) = play(&Game::default(), 1, 8, &[]).await;
    let strays = outcomes(engine.journal().lines()).into_iter();
    let strays = strays.filter(|outcome| &*outcome.entity == "Stray" && outcome.number == 1);
    let ids: BTreeSet<_> = strays.map(|outcome| outcome.id).collect();
    assert_eq!(ids.len(), 2);
}
