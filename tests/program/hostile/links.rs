//! Saves with links in them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{accepted, attacked, copy, refused, write};
use crate::{Dir, has};

/// A folder with the save `one` of a world that has just begun.
fn with_save() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    accepted(folder.path(), "run --save one --until 1 -q");
    folder
}

/// Puts a link to `target` in the place of a file of a copy of the save.
fn with_link(folder: &Path, name: &str, file: &str, target: &Path) {
    let slot = folder.join("saves").join(name);
    copy(&folder.join("saves/one"), &slot);
    let place = slot.join(file);
    if place.is_dir() {
        fs::remove_dir_all(&place).unwrap();
    } else if place.exists() {
        fs::remove_file(&place).unwrap();
    }
    symlink(target, place).unwrap();
}

#[test]
fn no_link_in_a_save_leads_to_other_files() {
    let folder = with_save();
    let folder = folder.path();
    let mine = folder.join("mine");
    fs::create_dir(&mine).unwrap();
    let precious = mine.join("precious");
    write(&precious, "mine");
    let context = fs::read_dir(folder.join("saves/one/contexts")).unwrap();
    let context = context.map(|entry| entry.unwrap().file_name());
    let context = context.min().unwrap().into_string().unwrap();
    for (number, file) in [
        "world.json", "journal.jsonl", "lock", "contexts", "notes.txt", ".world.json.new",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("link-{number}");
        let target = if *file == "contexts" {
            &mine
        } else {
            &precious
        };
        with_link(folder, &name, file, target);
        refused(folder, &format!("resume {name} -q"), "is a link");
        refused(folder, &format!("replay {name} -q"), file);
    }
    for (number, file) in [
        format!("contexts/{context}"),
        format!("contexts/.{context}.new"),
    ]
    .iter()
    .enumerate()
    {
        let name = format!("inner-{number}");
        with_link(folder, &name, file, &precious);
        accepted(folder, &format!("resume {name} --until 2 -q"));
    }
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
    // What is wrong with these is no reason not to list the others.
    let list = accepted(folder, "saves");
    assert!(
        list.contains("The Drowned Assize") || list.contains("drowned-assize"),
        "{list}"
    );
    has(&list, &["is a link"]);
}

#[test]
fn a_journal_with_another_name_is_not_appended_to() {
    let folder = with_save();
    let folder = folder.path();
    let slot = folder.join("saves/one");
    fs::hard_link(slot.join("journal.jsonl"), folder.join("other")).unwrap();
    let before = fs::read(folder.join("other")).unwrap();
    refused(folder, "resume one -q", "hard link");
    accepted(folder, "replay one -q");
    assert_eq!(fs::read(folder.join("other")).unwrap(), before);
}

#[test]
fn a_save_that_is_a_link_is_refused() {
    let folder = with_save();
    let folder = folder.path();
    fs::create_dir(folder.join("elsewhere")).unwrap();
    copy(&folder.join("saves/one"), &folder.join("elsewhere/one"));
    symlink("../elsewhere/one", folder.join("saves/two")).unwrap();
    refused(folder, "resume two -q", "saves/two: is a link");
    // The folder of all saves is the user's own choice.
    symlink("elsewhere", folder.join("more")).unwrap();
    accepted(folder, "resume one --saves more --until 2 -q");
}

#[test]
fn a_tournament_with_links_is_refused() {
    let folder = &Dir::new();
    accepted(folder, "undercover --players 3 --games 1 --save t -q");
    let games = folder.join("saves/t/games");
    fs::rename(&games, folder.join("games")).unwrap();
    symlink(folder.join("games"), &games).unwrap();
    for command in ["resume t", "saves --repair t"] {
        refused(folder, command, "games: is a link");
    }
}

#[test]
fn force_removes_nothing_but_saves() {
    let folder = with_save();
    let folder = folder.path();
    let thesis = folder.join("saves/thesis");
    fs::create_dir(&thesis).unwrap();
    write(&thesis.join("chapter-1.txt"), "years of work");
    refused(folder, "run --save thesis --force -q", "is not a save");
    assert!(thesis.join("chapter-1.txt").exists());
    // Links are removed, not what they lead to.
    with_link(folder, "two", "contexts", &thesis);
    let output = attacked(folder, "run --save two --force --until 1 -q");
    assert!(output.status.code().is_some());
    assert!(thesis.join("chapter-1.txt").exists());
}
