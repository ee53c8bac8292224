//! The laws hold for tools: one world from any timing, nothing run twice, and a result is its
//! caller's.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use playhouse_engine::engine::Stop;
use playhouse_engine::journal::Line;
use playhouse_engine::mind::{Minds, ScriptMind};
use playhouse_engine::save::Slot;
use playhouse_engine::session::{Session, replay};

use super::parlour::{Parlour, usual};
use super::rounds::engine;

const TURNS: u64 = 3;

fn minds() -> Minds {
    Minds::all(Arc::new(ScriptMind::by_rule(usual)))
}

async fn play(parlour: &Parlour, root: &std::path::Path, slot: &str, width: usize) -> Slot {
    let mut session = Session::start(root, slot, parlour, 5, minds()).unwrap();
    session.engine.settings.width = width;
    let stop = session.engine.run(Some(TURNS)).await.unwrap();
    assert_eq!(stop, Stop::TurnReached(TURNS));
    session.slot().clone()
}

#[tokio::test(start_paused = true)]
async fn one_world_comes_of_any_latency_and_width() {
    let root = tempfile::tempdir().unwrap();
    let mut worlds = Vec::new();
    for (latency, width) in [(0, 1), (1, 2), (2, 16), (91, 3), (12345, 64)] {
        let parlour = Parlour {
            latency,
            ..Parlour::default()
        };
        let slot = play(&parlour, root.path(), &format!("p{latency}"), width).await;
        worlds.push(slot.read_world().unwrap().unwrap());
    }
    assert!(worlds.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test(start_paused = true)]
async fn a_replay_runs_no_tool_and_ends_in_the_same_bytes() {
    let root = tempfile::tempdir().unwrap();
    let parlour = Parlour::default();
    let slot = play(&parlour, root.path(), "one", 16).await;
    let asked = parlour.asked().len();
    assert_eq!(
        asked,
        3 * 3 * TURNS as usize,
        "three callers, three questions each a turn"
    );
    let replayed = replay(&slot, &parlour, None).await.unwrap();
    assert_eq!(replayed.turn, TURNS);
    assert!(replayed.snapshot == slot.read_world().unwrap().unwrap());
    assert_eq!(parlour.asked().len(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_run_killed_between_rounds_loses_no_round() {
    let root = tempfile::tempdir().unwrap();
    let parlour = Parlour::default();
    let slot = play(&parlour, root.path(), "whole", 16).await;
    let (world, journal) = (
        slot.read_world().unwrap().unwrap(),
        slot.read_journal().unwrap(),
    );
    let text = fs::read_to_string(slot.journal_file()).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let mut rounds_kept = 0;
    for kept in 1..lines.len() {
        let Line::Round(open) = &journal[kept - 1] else {
            continue;
        };
        // Tools that were running are another matter.
        if open.round.results.is_empty() || !unfinished(&journal[..kept]).is_empty() {
            continue;
        }
        rounds_kept += 1;
        let name = format!("killed-{kept}");
        let folder = root.path().join(&name);
        fs::create_dir_all(&folder).unwrap();
        // No snapshot: the story begins as it began, with what the journal holds.
        fs::write(folder.join("journal.jsonl"), lines[..kept].concat()).unwrap();
        let again = Parlour {
            latency: kept as u64,
            ..Parlour::default()
        };
        let mut session = Session::resume(root.path(), &name, &again, minds(), false).unwrap();
        session.engine.run(Some(TURNS)).await.unwrap();
        assert!(
            session.slot().read_world().unwrap().unwrap() == world,
            "killed after line {kept}"
        );
        let recorded = journal[..kept].iter().map(|line| match line {
            // The first round of an ask asks the oracle twice, the second once.
            Line::Round(open) if open.round.results.len() == 3 => 2,
            Line::Round(open) if !open.round.results.is_empty() => 1,
            _ => 0,
        });
        let recorded: usize = recorded.sum();
        assert_eq!(
            again.asked().len(),
            parlour.asked().len() - recorded,
            "killed after line {kept}"
        );
    }
    assert!(rounds_kept >= 2 * TURNS, "{rounds_kept}");
}

/// The asks whose tools were running at the end of a journal, by entity and number.
fn unfinished(journal: &[Line]) -> BTreeSet<(Arc<str>, u32)> {
    let mut running = BTreeSet::new();
    for line in journal {
        if let Line::Round(open) = line {
            let ask = (open.entity.clone(), open.number);
            if open.round.results.is_empty() {
                running.insert(ask);
            } else {
                running.remove(&ask);
            }
        }
    }
    running
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_was_running_when_the_program_was_killed_is_never_run_again() {
    let root = tempfile::tempdir().unwrap();
    let parlour = Parlour::default();
    let slot = play(&parlour, root.path(), "whole", 1).await;
    let journal = slot.read_journal().unwrap();
    let text = fs::read_to_string(slot.journal_file()).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let attempts = journal
        .iter()
        .enumerate()
        .filter_map(|(number, line)| match line {
            Line::Round(open) if open.round.results.is_empty() => Some((number, open.clone())),
            _ => None,
        });
    for (number, open) in attempts.take(3) {
        let name = format!("killed-{number}");
        let folder = root.path().join(&name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("journal.jsonl"), lines[..=number].concat()).unwrap();
        let again = Parlour::default();
        let mut session = Session::resume(root.path(), &name, &again, minds(), false).unwrap();
        session.engine.run(Some(TURNS)).await.unwrap();
        drop(session);
        let running: &[_] = match open.round.said.len() {
            3 => &["luck", "love"],
            _ => &["end"],
        };
        let asked = again.asked();
        for about in running {
            let about = format!("{about} of {} {}", open.entity, open.number);
            assert!(!asked.contains(&about), "{asked:?}");
        }
        let resumed = fs::read_to_string(folder.join("journal.jsonl")).unwrap();
        let told = resumed.matches("the program ended while the tool was running");
        assert!(
            told.count() >= 2 * running.len(),
            "in the round and in the outcome"
        );
        let slot = Slot::find(root.path(), &name).unwrap();
        let replayed = replay(&slot, &Parlour::default(), None).await.unwrap();
        assert!(replayed.snapshot == slot.read_world().unwrap().unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_was_stopped_with_its_run_runs_again() {
    let root = tempfile::tempdir().unwrap();
    let parlour = Parlour {
        latency: 7,
        ..Parlour::default()
    };
    let mut session = Session::start(root.path(), "one", &parlour, 5, minds()).unwrap();
    let brake = session.engine.cancellation_token();
    session.engine.on_signal(move |signal| {
        if let playhouse_engine::engine::Signal::ToolCalled { .. } = signal {
            brake.cancel();
        }
    });
    assert_eq!(
        session.engine.run(Some(TURNS)).await.unwrap(),
        Stop::Cancelled
    );
    drop(session);
    let mut session = Session::resume(root.path(), "one", &parlour, minds(), false).unwrap();
    session.engine.run(Some(TURNS)).await.unwrap();
    let whole = play(&Parlour::default(), root.path(), "whole", 16).await;
    let world = session.slot().read_world().unwrap().unwrap();
    assert!(world == whole.read_world().unwrap().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_braked_run_shows_nothing_of_its_open_rounds() {
    let parlour = Parlour::default();
    let (mut engine, _) = engine(&parlour, usual);
    let brake = engine.cancellation_token();
    let mut calls = 0;
    engine.on_signal(move |signal| {
        if let playhouse_engine::engine::Signal::ToolCalled { .. } = signal {
            calls += 1;
            if calls == 12 {
                brake.cancel();
            }
        }
    });
    assert_eq!(engine.run(Some(1)).await.unwrap(), Stop::Cancelled);
    let rounds = engine.journal().lines().iter();
    assert!(rounds.filter(|line| matches!(line, Line::Round(_))).count() > 0);
    for name in ["Ann", "Bob", "Cid"] {
        assert_eq!(super::rounds::context(&engine, name).len(), 1, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_tells_one_reaches_no_other() {
    let mut heard = Vec::new();
    for secret in ["gold", "ashes"] {
        let parlour = Parlour {
            known: [("luck of Ann 1".to_owned(), secret.to_owned())].into(),
            ..Parlour::default()
        };
        let (mut engine, mind) = engine(&parlour, usual);
        engine.run(Some(2)).await.unwrap();
        let mut prompts = mind.heard();
        prompts.sort();
        heard.push(prompts);
    }
    let of = |run: usize, ann: bool| {
        let prompts = heard[run]
            .iter()
            .filter(move |(who, _)| (who == "Ann") == ann);
        prompts.collect::<Vec<_>>()
    };
    assert_eq!(of(0, false), of(1, false));
    assert_ne!(of(0, true), of(1, true));
}
