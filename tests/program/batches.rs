//! Batches of stories: each is saved, all share the limits, and nothing is paid for twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::model_server::{Reply, fitting, schema_of, serve_model};
use super::{Dir, err, exits, has, out, playhouse, records_of, run, succeed};

/// The runs of a batch by their seeds, without the names of their slots.
fn runs(output: &std::process::Output) -> BTreeMap<u64, Value> {
    let records = records_of(output).into_iter();
    let runs = records.filter(|record| record["record"] == "run");
    runs.map(|run| (run["seed"].as_u64().unwrap(), run))
        .collect()
}

fn calls(run: &Value) -> u64 {
    let spent = run["spent"].as_object().unwrap().values();
    spent.map(|spent| spent["calls"].as_u64().unwrap()).sum()
}

/// The journals of all games, by slot.
fn journals(batch: &Path) -> BTreeMap<String, Vec<u8>> {
    let games = fs::read_dir(batch.join("games")).unwrap();
    let games = games.map(|game| game.unwrap());
    let journal = |game: fs::DirEntry| {
        let journal = fs::read(game.path().join("journal.jsonl")).unwrap_or_default();
        (game.file_name().into_string().unwrap(), journal)
    };
    games.map(journal).collect()
}

#[test]
fn each_story_of_a_batch_is_a_save_and_its_record_comes_as_it_ends() {
    let folder = &Dir::new();
    let played = succeed(folder, "zhaoying-ban --games 3 --jobs 2 --seed 4 --json");
    let records = records_of(&played);
    assert_eq!(records[0]["record"], "start");
    assert_eq!(records.last().unwrap()["record"], "rehearsal");
    let runs = runs(&played);
    assert_eq!(runs.keys().collect::<Vec<_>>(), [&4, &5, &6]);
    assert_eq!(runs[&5]["slot"], "00002");
    // The same figures as a rehearsal's, which saves nothing.
    let rehearsed = run(folder, "rehearse zhaoying-ban --runs 3 --seed 4 --json");
    let rehearsed = self::runs(&rehearsed);
    for (seed, run) in &runs {
        for member in [
            "course", "learned", "bonds", "holders", "goals", "turns", "ending",
        ] {
            assert_eq!(run[member], rehearsed[seed][member], "{seed}: {member}");
        }
    }
    // And again from the journals alone.
    let again = succeed(folder, "resume zhaoying-ban --json");
    assert_eq!(self::runs(&again), runs);
    has(
        &out(&succeed(folder, "saves")),
        &["batch, 3 games", "zhaoying-ban"],
    );
    let games = "--saves saves/zhaoying-ban/games";
    succeed(folder, &format!("replay 00002 -q {games}"));
    exits(folder, "show zhaoying-ban", 2);
    exits(folder, "resume zhaoying-ban --seed 9", 2);
    let costs = out(&succeed(folder, "show zhaoying-ban --view costs --json"));
    has(&costs, &["\"purpose\""]);
}

#[test]
fn a_limit_is_spent_on_as_many_whole_stories_as_it_allows() {
    let folder = &Dir::new();
    succeed(folder, "new mill");
    let mut whole = runs(&succeed(
        folder,
        "mill --games 3 --seed 1 --save whole --json",
    ));
    // Enough for two, and half of the third.
    let limit = calls(&whole[&1]) + calls(&whole[&2]) + calls(&whole[&3]) / 2;
    let line = format!("mill --games 3 --seed 1 --save part --json --jobs 3 --max-calls {limit}");
    let part = exits(folder, &line, 6);
    has(&err(&part), &[&limit.to_string(), "playhouse resume part"]);
    let finished = runs(&part);
    assert_eq!(finished.len(), 2, "{}", out(&part));
    let rehearsal = records_of(&part).pop().unwrap();
    assert_eq!(rehearsal["runs"], 2);
    let before = journals(&folder.join("saves/part"));
    let mut resumed = runs(&succeed(folder, "resume part --json --max-calls 100000"));
    for run in whole.values_mut().chain(resumed.values_mut()) {
        // A program that begins anew does not know which prompts came before.
        run["cached_tokens"] = Value::Null;
    }
    assert_eq!(resumed, whole);
    let after = journals(&folder.join("saves/part"));
    for (slot, journal) in &before {
        assert!(after[slot].starts_with(journal), "{slot} was begun again");
    }
}

/// A server whose answers take a while; returns how many it has given.
fn counting_server(folder: &Path) -> Arc<AtomicUsize> {
    let answered = Arc::new(AtomicUsize::new(0));
    let count = answered.clone();
    serve_model(folder, move |request| {
        count.fetch_add(1, Ordering::SeqCst);
        let pause = Duration::from_millis(3);
        let Some(schema) = schema_of(request) else {
            return Reply::Pieces(vec!["It rains on the mill.".into()], pause);
        };
        let mut text = || "I wait and listen to the water.".to_owned();
        let answer = fitting(&schema, &["wait", "speak", "cards"], &mut text);
        Reply::Pieces(vec![answer.to_string()], pause)
    });
    answered
}

#[test]
fn a_killed_batch_goes_on_without_paying_twice() {
    let folder = &Dir::new();
    succeed(folder, "new mill");
    let answered = counting_server(folder);
    let batch = "mill --games 3 --jobs 1 --seed 1 --models models.ron --model m -q --save";
    succeed(folder, &format!("{batch} whole"));
    let paid_for_all = answered.swap(0, Ordering::SeqCst);
    let mut killed = playhouse(folder);
    killed.args(batch.split(' ')).arg("killed");
    killed.stdout(Stdio::null()).stderr(Stdio::null());
    let mut killed = killed.spawn().unwrap();
    // In the middle of the second story.
    while answered.load(Ordering::SeqCst) < paid_for_all / 2 {
        assert!(killed.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = journals(&folder.join("saves/killed"));
    assert_eq!(before.len(), 2);
    let resumed = run(folder, "resume killed --models models.ron --model m -q");
    assert!(resumed.status.success(), "{}", err(&resumed));
    let after = journals(&folder.join("saves/killed"));
    assert_eq!(after["00001"], before["00001"], "the first was over");
    // What was asked when it was killed was asked again: at most one question for each character.
    let paid = answered.load(Ordering::SeqCst);
    assert!(
        (paid_for_all..=paid_for_all + 8).contains(&paid),
        "{paid} instead of {paid_for_all}"
    );
    let world = |name: &str, game: &str| {
        let batch = folder.join("saves").join(name);
        fs::read(batch.join("games").join(game).join("world.json")).unwrap()
    };
    for game in after.keys() {
        assert!(world("killed", game) == world("whole", game), "{game}");
    }
}
