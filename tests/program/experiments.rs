//! Experiments: conditions, their comparison, and what is wrong with their files.

use std::fs;
use std::process::Output;

use serde_json::Value;

use super::model_server::{Reply, fitting, schema_of, serve, write_model};
use super::{Dir, err, exits, has, lacks, out, records_of, run, succeed, write};

fn of_kind(output: &Output, kind: &str) -> Vec<Value> {
    let records = records_of(output).into_iter();
    records.filter(|record| record["record"] == kind).collect()
}

/// A folder with a small world of this kind and an experiment on it.
fn with_experiment(kind: &str, text: &str) -> Dir {
    let folder = Dir::new();
    succeed(&folder, &format!("new mill --kind {kind}"));
    write(&folder.join("talk.ron"), text);
    folder
}

const TALK: &str = r#"(
    world: "mill",
    seed: 5,
    runs: 4,
    conditions: [
        (name: "short", set: {"limits.talk_turns": 1}),
        (name: "long", set: {"limits.talk_turns": 9}),
    ],
)"#;

#[test]
fn conditions_are_played_with_the_same_seeds_and_compared() {
    let folder = &with_experiment("talk", TALK);
    let played = succeed(folder, "experiment run talk.ron --json");
    let runs = of_kind(&played, "run");
    assert_eq!(runs.len(), 8);
    for run in &runs {
        assert_eq!(run["world"], "mill");
        assert_eq!(run["model"], "improviser");
        assert_eq!(run["engine"], env!("CARGO_PKG_VERSION"));
        assert!((5..9).contains(&run["seed"].as_u64().unwrap()));
    }
    let fingerprints: std::collections::BTreeSet<_> = runs
        .iter()
        .map(|run| run["fingerprint"].to_string())
        .collect();
    assert_eq!(fingerprints.len(), 2, "each condition has data of its own");
    let conditions = of_kind(&played, "condition");
    assert_eq!(conditions[1]["condition"], "long");
    assert_eq!(conditions[1]["runs"], 4);
    let calls = |condition: &Value| condition["outcomes"]["Calls"]["mean"].as_f64().unwrap();
    assert!(calls(&conditions[1]) > calls(&conditions[0]));
    let comparisons = of_kind(&played, "comparison");
    for made_from in [
        "world", "fingerprint", "condition", "model", "engine", "seed",
    ] {
        assert_eq!(comparisons[0][made_from], conditions[1][made_from]);
    }
    let calls = comparisons.iter().find(|found| found["outcome"] == "Calls");
    let calls = calls.unwrap();
    assert_eq!(
        (&calls["against"], &calls["pairs"]),
        (&"short".into(), &4.into())
    );
    assert_eq!(calls["test"], "paired_t");
    assert!(calls["difference"].as_f64() > Some(0.0), "{calls}");
    assert!(calls["p_holm"].as_f64() >= calls["p"].as_f64(), "{calls}");
    // The same again from the journals alone, and in words.
    let report = succeed(folder, "experiment report talk.ron --json");
    assert_eq!(of_kind(&report, "comparison"), comparisons);
    assert_eq!(of_kind(&report, "condition"), conditions);
    let told = out(&succeed(folder, "experiment report talk.ron --width 200"));
    has(&told, &["short", "long", "calls", "corrected"]);
    let told = out(&succeed(
        folder,
        "experiment report talk.ron --lang zh --width 200",
    ));
    has(&told, &["各条件的结果", "校正后"]);
    // It is a folder of batches.
    has(
        &out(&succeed(folder, "saves")),
        &["experiment, 2 conditions"],
    );
    succeed(folder, "replay 00001 -q --saves saves/talk/long/games");
    let again = exits(folder, "experiment run talk.ron", 4);
    has(&err(&again), &["talk"]);
    // Other conditions under the same name would be mixed with the first ones.
    write(&folder.join("talk.ron"), &TALK.replace('9', "8"));
    let changed = exits(folder, "experiment report talk.ron", 2);
    has(&err(&changed), &["'long' has changed"]);
}

#[test]
fn an_experiment_that_a_limit_stops_goes_on_and_is_balanced() {
    let folder = &with_experiment("journey", TALK);
    let whole = succeed(folder, "experiment run talk.ron --save whole --json");
    let stopped = exits(folder, "experiment run talk.ron --json --max-calls 150", 6);
    has(&err(&stopped), &["playhouse experiment resume talk.ron"]);
    let conditions = of_kind(&stopped, "condition");
    let runs: Vec<_> = conditions
        .iter()
        .map(|found| found["runs"].as_u64().unwrap())
        .collect();
    assert!(runs[0].abs_diff(runs[1]) <= 1 && runs[0] > 0, "{runs:?}");
    let resumed = succeed(
        folder,
        "experiment resume talk.ron --json --max-calls 100000",
    );
    for kind in ["condition", "comparison"] {
        assert_eq!(of_kind(&resumed, kind), of_kind(&whole, kind));
    }
}

#[test]
fn a_character_of_a_condition_has_a_model_of_its_own() {
    let folder = &with_experiment("journey", "");
    let port = serve(|request| {
        let Some(schema) = schema_of(request) else {
            return Reply::at_once("It rains on the mill.");
        };
        let mut text = || "I wait.".to_owned();
        Reply::at_once(fitting(&schema, &["wait", "speak", "cards"], &mut text).to_string())
    });
    write_model(folder, port, "retry: (times: 0, patience: 0)");
    let names = out(&succeed(folder, "check mill --json"));
    assert!(!names.is_empty());
    let world = fs::read_to_string(folder.join("mill/world.ron")).unwrap();
    let actors = world.split("actors:").nth(1).unwrap();
    let name = actors
        .split("name: \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let text = format!(
        "(world: \"mill\", runs: 1, conditions: [
            (name: \"as-it-is\"), (name: \"modelled\", models: {{\"{name}\": \"m\"}}),
        ])"
    );
    write(&folder.join("models.exp.ron"), &text);
    let played = succeed(
        folder,
        "experiment run models.exp.ron --models models.ron --json",
    );
    let runs = of_kind(&played, "run");
    let modelled = runs
        .iter()
        .find(|run| run["condition"] == "modelled")
        .unwrap();
    assert_eq!(modelled["models"][name], "m");
    let trace = "show 00001 --view trace --json --saves saves/models.exp/modelled/games";
    let calls = records_of(&succeed(folder, trace));
    let of_actor = calls.iter().filter(|call| call["agent"] == name);
    let models: std::collections::BTreeSet<_> =
        of_actor.map(|call| call["model"].to_string()).collect();
    assert!(models.iter().any(|model| model.contains('x')), "{models:?}");
}

#[test]
fn all_mistakes_of_an_experiment_are_told_at_once_with_their_places() {
    let folder = &with_experiment(
        "journey",
        r#"(
    world: "mill",
    runs: 0,
    conditions: [
        (name: "a", set: {"limits.talk_turns": 9}),
        (name: "a"),
        (name: "../b"),
        (nmae: "c"),
    ],
)"#,
    );
    let refused = exits(folder, "experiment run talk.ron", 3);
    let told = err(&refused);
    has(
        &told,
        &[
            "talk.ron:3:", "talk.ron:6:", "talk.ron:7:", "talk.ron:8:", "did you mean",
        ],
    );
    let wrong = |text: &str, says: &[&str]| {
        write(&folder.join("talk.ron"), text);
        let refused = exits(folder, "experiment run talk.ron --width 300", 3);
        has(&err(&refused), says);
    };
    wrong(
        r#"(world: "mill", conditions: [(name: "a", set: {"limits.talk_turns": "many"})])"#,
        &["talk_turns"],
    );
    wrong(
        r#"(world: "mill", conditions: [(name: "a", set: {"nobody[X].goals": []})])"#,
        &["nobody[X].goals", "talk.ron:1:"],
    );
    wrong(
        r#"(world: "mill", conditions: [(name: "a", models: {"Nobody": "improviser"})])"#,
        &["Nobody", "talk.ron:1:"],
    );
    wrong(
        r#"(world: "mill", conditions: [(name: "a")], outcomes: [Ending("never"), Days])"#,
        &["never", "talk.ron:1:"],
    );
    wrong(r#"(world: "mill")"#, &["there are no conditions"]);
    assert!(!folder.join("saves").exists(), "nothing was begun");
    assert!(run(folder, "experiment report talk.ron").status.code() == Some(3));
}

#[test]
fn the_example_of_the_manual_fits_its_world() {
    let manual = include_str!("../../docs/experiments.md");
    let (_, example) = manual.split_once("```ron\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    // Models need a key.
    let own = ["deepseek", "claude", "my/world"];
    let lines = example.lines();
    let lines = lines.filter(|line| !own.iter().any(|own| line.contains(own)));
    let folder = &with_experiment("journey", &lines.collect::<Vec<_>>().join("\n"));
    let refused = run(folder, "experiment report talk.ron");
    lacks(&err(&refused), &["talk.ron:"]);
}

#[test]
fn two_worlds_are_rehearsed_against_each_other() {
    let folder = &with_experiment("journey", "");
    succeed(folder, "new other");
    let world = fs::read_to_string(folder.join("other/world.ron")).unwrap();
    let shorter = world.replacen("actors: [", "limits: (talk_turns: 1),\n    actors: [", 1);
    write(&folder.join("other/world.ron"), &shorter);
    let line = "rehearse mill --against other --runs 6 --seed 2";
    let compared = succeed(folder, &format!("{line} --json"));
    let conditions = of_kind(&compared, "condition");
    assert_eq!(conditions[1]["condition"], "other");
    assert_eq!(of_kind(&compared, "run").len(), 12);
    assert!(!of_kind(&compared, "comparison").is_empty());
    has(
        &out(&succeed(folder, &format!("{line} --width 200"))),
        &["mill", "other", "turns"],
    );
    assert!(!folder.join("saves").exists());
}
