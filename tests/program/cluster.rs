//! Worlds in a store, as somebody uses them on one machine.
#![expect(
    clippy::disallowed_methods,
    reason = "a file is prepared for the program"
)]

use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use super::model_server::{serve_bytes, write_model};
use super::served::{Served, any_answer, exchange, one};
use super::{Dir, err, exits, has, lacks, out, playhouse, records_of, succeed};

const STORE: &str = "--store folder:store";
/// The most kilobytes that a worker holds for each further campaign that it plays.
const MOST_HELD: u64 = 5_000;

fn states(folder: &Dir) -> Vec<(String, String, u64)> {
    let records = records_of(&succeed(folder, &format!("status {STORE} --json")));
    let text = |record: &Value, name: &str| record[name].as_str().unwrap().to_owned();
    let state = |record: &Value| {
        let turn = record["turn"].as_u64().unwrap();
        (text(record, "world"), text(record, "phase"), turn)
    };
    records.iter().map(state).collect()
}

#[test]
fn worlds_are_submitted_played_followed_and_cancelled() {
    let folder = &Dir::new();
    has(
        &out(&succeed(folder, &format!("status {STORE}"))),
        &["no worlds"],
    );
    let submit = format!("submit drowned-assize {STORE} --seed 3 --until 2");
    let submitted = out(&succeed(folder, &format!("{submit} --count 2")));
    has(&submitted, &["drowned-assize-3", "drowned-assize-4"]);
    // The same again is no mistake, another story of this name is.
    succeed(folder, &submit);
    has(
        &err(&exits(folder, &submit.replace("--until 2", "--until 3"), 2)),
        &["already"],
    );
    let cancelled = succeed(folder, &format!("cancel drowned-assize-4 {STORE}"));
    has(
        &out(&cancelled),
        &["drowned-assize-4: cancelled after turn 0"],
    );
    let told = succeed(folder, &format!("worker {STORE} --until-empty"));
    has(&out(&told), &["drowned-assize-3: paused after turn 2"]);
    let names = ["drowned-assize-3", "drowned-assize-4"].map(str::to_owned);
    let [first, second] = names;
    assert_eq!(
        states(folder),
        [
            (first, "paused".to_owned(), 2),
            (second, "cancelled".to_owned(), 0)
        ]
    );
    let followed = out(&succeed(
        folder,
        &format!("follow drowned-assize-3 {STORE}"),
    ));
    succeed(folder, "run drowned-assize --seed 3 --until 2 --save same");
    assert!(followed.len() > 500, "{followed}");
    // A story on one machine is the same.
    succeed(folder, &format!("pack drowned-assize-3 story.json {STORE}"));
    succeed(folder, "unpack story.json");
    succeed(folder, "unpack story.json --store folder:other");
    let other = records_of(&succeed(folder, "status --store folder:other --json"));
    let other = ["world", "phase", "turn"].map(|name| &other[0][name]);
    assert_eq!(
        other,
        [&json!("drowned-assize-3"), &json!("queued"), &json!(2)]
    );
    succeed(folder, "replay drowned-assize-3 --quiet");
    let world = |slot: &str| std::fs::read(folder.join("saves").join(slot).join("world.json"));
    assert_eq!(world("drowned-assize-3").unwrap(), world("same").unwrap());
    // So is a branch of it that comes to the same turn.
    succeed(
        folder,
        &format!("branch drowned-assize-3 same --turn 1 {STORE}"),
    );
    succeed(folder, &format!("submit --resume same --until 2 {STORE}"));
    succeed(folder, &format!("worker {STORE} --until-empty"));
    let played = records_of(&succeed(folder, &format!("status {STORE} --json")));
    assert_eq!(played[0]["digest"], played[2]["digest"], "{played:?}");
    for world in ["same", "drowned-assize-3", "drowned-assize-4"] {
        succeed(folder, &format!("cancel {world} --remove {STORE}"));
    }
    assert_eq!(states(folder), []);
    lacks(
        &out(&succeed(folder, "saves")),
        &[".worker", ".submit", ".branch"],
    );
}

#[test]
fn a_game_of_undercover_is_followed_as_a_campaign_is() {
    let folder = &Dir::new();
    succeed(folder, "undercover --seed 3 --save game");
    succeed(folder, "pack game game.json");
    succeed(folder, &format!("unpack game.json {STORE}"));
    succeed(folder, &format!("worker {STORE} --until-empty"));
    let followed = out(&succeed(folder, &format!("follow game {STORE}")));
    assert_eq!(followed, out(&succeed(folder, "replay game")));
}

#[test]
fn what_a_team_has_begun_is_finished_by_a_worker_and_followed_as_a_campaign_is() {
    let folder = &Dir::new();
    let task = "Weather";
    succeed(
        folder,
        &format!("chat en/assistant --task {task} --seed 3 --save whole"),
    );
    succeed(
        folder,
        &format!("chat en/assistant --task {task} --seed 3 --until 1 --save team"),
    );
    succeed(folder, "pack team team.json");
    succeed(folder, &format!("unpack team.json {STORE}"));
    let worked = out(&succeed(folder, &format!("worker {STORE} --until-empty")));
    has(&worked, &["team: paused"]);
    let followed = out(&succeed(folder, &format!("follow team {STORE}")));
    let replayed = out(&succeed(folder, "replay whole"));
    has(&followed, &["TextMessage (Assistant)"]);
    has(&replayed, &[&followed]);
}

#[test]
fn worlds_are_on_pages_while_workers_play_them() {
    let folder = &Dir::new();
    let submit = format!("submit drowned-assize {STORE} --seed 3 --until 1");
    succeed(folder, &submit);
    let metrics = free_address();
    let serve = format!("serve {STORE} --json --metrics {metrics}");
    let page = Served::begin(folder, &serve);
    let slot = "drowned-assize-3";
    assert_eq!(one(&page.api("stories"), "slot", slot)["state"], "playing");
    // It is open before a worker has it, and goes on with another.
    page.wait_for(slot, "playing");
    let work = format!("worker {STORE} --until-empty");
    for turn in [1, 3] {
        succeed(folder, &work);
        assert_eq!(page.wait_for(slot, "stopped")["turn"], turn);
        let resume = format!("submit --resume {slot} {STORE} --until 3");
        succeed(folder, &resume);
        page.wait_for(slot, "playing");
    }
    let told = |page: &Served, slot: &str| {
        let events = page.list(&format!("{slot}/events?told=1"), "events");
        let told = events
            .iter()
            .map(|event| (event["id"].to_string(), event["text"].to_string()));
        // Places go on in the order in which answers come.
        told.collect::<BTreeSet<_>>()
    };
    succeed(folder, "run drowned-assize --seed 3 --until 3 --save same");
    let here = Served::start(folder, "same");
    assert_eq!(told(&page, slot), told(&here, "same"));
    assert_eq!(page.get("/api/nowhere/story").status, 404);
    assert_eq!(page.get("/health").status, 200);
    // A program that collects figures has no token, whoever the host is.
    let figures = exchange(&metrics, "GET /metrics HTTP/1.1", "");
    has(&figures.head, &["200 OK", "text/plain"]);
    has(&figures.body, &["playhouse_worlds{phase=\"queued\"} 1\n"]);
    assert_eq!(page.get("/metrics").status, 404);
    // With nothing behind it, it is of no use.
    assert_eq!(status(&metrics, "/ready"), 200);
    std::fs::remove_dir_all(folder.join("store")).unwrap();
    assert_eq!(page.get("/health").status, 503);
    assert_eq!(
        (status(&metrics, "/ready"), status(&metrics, "/health")),
        (503, 200)
    );
}

fn free_address() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    free.unwrap().to_string()
}

fn status(address: &str, path: &str) -> u16 {
    exchange(address, &format!("GET {path} HTTP/1.1"), "").status
}

#[test]
fn whoever_watches_over_a_worker_learns_whether_it_lives_and_is_ready() {
    let folder = &Dir::new();
    let address = free_address();
    let arguments = format!("worker {STORE} --metrics {address}");
    let mut worker = start(folder, &arguments);
    while TcpStream::connect(&address).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        (status(&address, "/ready"), status(&address, "/health")),
        (200, 200)
    );
    has(
        &exchange(&address, "GET /metrics HTTP/1.1", "").body,
        &["playhouse_workers_playing 0\n"],
    );
    std::fs::remove_dir_all(folder.join("store")).unwrap();
    assert_eq!(
        (status(&address, "/ready"), status(&address, "/health")),
        (503, 200)
    );
    worker.kill().unwrap();
    worker.wait().unwrap();
}

/// The program in the background.
fn start(folder: &Dir, arguments: &str) -> Child {
    playhouse(folder)
        .args(arguments.split(' '))
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many kilobytes a process holds.
#[cfg(target_os = "linux")]
fn held_by(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let mut lines = status.lines();
    let held = lines.find_map(|line| line.strip_prefix("RssAnon:"));
    held.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_campaigns_that_wait_for_people_take_a_worker_at_most_two_gigabytes() {
    let folder = &Dir::new();
    let mut worker = start(folder, &format!("worker {STORE} --worlds 2"));
    let held_after = |seed: u64, count: u64| {
        let submit = format!("submit drowned-assize {STORE} --seed {seed} --count {count}");
        succeed(folder, &format!("{submit} --seat 'Odile Marsh'"));
        while states(folder)
            .iter()
            .any(|(_, phase, _)| phase != "waiting")
        {
            std::thread::sleep(Duration::from_millis(100));
        }
        held_by(&worker)
    };
    let (few, more) = (held_after(1, 4), held_after(5, 12));
    worker.kill().unwrap();
    worker.wait().unwrap();
    let each = more.saturating_sub(few) / 12;
    assert!(each <= 2_000, "{each} kB");
}

/// How many kilobytes a worker holds that plays so many campaigns, each of which waits for an
/// answer.
#[cfg(target_os = "linux")]
fn held_by_a_worker(worlds: u32) -> u64 {
    let folder = &Dir::new();
    let (asked, waiting) = channel();
    let port = serve_bytes(move |_, stream| asked.send(stream).unwrap_or_default());
    write_model(folder, port, "retry: (times: 0, patience: 0), width: 1");
    let submit = format!(
        "submit drowned-assize {STORE} --seed 1 --count {worlds} --models models.ron --model m"
    );
    succeed(folder, &submit);
    let mut worker = start(
        folder,
        &format!("worker {STORE} --models models.ron --worlds {worlds}"),
    );
    let asked: Vec<_> = waiting.iter().take(worlds as usize).collect();
    let held = held_by(&worker);
    worker.kill().unwrap();
    worker.wait().unwrap();
    drop(asked);
    held
}

#[test]
#[cfg(target_os = "linux")]
fn each_further_campaign_that_waits_takes_a_worker_little_memory() {
    let each = (held_by_a_worker(20) - held_by_a_worker(4)) / 16;
    assert!(each <= MOST_HELD, "{each} kB");
}

#[test]
fn people_play_on_pages_while_their_world_rests_in_the_store() {
    let folder = &Dir::new();
    succeed(
        folder,
        &format!("submit drowned-assize {STORE} --seed 3 --until 6"),
    );
    let slot = "drowned-assize-3";
    let mut page = Served::begin(folder, &format!("serve {STORE} --json"));
    page.wait_for(slot, "playing");
    let people = page.api(&format!("{slot}/people"));
    let who = one(&people, "name", "Odile Marsh")["id"].clone();
    let invited = page.done(slot, &json!({"do": "invite", "who": who}));
    page.cookie = page.enter(invited.json()["address"].as_str().unwrap());
    let work = format!("worker {STORE} --until-empty --json");
    let wait_for = |phase: &str| {
        for _ in 0..1_500 {
            if states(folder)[0].1 == phase {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it is never {phase}: {:?}", states(folder));
    };
    let seat = format!("{slot}/seat");
    for _ in 0..3 {
        // It goes on as far as it can, whichever worker has it, and rests.
        succeed(folder, &work);
        wait_for("waiting");
        while page.api(&seat)["open"] == Value::Null {
            std::thread::sleep(Duration::from_millis(20));
        }
        while states(folder)[0].1 == "waiting" {
            let answer = any_answer(&page.api(&seat)["open"], "The tide is early.");
            page.post(&format!("/api/{seat}"), &answer);
            std::thread::sleep(Duration::from_millis(20));
        }
        wait_for("queued");
    }
    succeed(folder, &work);
    succeed(folder, &format!("pack {slot} story.json {STORE}"));
    let story = std::fs::read_to_string(folder.join("story.json")).unwrap();
    has(&story, &["human"]);
    assert_eq!(page.get(&format!("/api/{slot}/calls")).status, 404);
    // Whoever leaves the seat gives it back to its mind.
    page.post(&format!("/api/{seat}"), &json!({"leave": true}));
    wait_for("queued");
    succeed(folder, &work);
    assert_eq!(states(folder), [(slot.to_owned(), "paused".to_owned(), 6)]);
}

#[test]
fn what_workers_play_together_has_the_figures_of_one_machine_whoever_dies_and_leaves_nothing() {
    let folder = &Dir::new();
    let rehearse = "rehearse drowned-assize --runs 20";
    for (begin, go_on) in [
        (
            "run drowned-assize --games 3 --seed 5 --save run-SAVE",
            "resume run-SAVE",
        ),
        (
            "undercover --games 4 --seed 5 --save games-SAVE",
            "resume games-SAVE",
        ),
        (rehearse, rehearse),
    ] {
        let here = begin.replace("SAVE", "one-machine");
        succeed(folder, &here);
        let play = |save: &str, on: &str| {
            let command = format!("{go_on} {on} --json").replace("SAVE", save);
            let played = out(&succeed(folder, &command)).replace(save, "SAVE");
            // Games are printed as they end.
            let mut records: Vec<_> = played.lines().map(str::to_owned).collect();
            if go_on != rehearse {
                records.sort();
            }
            records
        };
        let begin = begin.replace("SAVE", "many-machines");
        let work = "worker --store folder:store --worlds 3";
        let dying = [
            start(folder, work),
            start(folder, &format!("{begin} --on folder:store")),
        ];
        let is_playing = || {
            let states = states(folder);
            states.iter().any(|(_, phase, _)| phase == "playing")
        };
        while !is_playing() {}
        for mut process in dying {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        let mut worker = start(folder, work);
        let there = play("many-machines", "--on folder:store");
        worker.kill().unwrap();
        worker.wait().unwrap();
        assert_eq!(there, play("one-machine", ""), "{begin}");
        assert_eq!(states(folder), []);
    }
}

#[test]
fn what_no_store_can_do_is_said() {
    let folder = &Dir::new();
    has(
        &err(&exits(folder, "status", 2)),
        &["--store", "PLAYHOUSE_STORE"],
    );
    has(
        &err(&exits(folder, "status --store here", 2)),
        &["folder:PATH"],
    );
    has(
        &err(&exits(folder, "status --store folder:", 2)),
        &["folder:PATH"],
    );
    has(
        &err(&exits(folder, &format!("cancel mill {STORE}"), 2)),
        &["no world 'mill'", "playhouse status"],
    );
    let unreachable = "worker --store nats://me:pass-w0rd@127.0.0.1:1";
    let told = err(&exits(folder, unreachable, 4));
    has(&told, &["does not answer", "127.0.0.1:1"]);
    lacks(&told, &["pass-w0rd"]);
}

#[test]
fn nothing_is_made_of_a_packed_story_that_is_broken() {
    let folder = &Dir::new();
    succeed(
        folder,
        "run take-the-biscuit --seed 1 --until 2 --save s -q",
    );
    succeed(folder, "pack s story.json");
    let story = std::fs::read_to_string(folder.join("story.json")).unwrap();
    let story: Value = serde_json::from_str(&story).unwrap();
    let journal = story["journal"].as_str().unwrap();
    let with = |members: Value| {
        let mut story = story.clone();
        story["name"] = "t".into();
        for (name, value) in members.as_object().unwrap() {
            story[name] = value.clone();
        }
        story.to_string()
    };
    let damaged = journal.replacen("\"number\":1", "\"number\":7", 1);
    let broken = [
        (with(json!({"name": "../../t"})), "contains '/'"),
        (with(json!({"name": "/tmp/t"})), "contains '/'"),
        (with(json!({"name": ".."})), "dot"),
        (with(json!({"other": 1})), "unknown field `other`"),
        (with(json!({"format": 2})), "format 2"),
        (with(json!({"journal": 5})), "integer `5`"),
        (with(json!({"journal": ""})), "no journal with a header"),
        (with(json!({"journal": damaged})), "checksum"),
        (
            with(json!({"journal": &journal[..journal.len() - 9]})),
            "the journal ends",
        ),
        (with(json!({"snapshot": "{"})), "truncated"),
        (with(json!({}))[..5_000].to_owned(), "EOF"),
        ("[".repeat(1_000_000), "no packed story"),
    ];
    for (text, told) in broken {
        std::fs::write(folder.join("broken.json"), text).unwrap();
        has(&err(&exits(folder, "unpack broken.json", 4)), &[told]);
    }
    let saves = std::fs::read_dir(folder.join("saves")).unwrap();
    let saves: Vec<_> = saves.map(|save| save.unwrap().file_name()).collect();
    assert_eq!(saves, ["s"]);
}
