//! Texts that are made to take memory, time or the stack: every command says what is wrong.

use std::fs;
use std::path::Path;

use super::{attacked, err, out, write};
use crate::Dir;

/// Runs the program, which ends with an error and without many words; what it says.
fn refused(folder: &Path, arguments: &str, what: &str) -> String {
    let output = attacked(folder, arguments);
    let said = out(&output) + err(&output).as_str();
    let start: String = said.chars().take(2_000).collect();
    assert_ne!(output.status.code(), Some(0), "{what}: {start}");
    assert!(
        said.len() < 100_000,
        "{what}: {} bytes: {start}",
        said.len()
    );
    said
}

/// Texts that no file may be.
fn hostile() -> Vec<(&'static str, String)> {
    let open = |text: &str| text.repeat(100_000);
    let fields = |field: &str| format!("({field})");
    vec![
        ("lists in lists", open("[")),
        ("negations", open("Not(")),
        ("all of all", open("All([")),
        ("what may be left out", open("Some(")),
        ("fields in fields", open("(a:")),
        ("comments in comments", open("/*")),
        (
            "a huge number",
            fields(&format!("name: {}", "9".repeat(300_000))),
        ),
        ("no number", fields("name: NaN")),
        (
            "empty actors",
            fields(&format!("actors: [{}]", open("(),"))),
        ),
        (
            "scenes of one name",
            fields(&format!("scenes: [{}]", open("(id:\"a\"),"))),
        ),
        (
            "unknown fields",
            fields(&format!("actors: [{}]", "(a: 1),".repeat(4_900))),
        ),
        (
            "missing commas",
            fields(&format!("actors: [{}]", "() ".repeat(90_000))),
        ),
        ("an open quote", format!("(name: \"{}", open("long"))),
        ("too long", "x".repeat(2_000_000)),
    ]
}

#[test]
fn no_file_takes_much_memory_or_time() {
    let folder = &Dir::new();
    fs::create_dir_all(folder.join("all/improviser/en")).unwrap();
    super::accepted(folder, "new expected");
    let rehearse = "rehearse drowned-assize --runs 1 --data all";
    let hostile = hostile();
    for (file, command) in [
        ("mine/world.ron", "check mine"),
        ("playhouse.ron", "worlds"),
        ("all/models.ron", "config --data all"),
        ("all/improviser/en/talk.ron", rehearse),
        ("team.ron", "chat team.ron --task x"),
        ("words.ron", "undercover --words words.ron"),
        ("expected/expect.ron", "check expected"),
    ] {
        for (what, text) in &hostile {
            write(&folder.join(file), text);
            refused(folder, command, &format!("{file}: {what}"));
        }
        fs::remove_file(folder.join(file)).unwrap();
    }
    for condition in ["Not(", "All([", "["] {
        let find = condition.repeat(10_000);
        refused(
            folder,
            &format!("rehearse drowned-assize --runs 1 --find {find}"),
            "--find",
        );
    }
}

#[test]
fn a_world_of_many_mistakes_is_told_in_a_hundred_lines() {
    let folder = &Dir::new();
    let entries = |list: &str, entry: fn(usize) -> String| {
        let entries: String = (0..4_900).map(entry).collect();
        format!("{list}: [{entries}],")
    };
    let world = format!(
        "({}{}{}{})",
        entries("actors", |n| format!(
            "(name:\"actor {n}\",stage:\"nowhere {n}\"),"
        )),
        entries("scenes", |_| "(id:\"same\",at:\"a\\nb\"),".into()),
        entries("facts", |n| format!(
            "(id:\"fact {n}\",phrases:[\"phrase {n}\"]),"
        )),
        entries("stages", |n| format!("(name:\"\\u{{1b}}[31mred {n}\"),")),
    );
    write(&folder.join("mine/world.ron"), &world);
    let lines = refused(folder, "check mine", "many mistakes");
    assert!((100..110).contains(&lines.lines().count()), "{lines}");
    assert!(
        lines.contains(" more\n") && !lines.contains('\u{1b}'),
        "{lines}"
    );
}
