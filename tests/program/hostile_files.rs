//! Files that are made to take memory, time or the stack: every command ends within limits, and
//! says what is wrong.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests write the files that they are about"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{err, out};

/// Runs the program with 512 MB of memory and 10 seconds of the processor.
fn limited(folder: &Path, arguments: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -v 524288; ulimit -t 10; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_playhouse"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("LANG", "C.UTF-8");
    shell.output().unwrap()
}

/// Whether the program ended by itself, with an error, and without many words.
fn assert_refused(output: &Output, what: &str) {
    let said = format!("{}{}", out(output), err(output));
    let start: String = said.chars().take(2_000).collect();
    let code = output.status.code();
    assert!(
        code.is_some_and(|code| (1..100).contains(&code)),
        "{what}: {code:?} {start}"
    );
    assert!(!said.contains("panicked"), "{what}: {start}");
    assert!(
        said.len() < 100_000,
        "{what}: {} bytes: {start}",
        said.len()
    );
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
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("mine")).unwrap();
    fs::create_dir_all(folder.join("all/improviser/en")).unwrap();
    let files: [(&str, &[&str]); 6] = [
        ("mine/world.ron", &["check", "mine"]),
        ("playhouse.ron", &["worlds"]),
        ("all/models.ron", &["config", "--data", "all"]),
        (
            "all/improviser/en/talk.ron",
            &["rehearse", "drowned-assize", "--runs", "1", "--data", "all"],
        ),
        ("team.ron", &["chat", "team.ron", "--task", "x"]),
        ("words.ron", &["undercover", "--words", "words.ron"]),
    ];
    let hostile = hostile();
    for (file, command) in files {
        for (what, text) in &hostile {
            fs::write(folder.join(file), text).unwrap();
            assert_refused(&limited(folder, command), &format!("{file}: {what}"));
        }
        fs::remove_file(folder.join(file)).unwrap();
    }
}

#[test]
fn no_condition_or_expectation_takes_much_memory_or_time() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for condition in ["Not(", "All([", "["] {
        let condition = condition.repeat(10_000);
        let rehearse = [
            "rehearse",
            "drowned-assize",
            "--runs",
            "1",
            "--find",
            &condition,
        ];
        assert_refused(&limited(folder, &rehearse), "--find");
    }
    let new = limited(folder, &["new", "mine"]);
    assert_eq!(new.status.code(), Some(0), "{}", err(&new));
    for (what, text) in hostile() {
        fs::write(folder.join("mine/expect.ron"), text).unwrap();
        assert_refused(&limited(folder, &["check", "mine"]), what);
    }
}

#[test]
fn a_world_of_many_mistakes_is_told_in_a_hundred_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("mine")).unwrap();
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
    fs::write(folder.join("mine/world.ron"), world).unwrap();
    let told = limited(folder, &["check", "mine"]);
    assert_refused(&told, "many mistakes");
    let lines = out(&told);
    assert!((100..110).contains(&lines.lines().count()), "{lines}");
    assert!(
        lines.contains(" more\n") && !lines.contains('\u{1b}'),
        "{lines}"
    );
}

#[test]
fn no_template_takes_the_stack() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("data/prompts/en/asks")).unwrap();
    for (what, text) in [
        (
            "operators",
            format!("{{{{ {}a }}}}", "a + ".repeat(100_000)),
        ),
        ("brackets", format!("{{{{ {}", "(".repeat(30_000))),
        ("blocks", "{% if a %}".repeat(6_000)),
        (
            "branches",
            format!("{{% if a %}}{}", "{% elif a %}".repeat(5_000)),
        ),
        (
            "macros",
            "{% macro a() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}".into(),
        ),
        ("doubling", "{% set x = x ~ x %}".repeat(50)),
    ] {
        fs::write(folder.join("data/prompts/en/asks/plan.j2"), text).unwrap();
        let told = limited(folder, &["check", "drowned-assize"]);
        assert_refused(&told, what);
        assert!(
            out(&told).contains("asks/plan.j2"),
            "{what}: {}",
            out(&told)
        );
    }
}
