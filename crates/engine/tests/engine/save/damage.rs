//! Damage: every flipped bit is found, and what a repair leaves goes on to the same world.

use std::fs;
use std::path::Path;

use playhouse_engine::journal::{Input, Journal, JournalError, JournalHeader, Line};
use playhouse_engine::save::{Slot, repair, repairable};
use playhouse_engine::session::{Session, SessionError, catch_up, replay};

use crate::save::town::{Town, minds};

const TURNS: u64 = 4;

/// The files of a slot that was played.
struct Files {
    world: Vec<u8>,
    journal: Vec<u8>,
}

async fn play(root: &Path) -> Files {
    let mut session = Session::start(root, "whole", &Town::default(), 11, minds(0).0).unwrap();
    session.engine.run(Some(TURNS)).await.unwrap();
    files(root, "whole")
}

fn files(root: &Path, name: &str) -> Files {
    let read = |file| fs::read(root.join(name).join(file)).unwrap();
    Files {
        world: read("world.json"),
        journal: read("journal.jsonl"),
    }
}

pub(crate) fn lay_out(root: &Path, name: &str, world: Option<&[u8]>, journal: &[u8]) -> Slot {
    let folder = root.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("journal.jsonl"), journal).unwrap();
    if let Some(world) = world {
        fs::write(folder.join("world.json"), world).unwrap();
    }
    Slot::find(root, name).unwrap()
}

/// Bits that are spread over a file.
fn flips(bytes: &[u8], count: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(move |number| {
        let mut flipped = bytes.to_vec();
        let index = (number * 7919 + number * number * 131) % flipped.len();
        flipped[index] ^= 1 << (number % 8);
        flipped
    })
}

/// Resumes a slot and plays it to its end, which is that of the whole story.
async fn goes_on(root: &Path, name: &str, whole: &Files) {
    let game = Town::default();
    let mut session = Session::resume(root, name, &game, minds(0).0, false).unwrap();
    session.engine.run(Some(TURNS)).await.unwrap();
    assert!(files(root, name).world == whole.world, "{name}");
}

#[tokio::test(start_paused = true)]
async fn every_flipped_bit_is_found() {
    let root = tempfile::tempdir().unwrap();
    let whole = play(root.path()).await;
    let game = Town::default();
    for (number, world) in flips(&whole.world, 200).enumerate() {
        let slot = lay_out(root.path(), "flipped", Some(&world), &whole.journal);
        let error = slot.read(false).err();
        assert!(
            error.is_some_and(|error| error.is_damage()),
            "flip {number}"
        );
        if number % 30 == 0 {
            let resumed = Session::resume(root.path(), "flipped", &game, minds(0).0, false);
            assert!(matches!(resumed.err(), Some(SessionError::Save(_))));
            assert!(replay(&slot, &game, None).await.is_err());
        }
    }
    // Every bit of the last lines, where a crash may have torn one, and of the format's number.
    let text = std::str::from_utf8(&whole.journal).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    let format = text.find("\"format\":").unwrap();
    let bytes = (format..format + 12).chain(last - 4..whole.journal.len());
    let ends = bytes.flat_map(|index| {
        let journal = &whole.journal;
        (0..8).map(move |bit| {
            let mut flipped = journal.clone();
            flipped[index] ^= 1 << bit;
            flipped
        })
    });
    for (number, journal) in flips(&whole.journal, 200).chain(ends).enumerate() {
        let slot = lay_out(root.path(), "flipped", Some(&whole.world), &journal);
        let error = slot.read(false).err();
        assert!(
            error.is_some_and(|error| error.is_damage()),
            "flip {number}"
        );
    }
}

#[test]
fn lines_that_are_missing_moved_or_from_elsewhere_are_found() {
    let root = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let whole = runtime.block_on(play(root.path()));
    let text = std::str::from_utf8(&whole.journal).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    for line in 1..lines.len() - 1 {
        let without = [&lines[..line], &lines[line + 1..]].concat();
        let twice = [&lines[..=line], &lines[line..]].concat();
        let mut swapped = lines.clone();
        swapped.swap(line, line + 1);
        for changed in [without, twice, swapped] {
            let changed = changed.concat();
            let slot = lay_out(
                root.path(),
                "changed",
                Some(&whole.world),
                changed.as_bytes(),
            );
            assert!(slot.read(false).is_err(), "line {line}");
        }
    }
}

#[test]
fn damage_to_a_journal_is_found_where_it_is() {
    let input = |turn| {
        let value = serde_json::json!({"told": "A long evening."});
        Line::Input(Input { turn, value })
    };
    let head = JournalHeader::new("town", "none", 1);
    let lines: Vec<_> = std::iter::once(Line::Header(head))
        .chain((0..20).map(input))
        .collect();
    let bytes = Journal::encode(&lines);
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("journal.jsonl");
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        Journal::read(&file)
    };
    assert!(read(&bytes).unwrap() == lines);
    let last = bytes.len() - 10;
    assert!(read(&bytes[..last]).unwrap() == lines[..20]);
    let place = |line: usize| {
        let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        ends.nth(line - 2).unwrap().0 + 10
    };
    for line in [3, 10, 21] {
        let mut damaged = bytes.clone();
        damaged[place(line)] ^= 1;
        // A later one is not reached.
        damaged[last] ^= 1;
        let error = read(&damaged).unwrap_err();
        let JournalError::Unreadable { line: found, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(found, line);
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_lacks_what_its_turns_need_says_so() {
    let root = tempfile::tempdir().unwrap();
    let whole = play(root.path()).await;
    let file = root.path().join("journal.jsonl");
    fs::write(&file, &whole.journal).unwrap();
    let is_kept = |line: &Line| !matches!(line, Line::Outcome(_) | Line::Snapshot(_));
    let lines: Vec<_> = Journal::read(&file)
        .unwrap()
        .into_iter()
        .filter(is_kept)
        .collect();
    let slot = lay_out(root.path(), "bare", None, &Journal::encode(&lines));
    let mut story = slot.read(false).unwrap();
    let error = catch_up(&slot, &mut story, &Town::default()).unwrap_err();
    let SessionError::NotReplayed { turn, last } = error else {
        panic!("{error}");
    };
    assert!(turn == TURNS && last < turn);
    assert!(story.world.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_repaired_save_goes_on_to_the_same_world() {
    let root = tempfile::tempdir().unwrap();
    let whole = play(root.path()).await;
    let game = Town::default();
    for (number, journal) in flips(&whole.journal, 12).enumerate() {
        let name = format!("journal {number}");
        let slot = lay_out(root.path(), &name, Some(&whole.world), &journal);
        let (repair, aside) = repair(slot.clone()).unwrap().unwrap();
        assert!(fs::read(aside.join("journal.jsonl")).unwrap() == journal);
        assert!(repairable(&slot).unwrap().is_none(), "{name}: {repair:?}");
        // The snapshot is recorded in the last line, so it is lost only with that.
        assert!(repair.keeps_snapshot || repair.turn < TURNS, "{repair:?}");
        // A flipped bit may make two lines of one.
        assert!(matches!(repair.lost_lines, 1 | 2), "{repair:?}");
        let again = replay(&slot, &game, Some(repair.replays_to)).await;
        assert_eq!(again.unwrap().turn, repair.replays_to);
        goes_on(root.path(), &name, &whole).await;
    }
    for (number, world) in flips(&whole.world, 6).enumerate() {
        let name = format!("world {number}");
        let slot = lay_out(root.path(), &name, Some(&world), &whole.journal);
        let (repair, _) = repair(slot).unwrap().unwrap();
        assert_eq!((repair.turn, repair.lost_lines), (TURNS, 0));
        goes_on(root.path(), &name, &whole).await;
        let journal = files(root.path(), &name).journal;
        assert!(journal == whole.journal, "nothing is recorded twice");
    }
    // Without a snapshot, all that is before the damage is kept.
    for (number, journal) in flips(&whole.journal, 6).enumerate() {
        let name = format!("alone {number}");
        let slot = lay_out(root.path(), &name, None, &journal);
        let in_head = journal.iter().position(|byte| *byte == b'\n').unwrap();
        let is_head = journal[..=in_head] != whole.journal[..=in_head];
        match repair(slot) {
            Ok(repaired) => assert!(repaired.is_some() && !is_head, "{name}"),
            Err(error) => {
                assert!(is_head && error.to_string().contains("nothing can be recovered"));
                continue;
            }
        }
        goes_on(root.path(), &name, &whole).await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_beginning_of_a_journal_resumes_or_says_why_not() {
    let root = tempfile::tempdir().unwrap();
    let whole = play(root.path()).await;
    let game = Town::default();
    let ends = whole.journal.iter().enumerate();
    let ends = ends
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(index, _)| index + 1);
    let ends: Vec<_> = ends.collect();
    let mut lengths: Vec<_> = ends.iter().flat_map(|end| end - 2..=end + 2).collect();
    lengths.extend(0..ends[1]);
    lengths.retain(|length| *length <= whole.journal.len());
    lengths.sort_unstable();
    lengths.dedup();
    for length in lengths {
        let journal = &whole.journal[..length];
        let name = format!("first {length}");
        let slot = lay_out(root.path(), &name, None, journal);
        if length < ends[0] {
            let error = slot.read(false).unwrap_err().to_string();
            assert!(
                error.contains("there is no journal with a header"),
                "{error}"
            );
            continue;
        }
        if length % 17 == 0 {
            goes_on(root.path(), &name, &whole).await;
        } else {
            Session::resume(root.path(), &name, &game, minds(0).0, false).unwrap();
        }
        let name = format!("behind {length}");
        let slot = lay_out(root.path(), &name, Some(&whole.world), journal);
        match slot.read(false) {
            Ok(_) => assert_eq!(length, whole.journal.len()),
            Err(error) => assert!(error.to_string().contains("the journal ends at turn")),
        }
    }
}

/// Writes the sample of the current format of journals: `cargo test --test engine save --
/// --ignored journal`.
#[tokio::test(start_paused = true)]
#[ignore = "writes into the source tree; a sample is made once for each format"]
async fn write_the_sample_of_the_current_journal() {
    let root = tempfile::tempdir().unwrap();
    let mut session = Session::start(root.path(), "s", &Town::default(), 7, minds(100).0).unwrap();
    session.engine.run(Some(3)).await.unwrap();
    let sample = format!("journal-v{}.jsonl", playhouse_engine::journal::FORMAT);
    let samples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/saves"));
    fs::copy(session.slot().journal_file(), samples.join(sample)).unwrap();
}

#[test]
fn the_journal_of_format_1_loads() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/saves/journal-v1.jsonl");
    let lines = Journal::read(Path::new(sample)).unwrap();
    assert!(matches!(&lines[0], Line::Header(head) if head.format == 1 && head.world == "Town"));
    assert!(Journal::encode(&lines) == fs::read(sample).unwrap());
    let root = tempfile::tempdir().unwrap();
    let slot = lay_out(root.path(), "old", None, &fs::read(sample).unwrap());
    assert_eq!(slot.read(false).unwrap().snapshots().count(), 4);
}
