//! Journals whose sums are right, but that hold too much or another past.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{accepted, attacked, err, refused, write};
use crate::Dir;

const COMMANDS: [&str; 6] = [
    "show one",
    "ask one who Wren",
    "show one --view calls",
    "resume one --until 9 -q",
    "replay one",
    "export one --html one.html",
];

/// A save of one turn; the lines of its journal.
fn save(folder: &Path) -> Vec<String> {
    accepted(folder, "run --save one --until 1 -q");
    lines_of(&folder.join("saves/one/journal.jsonl"))
}

/// The lines of a journal, without their sums.
fn lines_of(journal: &Path) -> Vec<String> {
    let text = fs::read_to_string(journal).unwrap();
    let lines = text.lines();
    let lines = lines.map(|line| line.rsplit_once(",\"sum\":").unwrap().0.to_owned() + "}");
    lines.collect()
}

/// A journal of these lines, with right sums.
fn journal_of(lines: &[String]) -> Vec<u8> {
    let (mut sum, mut bytes) = (0_u64, Vec::new());
    for line in lines {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&sum.to_le_bytes());
        hasher.update(line.as_bytes());
        let digest = hasher.finalize();
        sum = u64::from_le_bytes(digest.as_bytes()[..8].try_into().unwrap());
        bytes.extend_from_slice(&line.as_bytes()[..line.len() - 1]);
        bytes.extend_from_slice(format!(",\"sum\":\"{sum:016x}\"}}\n").as_bytes());
    }
    bytes
}

#[test]
fn a_save_whose_last_turns_can_not_be_replayed_is_shown_as_of_its_snapshot() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 2 -q");
    let files = ["world.json", "events.jsonl"].map(|file| folder.join("saves/one").join(file));
    let old = files.clone().map(|file| fs::read(file).unwrap());
    accepted(folder, "resume one --until 3 -q");
    for (file, old) in files.iter().zip(&old) {
        write(file, old);
    }
    let show = || attacked(folder, "show one");
    assert!(!err(&show()).contains("as of that turn"));
    let journal = folder.join("saves/one/journal.jsonl");
    let mut lines = lines_of(&journal);
    let meeting = "{\"meeting\":{\"turn\":3,\"hashes\":{\"\":\"";
    let last = lines.iter_mut().find(|line| line.starts_with(meeting));
    let hash = last.unwrap();
    hash.replace_range(meeting.len()..meeting.len() + 8, "00000000");
    write(&journal, &journal_of(&lines));
    let shown = show();
    assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
    assert!(err(&shown).contains("What happened after turn 2 can't be replayed"));
    refused(folder, "resume one -q", "turn 3");
}

#[test]
fn a_journal_of_very_many_worlds_is_refused() {
    let folder = &Dir::new();
    let mut lines = save(folder);
    let game = r#"{"input":{"turn":1,"value":{"game":{"name":"campaign","setup":{}}}}}"#;
    lines.extend(vec![game.to_owned(); 1_100]);
    write(&folder.join("saves/one/journal.jsonl"), &journal_of(&lines));
    let words = "the worlds that the journal keeps take more than 67108864 bytes";
    for command in COMMANDS {
        refused(folder, command, words);
    }
}

#[test]
fn a_kept_world_of_very_many_prompts_is_refused() {
    let folder = &Dir::new();
    accepted(folder, "new mine");
    accepted(folder, "run mine --save one --until 1 -q");
    fs::remove_dir_all(folder.join("mine")).unwrap();
    let journal = folder.join("saves/one/journal.jsonl");
    let lines = lines_of(&journal);
    accepted(folder, "show one");
    let with = |prompts: &dyn Fn(usize) -> (String, String), count: usize| {
        let lines = lines.iter().map(|line| {
            if !line.starts_with(r#"{"game":"#) {
                return line.clone();
            }
            let mut line: Value = serde_json::from_str(line).unwrap();
            let texts = line["game"]["setup"]["texts"].as_object_mut().unwrap();
            texts.extend((0..count).map(|number| {
                let (path, text) = prompts(number);
                (path, json!(text))
            }));
            line.to_string()
        });
        write(&journal, &journal_of(&lines.collect::<Vec<_>>()));
    };
    // What is no prompt is not read.
    with(&|number| (format!("else/{number}.j2"), "{{".into()), 2_000);
    accepted(folder, "show one");
    let told = "what the save keeps of its world 'mine' can't be used";
    with(
        &|number| (format!("prompts/en/x{number}.j2"), "a".into()),
        35_000,
    );
    for command in [
        "show one",
        "ask one who Wren",
        "resume one -q",
        "export one --html x",
    ] {
        refused(folder, command, told);
    }
    with(
        &|number| (format!("prompts/en/x{number}.j2"), "{{a}}".repeat(13_000)),
        120,
    );
    refused(folder, "show one", "1048576 are read");
}
