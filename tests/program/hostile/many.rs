//! Saves that take far more memory than they have bytes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{accepted, attacked, err, refused, write, write_bytes};

const COMMANDS: [&str; 7] = [
    "show one",
    "who one Wren",
    "timeline one",
    "resume one --until 9 -q",
    "replay one",
    "export one --html one.html",
    "saves --verify",
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

fn input(value: &str) -> String {
    format!(r#"{{"input":{{"turn":1,"value":{value}}}}}"#)
}

/// Puts a journal with right sums into the slot, which nothing reads any more.
fn journal_is_refused(folder: &Path, lines: &[String], more: &[String], words: &str) {
    let lines = [lines, more].concat();
    let journal = folder.join("saves/one/journal.jsonl");
    write_bytes(&journal, &journal_of(&lines));
    for command in COMMANDS
        .iter()
        .filter(|command| !command.contains("--verify"))
    {
        refused(folder, command, words);
    }
}

#[test]
fn a_journal_of_very_many_values_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = save(folder);
    assert_eq!(
        journal_of(&lines),
        fs::read(folder.join("saves/one/journal.jsonl")).unwrap()
    );
    let zeros = |count| input(&format!("[{}]", vec!["0"; count].join(",")));
    let words = "journal.jsonl: has too many lists, values and lines";
    journal_is_refused(folder, &lines, &[zeros(4_000_000)], words);
    journal_is_refused(folder, &lines, &vec![zeros(524_000); 8], words);
    let stopped = r#"{"stopped":{"turn":1,"reason":""}}"#.to_owned();
    journal_is_refused(folder, &lines, &vec![stopped; 400_000], words);
}

#[test]
fn a_save_whose_last_turns_can_not_be_replayed_is_shown_as_of_its_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    accepted(folder, "run --save one --until 2 -q");
    let files = ["world.json", "events.jsonl"].map(|file| folder.join("saves/one").join(file));
    let old = files.clone().map(|file| fs::read(file).unwrap());
    accepted(folder, "resume one --until 3 -q");
    for (file, old) in files.iter().zip(&old) {
        write_bytes(file, old);
    }
    let show = || attacked(folder, "show one");
    assert!(!err(&show()).contains("as of that turn"));
    let journal = folder.join("saves/one/journal.jsonl");
    let mut lines = lines_of(&journal);
    let meeting = "{\"meeting\":{\"turn\":3,\"hashes\":{\"\":\"";
    let last = lines.iter_mut().find(|line| line.starts_with(meeting));
    let hash = last.unwrap();
    hash.replace_range(meeting.len()..meeting.len() + 8, "00000000");
    write_bytes(&journal, &journal_of(&lines));
    let shown = show();
    assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
    assert!(err(&shown).contains("What happened after turn 2 can't be replayed"));
    refused(folder, "resume one -q", "turn 3");
}

#[test]
fn a_journal_of_very_many_worlds_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = save(folder);
    let words = "journal.jsonl: has too many lists, values and lines";
    let game = input(r#"{"game":{"name":"campaign","setup":{}}}"#);
    journal_is_refused(folder, &lines, &vec![game; 1_100], words);
}

#[test]
fn a_world_of_very_many_values_is_refused_and_spoils_no_list() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    save(folder);
    accepted(folder, "run --save two --until 1 -q");
    let file = folder.join("saves/one/world.json");
    let world = fs::read_to_string(&file).unwrap();
    let zeros = vec!["0"; 4_100_000].join(",");
    let texts = vec![r#""""#; 4_100_000].join(",");
    for (before, after) in [
        (
            "\"resources\":{",
            format!("\"resources\":{{\"x\":[{zeros}],"),
        ),
        (
            "\"messages\":[",
            format!("\"messages\":[{{\"metadata\":{{\"x\":[{zeros}]}}}},"),
        ),
        ("{", format!("{{\"openings\":[{texts}],")),
        ("{", format!("{{\"other\":[{zeros}],")),
    ] {
        let many = world.replacen(before, &after, 1);
        write(&file, &many);
        for command in ["show one", "resume one -q", "export one --html x"] {
            refused(
                folder,
                command,
                "the journal has no record of this snapshot",
            );
        }
        let too_many = "has too many lists, values and lines";
        refused(folder, "resume one --force -q", too_many);
        let list = super::attacked(folder, "saves --verify");
        assert!(crate::out(&list).contains("two"), "{}", crate::err(&list));
    }
}

#[test]
fn a_kept_world_of_very_many_prompts_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
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
        write_bytes(&journal, &journal_of(&lines.collect::<Vec<_>>()));
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
        "who one Wren",
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
