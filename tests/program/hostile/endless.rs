//! Files that never end, or are far too large, in the place of any file that the program reads.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{accepted, attacked, err, out, write};
use crate::{Dir, has};

/// What may be in the place of a file.
const KINDS: [&str; 4] = ["device", "pipe", "huge", "folder"];

/// Puts something in the place of a file.
fn put(kind: &str, place: &Path) {
    if place.is_dir() {
        fs::remove_dir_all(place).unwrap();
    } else if place.symlink_metadata().is_ok() {
        fs::remove_file(place).unwrap();
    }
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    match kind {
        "device" => symlink("/dev/zero", place).unwrap(),
        "pipe" => assert!(
            Command::new("mkfifo")
                .arg(place)
                .status()
                .unwrap()
                .success()
        ),
        "huge" => File::create(place).unwrap().set_len(300 << 20).unwrap(),
        _ => fs::create_dir(place).unwrap(),
    }
}

/// Everything is refused, with an error that names the file.
fn all_refused(folder: &Path, place: &str, commands: &[&str]) {
    let file = Path::new(place).file_name().unwrap().to_str().unwrap();
    for kind in KINDS {
        put(kind, &folder.join(place));
        for arguments in commands {
            let output = attacked(folder, arguments);
            let told = err(&output) + out(&output).as_str();
            assert_ne!(output.status.code(), Some(0), "{kind}: {arguments}: {told}");
            assert!(told.contains(file), "{kind}: {arguments}: {told}");
        }
    }
}

#[test]
fn saves_are_read_within_bounds_and_a_bad_one_spoils_no_list() {
    let folder = &Dir::new();
    accepted(folder, "run --save one --until 1 -q");
    accepted(folder, "run --save two --until 1 -q");
    let commands = ["resume two -q", "replay two -q", "saves --verify"];
    for file in ["saves/two/world.json", "saves/two/journal.jsonl"] {
        let place = folder.join(file);
        let good = fs::read_to_string(&place).unwrap();
        all_refused(folder, file, &commands);
        if file.ends_with("journal.jsonl") {
            all_refused(folder, file, &["show two --view costs"]);
        }
        for kind in KINDS {
            put(kind, &place);
            let list = accepted(folder, "saves");
            has(&list, &["one", "two"]);
            has(&list, &["in progress"]);
        }
        fs::remove_dir(&place).unwrap();
        write(&place, &good);
    }
    accepted(folder, "resume two --until 2 -q");
    for kind in KINDS {
        put(kind, &folder.join("saves/two/lock"));
        let output = attacked(folder, "resume two --until 2 -q");
        // A lock is not read, whatever its length.
        assert_eq!(output.status.success(), kind == "huge", "{kind}");
    }
}

#[test]
fn batches_are_read_within_bounds() {
    let folder = &Dir::new();
    accepted(folder, "undercover --players 3 --games 1 --save t -q");
    for kind in KINDS {
        put(kind, &folder.join("saves/t/batch.json"));
        for arguments in ["resume t", "saves", "saves --verify", "undercover --from t"] {
            attacked(folder, arguments);
        }
    }
}

#[test]
fn settings_and_models_are_read_within_bounds() {
    let folder = &Dir::new();
    all_refused(folder, "playhouse.ron", &["worlds", "config"]);
    let folder = &Dir::new();
    fs::create_dir(folder.join("worlds")).unwrap();
    all_refused(folder, "data/models.ron", &["config --data data"]);
}

#[test]
fn worlds_are_read_within_bounds() {
    let folder = &Dir::new();
    accepted(folder, "new mine");
    let rehearse = "rehearse mine --runs 1";
    all_refused(folder, "mine/expect.ron", &[rehearse]);
    all_refused(folder, "mine/world.ron", &["check mine", "run mine -q"]);
    let prompts = "data/prompts/en/rpg.j2";
    for kind in KINDS {
        put(kind, &folder.join(prompts));
        attacked(folder, "run --data data -q --until 1");
    }
}

#[test]
fn circles_of_links_end() {
    let folder = &Dir::new();
    let worlds = folder.join("data/worlds");
    fs::create_dir_all(&worlds).unwrap();
    for number in 0..12 {
        symlink(".", worlds.join(format!("again-{number}"))).unwrap();
    }
    fs::create_dir_all(folder.join("data/teams/en")).unwrap();
    for number in 0..12 {
        symlink("..", folder.join(format!("data/teams/en/up-{number}"))).unwrap();
    }
    for arguments in [
        "worlds --data data",
        "check nothing --data data",
        "chat --data data",
    ] {
        attacked(folder, arguments);
    }
}

#[test]
fn what_is_named_on_the_command_line_is_read_within_bounds() {
    let folder = &Dir::new();
    all_refused(folder, "talk.json", &["convert talk.json --to openai"]);
    let words = ["undercover --players 3 --words words.ron"];
    all_refused(folder, "words.ron", &words);
    all_refused(folder, "team.ron", &["chat team.ron --task hello"]);
}

#[test]
fn a_conversation_of_very_many_values_is_refused() {
    let folder = &Dir::new();
    let talk = |count: usize| {
        let texts = vec![r#"",""#; count].join(",");
        format!(r#"[{{"role": "user", "content": [{texts}]}}]"#)
    };
    super::write(&folder.join("talk.json"), &talk(100));
    super::accepted(folder, "convert talk.json --from openai --to langchain");
    super::write(&folder.join("talk.json"), &talk(1_000_000));
    super::refused(folder, "convert talk.json --to openai", "300000 values");
}
