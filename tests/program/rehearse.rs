//! A small world from outside: rehearsals with tables, JSON, the page and expectations; a branch.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{err, exits, has, out, run, succeed, write};

/// A folder with a small world in `mill` and these expectations of it.
fn mill(expectations: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), "new mill");
    if !expectations.is_empty() {
        write(&folder.path().join("mill/expect.ron"), expectations);
    }
    folder
}

fn rehearse(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let output = run(folder, &format!("rehearse mill --runs 4 {arguments}"));
    (output.status.code(), out(&output), err(&output))
}

#[test]
fn tables_say_what_happened() {
    let folder = mill("");
    let (code, told, errors) = rehearse(folder.path(), "--cost-as deepseek");
    assert_eq!(code, Some(0), "{errors}");
    has(
        &told,
        &[
            "Overview",
            "cost of a run as deepseek",
            "Grinding Floor",
            "Tam Weller",
            "the-coins",
            "The mill stands",
            "The run with seed 1 ended: ",
        ],
    );
    has(&errors, &["4 of 4 runs played"]);
    assert!(!folder.path().join("saves").exists(), "nothing is saved");
    let again = rehearse(folder.path(), "--cost-as deepseek --jobs 1");
    assert_eq!(again.1, told);
}

#[test]
fn json_has_a_line_for_each_run_and_one_for_all() {
    let folder = mill("");
    let (code, told, errors) = rehearse(folder.path(), "--json --seed 7");
    assert_eq!((code, &*errors), (Some(0), ""));
    let lines = told.lines().map(serde_json::from_str);
    let lines: Vec<Value> = lines.collect::<Result<_, _>>().unwrap();
    let seeds: Vec<_> = lines.iter().map(|line| line["seed"].as_u64()).collect();
    assert_eq!(seeds, [Some(7), Some(8), Some(9), Some(10), Some(7)]);
    let rehearsal = &lines[4];
    assert_eq!(rehearsal["record"], "rehearsal");
    assert_eq!(rehearsal["runs"], 4);
    assert_eq!(rehearsal["fights"][0]["won"]["of"], 4);
    assert_eq!(rehearsal["unmet"], serde_json::json!([]));
}

#[test]
fn the_page_needs_nothing_else() {
    let folder = mill("[Fights(0, 0)]");
    for (lang, title) in [("en", "Overview"), ("zh", "总览")] {
        let (code, _, errors) = rehearse(folder.path(), &format!("--html page.html --lang {lang}"));
        assert_eq!(code, Some(7), "{errors}");
        let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
        has(
            &page,
            &[
                title,
                "Grinding Floor",
                "<svg",
                "prefers-color-scheme: dark",
            ],
        );
        for link in ["http", "src=", "href=", "url(", "@import", "<script"] {
            assert!(!page.contains(link), "the page has '{link}'");
        }
    }
}

#[test]
fn runs_are_found_by_a_condition() {
    let folder = mill("");
    let find = |condition: &str| {
        let mut command = super::playhouse(folder.path());
        command.args(["rehearse", "mill", "--runs", "4", "--find", condition]);
        command.output().unwrap()
    };
    let found = find("At(\"Isa Finch\", \"Grinding Floor\")");
    assert_eq!(found.status.code(), Some(0), "{}", err(&found));
    has(&out(&found), &["Found in none of 4 runs"]);
    let found = find("Alive(\"Isa Finch\")");
    has(
        &out(&found),
        &["Found in 4 of 4 runs", "seeds: 1 (turn 14)"],
    );
    let wrong = find("Alive(\"Isa Flinch\")");
    assert_eq!(wrong.status.code(), Some(2));
    has(&err(&wrong), &["Isa Finch"]);
    assert_eq!(find("Alive(").status.code(), Some(2));
}

#[test]
fn expectations_are_met_or_told_with_their_place() {
    let met = mill("[Fights(0, 100), Fight(\"Grinding Floor\", 0, 100)]");
    assert_eq!(rehearse(met.path(), "--quiet").0, Some(0));
    let unmet = mill("[\n  Fights(0, 100),\n  Talk(99, 100),\n]");
    let (code, told, errors) = rehearse(unmet.path(), "");
    assert_eq!(code, Some(7));
    assert!(told.contains("Overview"), "the tables are printed as well");
    has(
        &errors,
        &["expect.ron:3:3: error: [1]: ", "expected 99 to 100%"],
    );
    let wrong = mill("[Fight(\"Grinding Flour\", 0, 100)]");
    for command in ["rehearse mill", "check mill"] {
        let output = exits(wrong.path(), command, 3);
        let told = err(&output) + out(&output).as_str();
        for words in ["expect.ron:1:8: error: [0].0: ", "Grinding Floor"] {
            assert!(told.contains(words), "{command}: no '{words}' in:\n{told}");
        }
    }
}

#[test]
fn a_branch_plays_on_with_another_option() {
    let folder = mill("");
    let run = |arguments: &str| {
        let output = succeed(folder.path(), arguments);
        out(&output)
    };
    run("run mill --save one --quiet");
    for (option, seen) in [
        ("take", "Tam fills his bag"),
        ("share", "Tam counts the coins"),
    ] {
        run(&format!("branch one {option} --choose the-coins={option}"));
        let told = run(&format!("resume {option} --width 1000"));
        has(&told, &[seen]);
    }
}

#[test]
fn texts_that_are_false_where_they_are_told_are_listed_with_their_place() {
    let folder = mill("");
    let (code, told, _) = rehearse(folder.path(), "--consistency");
    assert_eq!(code, Some(0), "{told}");
    has(&told, &["4 runs"]);
    let file = folder.path().join("mill/world.ron");
    let world = fs::read_to_string(&file).unwrap();
    let scene =
        "scenes: [(id: \"key\", at: \"Village Green\", opening: \"The miller's key turns.\"),";
    let world = world.replace("scenes: [", scene);
    let line = world
        .lines()
        .position(|line| line.contains("key turns"))
        .unwrap()
        + 1;
    write(&file, &world);
    let (code, told, errors) = rehearse(folder.path(), "--consistency");
    assert_eq!(code, Some(7));
    has(
        &told,
        &[
            &format!("world.ron:{line}:"),
            "the miller's key",
            "4 of 4 runs",
            "--seed 1",
        ],
    );
    has(&errors, &["1 text was told although it was not true"]);
    let (_, told, _) = rehearse(folder.path(), "--consistency --json");
    let found: Value = serde_json::from_str(told.lines().next().unwrap()).unwrap();
    assert_eq!(found["record"], "false_text");
    assert_eq!((&found["line"], &found["seed"]), (&line.into(), &1.into()));
    assert_eq!(found["wrong"]["gone"], "the miller's key");
}
