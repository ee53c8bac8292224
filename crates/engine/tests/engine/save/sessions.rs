//! Going on, from any moment; going back; branching.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use playhouse_engine::cast::WorldTurn;
use playhouse_engine::engine::{Setup, Stop};
use playhouse_engine::journal::{Journal, Line, SnapshotRecord};
use playhouse_engine::message::Digest;
use playhouse_engine::save::{Meta, SaveError, Slot};
use playhouse_engine::session::{
    EventLog, Game, Logged, Session, SessionError, SetupError, branch, catch_up, replay, state_at,
};

use crate::save::damage::lay_out;
use crate::save::town::{Town, minds};

const TURNS: u64 = 5;

/// What an uninterrupted run left: the snapshot of each turn, and the journal.
struct Whole {
    snapshots: Vec<Vec<u8>>,
    journal: Vec<u8>,
}

async fn play_whole(root: &Path) -> Whole {
    let (minds, _) = minds(300);
    let mut session = Session::start(root, "whole", &Town::default(), 11, minds).unwrap();
    let slot = session.slot().clone();
    let mut snapshots = vec![slot.read_world().unwrap().unwrap()];
    for turn in 1..=TURNS {
        let stop = session.engine.run(Some(turn)).await.unwrap();
        assert_eq!(stop, Stop::TurnReached(turn));
        snapshots.push(slot.read_world().unwrap().unwrap());
    }
    Whole {
        snapshots,
        journal: fs::read(slot.journal_file()).unwrap(),
    }
}

/// How many turns after the beginning have a snapshot within the first bytes of a journal.
fn turns_within(journal: &[u8]) -> usize {
    let whole = journal.iter().rposition(|byte| *byte == b'\n');
    let lines = journal[..whole.map_or(0, |end| end + 1)].split(|byte| *byte == b'\n');
    let snapshots = lines.filter(|line| line.starts_with(b"{\"snapshot\""));
    snapshots.count() - 1
}

fn lines_of(journal: &[u8]) -> Vec<Line> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    fs::write(&path, journal).unwrap();
    Journal::read(&path).unwrap()
}

/// A journal with right sums in which a text is replaced.
fn forged(journal: &[u8], from: &str, to: &str) -> Vec<u8> {
    let lines = lines_of(journal).into_iter().map(|line| {
        let text = serde_json::to_string(&line).unwrap().replace(from, to);
        serde_json::from_str(&text).unwrap()
    });
    let lines: Vec<Line> = lines.collect();
    Journal::encode(&lines)
}

/// Asks whose outcomes a journal holds.
fn recorded(path: &Path) -> Vec<(String, u32)> {
    let lines = Journal::read(path).unwrap();
    let outcomes = lines.into_iter().filter_map(|line| match line {
        Line::Outcome(outcome) => Some((outcome.entity.to_string(), outcome.number)),
        _ => None,
    });
    outcomes.collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_killed_anywhere_goes_on_to_the_same_world() {
    let root = tempfile::tempdir().unwrap();
    let whole = play_whole(root.path()).await;
    // A slot is created with its header and its first snapshot.
    let text = std::str::from_utf8(&whole.journal).unwrap();
    let head: usize = text.split_inclusive('\n').take(2).map(str::len).sum();
    let last = whole.snapshots.last().unwrap();
    for sample in 0..40usize {
        let room = whole.journal.len() - head;
        let length = head + (sample * 7919 + sample * sample * 131) % room;
        let journal = &whole.journal[..length];
        let closed = turns_within(journal);
        // The program may have ended between the meeting's line and the snapshot, or before any.
        let behind = closed.saturating_sub(usize::from(sample % 3 == 0));
        let snapshot = whole.snapshots[behind].as_slice();
        let name = format!("killed {sample}");
        let unsaved = behind == 0 && sample % 2 == 0;
        lay_out(root.path(), &name, (!unsaved).then_some(snapshot), journal);
        let path = root.path().join(&name).join("journal.jsonl");
        let before: BTreeSet<_> = recorded(&path).into_iter().collect();

        let (minds, heard) = minds(sample as u64 % 5 * 400);
        let game = Town::default();
        let mut session = Session::resume(root.path(), &name, &game, minds, false).unwrap();
        session.engine.settings.width = [1, 2, 5, 64][sample % 4];
        session.engine.run(Some(TURNS)).await.unwrap();

        let world = session.slot().read_world().unwrap().unwrap();
        assert!(world == *last, "killed after {length} bytes");
        let after = recorded(&path);
        let distinct: BTreeSet<_> = after.iter().cloned().collect();
        assert_eq!(after.len(), distinct.len(), "an outcome was recorded twice");
        assert_eq!(
            heard.heard().len(),
            after.len() - before.len(),
            "paid twice"
        );
        assert_eq!(turns_within(&fs::read(&path).unwrap()), TURNS as usize);
    }
}

#[tokio::test(start_paused = true)]
async fn a_story_replays_to_any_turn_with_its_journal_as_the_only_mind() {
    let root = tempfile::tempdir().unwrap();
    let whole = play_whole(root.path()).await;
    let slot = Slot::find(root.path(), "whole").unwrap();
    let replayed = replay(&slot, &Town::default(), None).await.unwrap();
    assert_eq!(replayed.stop, Stop::EndOfRecording);
    assert_eq!(replayed.turn, TURNS);
    for turn in 0..=TURNS {
        let seen = state_at(&slot, &Town::default(), turn).await.unwrap();
        assert!(seen.snapshot == whole.snapshots[turn as usize]);
    }
    assert_eq!(fs::read(slot.journal_file()).unwrap(), whole.journal);
}

#[tokio::test(start_paused = true)]
async fn a_finished_story_replays_to_its_end_and_stays_finished() {
    let root = tempfile::tempdir().unwrap();
    let game = Town {
        until: Some(2),
        ..Town::default()
    };
    let (first_minds, _) = minds(0);
    let mut session = Session::start(root.path(), "over", &game, 3, first_minds).unwrap();
    let over = Stop::Finished("Night falls over the town.".into());
    assert_eq!(session.engine.run(None).await.unwrap(), over);
    let slot = session.slot().clone();
    assert!(slot.head().unwrap().unwrap().ending.is_some());
    drop(session);
    assert_eq!(replay(&slot, &game, None).await.unwrap().stop, over);
    let (minds, heard) = minds(0);
    let mut session = Session::resume(root.path(), "over", &game, minds, false).unwrap();
    assert_eq!(session.engine.run(None).await.unwrap(), over);
    assert!(heard.heard().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_of_an_earlier_turn_is_enough() {
    const STOPS: u64 = 43;
    const LAST: u64 = 47;
    let root = tempfile::tempdir().unwrap();
    let game = Town::default();
    let start = |name: &str| {
        let (minds, heard) = minds(300);
        let session = Session::start(root.path(), name, &game, 11, minds).unwrap();
        (session, heard)
    };
    let (mut whole, _) = start("whole");
    let mut at_stop = Vec::new();
    for turn in [STOPS, LAST] {
        whole.engine.run(Some(turn)).await.unwrap();
        at_stop.push(whole.slot().read_world().unwrap().unwrap());
    }

    // The run ends in the middle of a turn.
    let (mut session, _) = start("stopped");
    let token = session.engine.cancellation_token();
    session.engine.on_commit(move |world, _| {
        if world.resource::<WorldTurn>().0 == STOPS {
            token.cancel();
        }
    });
    let stop = session.engine.run(None).await.unwrap();
    assert_eq!(stop, Stop::Cancelled);
    let slot = session.slot().clone();
    drop(session);
    let saved: Vec<_> = slot.read(false).unwrap().snapshots().collect();
    let saved: Vec<_> = saved.iter().map(|snapshot| snapshot.turn).collect();
    assert_eq!(saved[..33], (0..=32).collect::<Vec<_>>());
    assert_eq!(saved[33..], [34, 36, 38, 40, 42]);
    assert_eq!(slot.head().unwrap().unwrap().turn, 42);
    // Who goes on needs the questions that may be asked again.
    let lines = slot.read_to_go_on(false).unwrap().lines;
    let is_snapshot = |line: &Line| matches!(line, Line::Snapshot(_));
    let saved = lines.iter().rposition(is_snapshot).unwrap();
    let is_whole =
        |line: &Line| matches!(line, Line::Outcome(outcome) if !outcome.asked.is_empty());
    assert!(!lines[..saved].iter().any(is_whole) && lines[saved..].iter().any(is_whole));

    let mut story = slot.read(false).unwrap();
    let log = EventLog::of(&slot, &story).unwrap();
    assert_eq!(log.map(|log| log.turn), Some(42));
    catch_up(&slot, &mut story, &game).unwrap();
    let digest = story.world.map(|world| world.digest());
    assert_eq!(digest, Some(Digest::of(&at_stop[0])));

    let before = recorded(&slot.journal_file()).len();
    let (minds, heard) = minds(50);
    let mut session = Session::resume(root.path(), "stopped", &game, minds, false).unwrap();
    assert!(slot.read_world().unwrap().as_ref() == Some(&at_stop[0]));
    session.engine.run(Some(LAST)).await.unwrap();
    assert!(slot.read_world().unwrap().as_ref() == Some(&at_stop[1]));
    let asked = recorded(&slot.journal_file()).len() - before;
    assert_eq!(heard.heard().len(), asked, "something was asked twice");
    let story = slot.read(false).unwrap();
    let mut log = EventLog::of(&slot, &story).unwrap().unwrap();
    let turns = log.records().filter_map(|logged| match logged {
        Logged::Turn(turn) => Some(turn),
        _ => None,
    });
    assert_eq!(turns.collect::<Vec<_>>(), (1..=LAST).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_branch_is_a_story_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    let whole = play_whole(root.path()).await;
    let game = Town::default();
    let old = Slot::find(root.path(), "whole").unwrap();
    for turn in [0, 2, TURNS] {
        let name = format!("from {turn}");
        let new = branch(root.path(), &old, &name, &game, turn, None)
            .await
            .unwrap();
        assert_eq!(new.read_world().unwrap(), None, "not before it is played");
        let mut story = new.read(false).unwrap();
        catch_up(&new, &mut story, &game).unwrap();
        let world = story.world.map_or(0, |world| {
            assert_eq!(world.digest(), Digest::of(&whole.snapshots[turn as usize]));
            turn
        });
        assert_eq!(world, turn);
        assert_eq!(replay(&new, &game, None).await.unwrap().turn, turn);
        let (minds, heard) = minds(100);
        let mut session = Session::resume(root.path(), &name, &game, minds, false).unwrap();
        session.engine.run(Some(TURNS)).await.unwrap();
        assert!(new.read_world().unwrap().unwrap() == whole.snapshots[TURNS as usize]);
        assert_eq!(heard.heard().is_empty(), turn == TURNS);
    }
    let error = branch(root.path(), &old, "later", &game, 99, None).await;
    assert!(matches!(
        error,
        Err(SessionError::NoSuchTurn {
            turn: 99,
            last: TURNS
        })
    ));
    assert!(Slot::find(root.path(), "later").is_err());
    let taken = branch(root.path(), &old, "from 2", &game, 1, None).await;
    assert!(matches!(
        taken,
        Err(SessionError::Save(SaveError::SlotExists(_)))
    ));
}

/// The lines of a story after its header.
fn lines_after_the_header(slot: &Slot) -> Vec<Line> {
    slot.read_journal().unwrap().split_off(1)
}

#[tokio::test(start_paused = true)]
async fn branches_say_from_where_they_come_and_stay_when_their_story_goes() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let whole = play_whole(root).await;
    let game = Town::default();
    let old = Slot::find(root, "whole").unwrap();
    let lines = lines_after_the_header(&old);
    let early = branch(root, &old, "early", &game, 2, None).await.unwrap();
    // One of an early turn of a branch.
    branch(root, &early, "earlier", &game, 1, None)
        .await
        .unwrap();
    let (heard, _) = minds(0);
    let mut session = Session::resume(root, "early", &game, heard, false).unwrap();
    session.engine.run(Some(TURNS)).await.unwrap();
    drop(session);
    // One of its own turns.
    branch(root, &early, "late", &game, 4, None).await.unwrap();

    let slots = ["early", "earlier", "late"].map(|name| Slot::find(root, name).unwrap());
    let points = slots.clone().map(|slot| slot.branch_point().unwrap());
    let points = points.each_ref().map(|point| (&*point.slot, point.turn));
    assert_eq!(points, [("whole", 2), ("early", 1), ("early", 4)]);
    let before = slots.each_ref().map(lines_after_the_header);
    assert!(lines.starts_with(&before[1]));
    assert!(before[0].starts_with(&before[1]));

    // Each stays when the others go.
    old.remove().unwrap();
    assert_eq!(slots.each_ref().map(lines_after_the_header), before);
    for slot in slots {
        let name = slot.name().as_str();
        let (minds, _) = minds(0);
        let mut session = Session::resume(root, name, &game, minds, false).unwrap();
        session.engine.run(Some(TURNS)).await.unwrap();
        assert!(slot.read_world().unwrap().unwrap() == whole.snapshots[TURNS as usize]);
    }
}

#[tokio::test(start_paused = true)]
async fn files_that_do_not_belong_together_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let whole = play_whole(root.path()).await;
    let game = Town::default();
    let resume = |name: &str, game: &Town, force| {
        Session::resume(root.path(), name, game, minds(0).0, force).err()
    };

    let other = Town {
        data: "town-2".into(),
        ..Town::default()
    };
    assert!(matches!(
        resume("whole", &other, false),
        Some(SessionError::Save(SaveError::InFile { source, .. }))
            if matches!(*source, SaveError::OtherData { .. })
    ));
    assert!(resume("whole", &other, true).is_none());
    let slot = Slot::find(root.path(), "whole").unwrap();
    assert!(replay(&slot, &other, None).await.is_err());

    let head = whole
        .journal
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    let newest = whole.snapshots[TURNS as usize].as_slice();
    lay_out(root.path(), "behind", Some(newest), &whole.journal[..head]);
    assert!(matches!(
        resume("behind", &game, false),
        Some(SessionError::Save(SaveError::JournalBehind {
            turn: TURNS,
            last: 0
        }))
    ));

    let seed = forged(&whole.journal, "\"seed\":11", "\"seed\":12");
    lay_out(root.path(), "seed", Some(newest), &seed);
    assert!(matches!(
        resume("seed", &game, false),
        Some(SessionError::OtherSeed {
            snapshot: 11,
            journal: 12
        })
    ));

    let text = String::from_utf8(newest.to_vec()).unwrap();
    let changed = text.replacen("\"purse\":", "\"purse\":1", 1);
    let changed = changed.as_bytes();
    lay_out(root.path(), "changed", Some(changed), &whole.journal);
    assert!(matches!(
        resume("changed", &game, false),
        Some(SessionError::Save(SaveError::OtherSnapshot { .. }))
    ));
    assert!(resume("changed", &game, true).is_none());
    let mut lines = lines_of(&whole.journal);
    lines.push(Line::Snapshot(SnapshotRecord {
        turn: TURNS,
        digest: Digest::of(changed),
    }));
    let journal = Journal::encode(&lines);
    lay_out(root.path(), "state", Some(changed), &journal);
    assert!(matches!(
        resume("state", &game, false),
        Some(SessionError::OtherState { turn: TURNS, .. })
    ));

    lay_out(root.path(), "empty", None, b"{\"head\":{\"for");
    assert!(matches!(
        resume("empty", &game, false),
        Some(SessionError::Save(SaveError::NoHead { .. }))
    ));
}

/// A world in which nothing ever happens.
struct Stillness;

impl Game for Stillness {
    fn meta(&self) -> Meta {
        Meta {
            world: "stillness".into(),
            data: "none".into(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        Ok(Setup::new(seed))
    }

    fn populate(&self, _setup: &mut Setup) -> Result<(), SetupError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_story_in_which_nothing_happens_ends_at_the_same_turn_with_and_without_a_pause() {
    let root = tempfile::tempdir().unwrap();
    let (minds, _) = minds(0);
    let mut whole = Session::start(root.path(), "whole", &Stillness, 1, minds.clone()).unwrap();
    assert_eq!(whole.engine.run(None).await.unwrap(), Stop::Idle);
    let mut paused = Session::start(root.path(), "paused", &Stillness, 1, minds.clone()).unwrap();
    paused.engine.run(Some(30)).await.unwrap();
    drop(paused);
    let mut resumed = Session::resume(root.path(), "paused", &Stillness, minds, false).unwrap();
    assert_eq!(resumed.engine.run(None).await.unwrap(), Stop::Idle);
    let world = |session: &Session| session.slot().read_world().unwrap();
    assert_eq!(world(&resumed), world(&whole));
}
