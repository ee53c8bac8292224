//! What the program writes into folders: its data, completions, manual pages.

use std::fs;
use std::io::Write;

use super::{err, out, run};

#[test]
fn the_built_in_data_are_written_to_be_edited() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let exported = run(folder, "data export mine");
    assert_eq!(exported.status.code(), Some(0), "{}", err(&exported));
    let world = fs::read_dir(folder.join("mine/worlds")).unwrap().next();
    let file = world.unwrap().unwrap().path().join("world.ron");
    let text = fs::read_to_string(&file).unwrap();
    let again = run(folder, "data export mine --json");
    assert!(out(&again).contains("\"written\":0"), "{}", out(&again));
    let mut edited = fs::OpenOptions::new().append(true).open(&file).unwrap();
    edited.write_all(b"// mine\n").unwrap();
    let refused = run(folder, "data export mine");
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    assert!(err(&refused).contains("world.ron"), "{}", err(&refused));
    let forced = run(folder, "data export mine --force");
    assert_eq!(forced.status.code(), Some(0), "{}", err(&forced));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let listed = |arguments: &str| out(&run(folder, arguments));
    assert_eq!(listed("worlds --data mine"), listed("worlds"));
}

#[test]
fn shells_and_man_learn_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = out(&run(folder, &format!("completions {shell}")));
        assert!(script.contains("undercover"), "{shell}");
    }
    let manual = run(folder, "manual man");
    assert_eq!(manual.status.code(), Some(0), "{}", err(&manual));
    let page = fs::read_to_string(folder.join("man/playhouse-resume.1")).unwrap();
    assert!(
        page.contains("COMMON OPTIONS") && page.contains("max\\-cost"),
        "{page}"
    );
    assert!(folder.join("man/playhouse.1").is_file());
    assert!(!folder.join("man/playhouse-help.1").exists());
}

#[test]
fn a_branch_with_another_seed_is_another_story_that_replays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let done = |arguments: &str| {
        let output = run(folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        out(&output)
    };
    done("zhaoying-ban --save old --until 6 -q");
    done("branch old same --turn 3");
    done("branch old other --turn 3 --seed 99");
    done("branch old other2 --turn 3 --seed 99");
    // Stopped in the middle, it keeps the seed.
    done("resume other --until 4 -q");
    for slot in ["same", "other", "other2"] {
        done(&format!("resume {slot} --until 6 -q"));
    }
    let world = |slot: &str| fs::read(folder.join("saves").join(slot).join("world.json")).unwrap();
    assert!(
        world("same") == world("old"),
        "without a seed nothing changes"
    );
    assert!(world("other") != world("old"), "with another seed it does");
    assert!(world("other") == world("other2"), "the seed decides");
    done("replay other");
}
