//! Programs that end at any moment, and disks that are full.

use std::fs;
use std::path::Path;

use super::{LIMITS, accepted, attacked, copy, limited, write};
use crate::{Dir, err, has};

const TOURNAMENT: &str = "undercover --players 3 --games 3 --jobs 2 --seed 1 -q";

fn worlds(tournament: &Path) -> Vec<Vec<u8>> {
    let world = |game| fs::read(tournament.join(format!("games/{game:05}/world.json"))).unwrap();
    (1..=3).map(world).collect()
}

#[test]
fn a_game_of_which_nothing_was_played_is_begun_again() {
    let folder = &Dir::new();
    accepted(folder, &format!("{TOURNAMENT} --save whole"));
    let whole = folder.join("saves/whole");
    let journal = fs::read_to_string(whole.join("games/00002/journal.jsonl")).unwrap();
    let lines: Vec<_> = journal.split_inclusive('\n').collect();
    let half_a_head = &lines[0][..20];
    for (number, start) in [
        None,
        Some(String::new()),
        Some(half_a_head.to_owned()),
        Some(lines[..1].concat()),
        Some(lines[..2].concat()),
        Some(lines[..3].concat()),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("torn-{number}");
        let copied = folder.join("saves").join(&name);
        copy(&whole, &copied);
        let game = copied.join("games/00002");
        fs::remove_file(game.join("world.json")).unwrap();
        match &start {
            Some(text) => write(&game.join("journal.jsonl"), text),
            None => fs::remove_file(game.join("journal.jsonl")).unwrap(),
        }
        fs::create_dir(copied.join("games/.new-0123456789abcdef")).unwrap();
        accepted(folder, &format!("resume {name} -q"));
        assert!(worlds(&copied) == worlds(&whole), "{start:?}");
    }
}

#[test]
fn a_save_without_a_snapshot_starts_from_its_journal() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 3 -q");
    let slot = folder.join("saves/one");
    let world = fs::read(slot.join("world.json")).unwrap();
    let journal = fs::read(slot.join("journal.jsonl")).unwrap();
    fs::remove_file(slot.join("world.json")).unwrap();
    let list = accepted(folder, "saves");
    let state = "no snapshot; resumes from its journal";
    has(&list, &["drowned-assize", state]);
    accepted(folder, "replay one -q");
    // No call is allowed: everything comes from the journal.
    accepted(folder, "resume one --until 3 --max-calls 0 -q");
    assert!(fs::read(slot.join("world.json")).unwrap() == world);
    assert!(fs::read(slot.join("journal.jsonl")).unwrap() == journal);
}

#[test]
fn a_full_disk_leaves_the_last_save_whole() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 2 -q");
    let slot = folder.join("saves/one");
    let world = fs::read(slot.join("world.json")).unwrap();
    // No file may grow beyond what there is, in blocks of 512 bytes.
    let journal = fs::metadata(slot.join("journal.jsonl")).unwrap().len() as usize;
    let blocks = world.len().max(journal) / 512;
    let full = format!("ulimit -f {blocks}; {LIMITS}");
    let output = limited(folder, &full, "resume one -q");
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    let told = err(&output);
    has(&told, &["can't write"]);
    assert!(fs::read(slot.join("world.json")).unwrap() == world);
    let left = fs::read_dir(&slot).unwrap().filter_map(Result::ok);
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".new-"));
    assert_eq!(left.count(), 0, "unfinished files are left");
    accepted(folder, "resume one --until 4 -q");
    // A slot that can't be made whole is not made at all.
    let full = format!("ulimit -f 1; {LIMITS}");
    let output = limited(folder, &full, "run --save two -q");
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert_eq!(fs::read_dir(folder.join("saves")).unwrap().count(), 1);
}

#[test]
fn what_a_killed_program_left_is_tidied_up() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 1 -q");
    let slot = folder.join("saves/one");
    let left = [".new-0123", "contexts/.new-4567"].map(|name| slot.join(name));
    left.iter().for_each(|path| write(path, "half"));
    attacked(folder, "resume one --until 2 -q");
    assert!(left.iter().all(|path| !path.exists()));
}
