//! Files in which a bit flipped. That each is found is tested in
//! `crates/engine/tests/engine/save/damage.rs`.

use std::fs;
use std::path::Path;

use super::{accepted, attacked, refused};
use crate::{Dir, err, has, out};

fn damage(path: &Path, index: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[index] ^= 4;
    fs::remove_file(path).unwrap();
    super::write(path, &bytes);
}

#[test]
fn damage_is_found_by_every_command_and_repaired_on_request() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 3 -q");
    accepted(folder, "saves --verify");
    let slot = folder.join("saves/one");
    let world = fs::read(slot.join("world.json")).unwrap();
    damage(&slot.join("world.json"), world.len() / 2);
    // What was paid is in the journal.
    accepted(folder, "show one --view costs");
    for command in ["resume one", "replay one", "branch one two --turn 1"] {
        refused(folder, command, "playhouse saves --repair one");
    }
    let list = attacked(folder, "saves --verify");
    assert_eq!(list.status.code(), Some(4), "{}", err(&list));
    has(&out(&list), &["recovered up to turn 3"]);
    let told = accepted(folder, "saves --repair one");
    has(&told, &["was restored to turn 3"]);
    has(&told, &["0 lines"]);
    assert!(slot.join("damaged-1/world.json").exists());
    accepted(folder, "resume one --until 3 --max-calls 0 -q");
    assert!(fs::read(slot.join("world.json")).unwrap() == world);

    let journal = fs::read(slot.join("journal.jsonl")).unwrap();
    damage(&slot.join("journal.jsonl"), journal.len() / 2);
    refused(folder, "resume one", "journal.jsonl:");
    let told = accepted(folder, "saves --repair one --lang zh");
    has(&told, &["已恢复到第 3 轮", "damaged-2"]);
    accepted(folder, "resume one --until 4 --max-calls 1000 -q");
    let told = accepted(folder, "saves --repair one");
    has(&told, &["is not damaged"]);
}

#[test]
fn what_a_cut_journal_does_not_tell_is_in_the_snapshot() {
    let folder = &Dir::new();
    accepted(folder, "undercover --players 3 --until 2 --save one -q");
    let journal = folder.join("saves/one/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let head = text.find('\n').unwrap();
    super::write(&journal, &text[..head + 40]);
    let told = accepted(folder, "saves --repair one");
    has(&told, &["was restored to turn 2"]);
    accepted(folder, "resume one --until 3 -q");
}

#[test]
fn settings_that_can_not_be_read_are_found_and_set_aside() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 1 -q");
    let settings = folder.join("saves/one/settings.json");
    let unreadable = [
        &"\0".repeat(23),
        "{\"modem\": \"improviser\"}",
        "{\"format\": 2}",
    ];
    for damaged in unreadable {
        super::write(&settings, damaged);
        has(
            &out(&attacked(folder, "saves --verify")),
            &["settings.json"],
        );
        has(
            &accepted(folder, "saves --repair one"),
            &["damaged-settings.json"],
        );
        // Nobody goes on with a model, or without limits, by accident.
        refused(folder, "resume one", "--model improviser");
        accepted(folder, "resume one --model improviser --until 1 -q");
    }
}

#[test]
fn damaged_games_of_a_tournament_are_named_and_repaired() {
    let folder = &Dir::new();
    accepted(folder, "undercover --players 3 --games 2 --save t -q");
    let game = folder.join("saves/t/games/00002");
    let journal = fs::read(game.join("journal.jsonl")).unwrap();
    damage(&game.join("journal.jsonl"), journal.len() - 40);
    let list = attacked(folder, "saves --verify");
    assert_eq!(list.status.code(), Some(4));
    has(&out(&list), &["t/games/00002"]);
    refused(folder, "resume t -q", "playhouse saves --repair t");
    // The good game is counted all the same.
    let counted = attacked(folder, "undercover --from t --json");
    assert_eq!(counted.status.code(), Some(4));
    has(&out(&counted), &["\"slot\":\"00001\""]);
    has(&err(&counted), &["00002"]);
    accepted(folder, "saves --repair t");
    accepted(folder, "resume t -q");
    accepted(folder, "saves --verify");
}
