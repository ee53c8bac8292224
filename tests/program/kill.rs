//! A real `kill -9` and a real Ctrl-C of the real program, on real files: nothing that was
//! journaled is lost.
#![cfg(unix)]

use super::has;
use super::model_server::serve_bytes;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The program, with its saves in a folder, which is also the home of its user.
fn program(saves: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_playhouse"));
    command
        .args(arguments)
        .arg("--saves")
        .arg(saves)
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", saves)
        .env("PLAYHOUSE_SEED", "1");
    command.stdin(Stdio::null());
    command
}

fn playhouse(saves: &Path, arguments: &[&str]) -> Command {
    let mut command = program(saves, arguments);
    command.args(["--quiet", "--color", "never"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[track_caller]
fn succeeds(saves: &Path, arguments: &[&str]) {
    assert!(playhouse(saves, arguments).status().unwrap().success());
}

/// How many bytes the journal of a slot has.
fn written(saves: &Path, slot: &str) -> u64 {
    let journal = saves.join(slot).join("journal.jsonl");
    journal.metadata().map_or(0, |file| file.len())
}

/// The bytes of all files in a folder.
fn bytes_in(folder: &Path) -> u64 {
    let bytes = |path: &Path| match path.is_dir() {
        true => bytes_in(path),
        false => path.metadata().unwrap().len(),
    };
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| bytes(&entry.unwrap().path())).sum()
}

/// Waits until a run has journaled so many bytes, or is over.
fn wait_for(run: &mut Child, saves: &Path, slot: &str, bytes: u64) {
    while written(saves, slot) < bytes && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn interrupt(run: &Child) {
    send("-INT", run.id());
}

fn send(signal: &str, id: u32) {
    let sent = Command::new("kill")
        .args([signal, &id.to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Every outcome in a journal, as entity and number.
fn outcomes(saves: &Path, slot: &str) -> Vec<(String, u64)> {
    let journal = std::fs::read_to_string(saves.join(slot).join("journal.jsonl")).unwrap();
    let lines = journal
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let outcomes = lines.filter_map(|line| {
        let outcome = line.get("outcome")?;
        Some((
            outcome["entity"].as_str()?.to_owned(),
            outcome["number"].as_u64()?,
        ))
    });
    outcomes.collect()
}

#[test]
fn a_killed_run_resumes_to_the_same_world() {
    let saves = tempfile::tempdir().unwrap();
    let saves = saves.path();
    succeeds(saves, &["run", "--until", "12", "--save", "whole"]);
    let whole = std::fs::read(saves.join("whole/world.json")).unwrap();
    let length = written(saves, "whole");
    let mut killed_midway = 0;
    for percent in [1, 20, 50, 80] {
        let slot = format!("killed-{percent}");
        let mut run = playhouse(saves, &["run", "--until", "12", "--save", &slot])
            .spawn()
            .unwrap();
        wait_for(&mut run, saves, &slot, length * percent / 100);
        // SIGKILL: the program gets no chance to tidy up.
        run.kill().unwrap();
        let ended_by_itself = run.wait().unwrap().success();
        killed_midway += u32::from(!ended_by_itself);
        let resumed = playhouse(saves, &["resume", &slot, "--until", "12"])
            .status()
            .unwrap();
        assert!(resumed.success(), "killed at {percent} % of the journal");
        let world = std::fs::read(saves.join(&slot).join("world.json")).unwrap();
        assert!(
            world == whole,
            "killed at {percent} % of the journal, the world differs"
        );
        let mut asked = outcomes(saves, &slot);
        let total = asked.len();
        asked.sort();
        asked.dedup();
        assert_eq!(
            asked.len(),
            total,
            "killed at {percent} % of the journal, an ask was paid for twice"
        );
    }
    assert!(
        killed_midway > 0,
        "every run was over before it could be killed"
    );
}

#[test]
fn a_team_that_is_killed_at_any_point_keeps_its_task() {
    let saves = tempfile::tempdir().unwrap();
    let saves = saves.path();
    let chat = |slot: &str| {
        let task = ["--task", "Write of the sea", "--save", slot];
        let arguments: Vec<_> = ["chat", "en/writing-desk"]
            .into_iter()
            .chain(task)
            .collect();
        playhouse(saves, &arguments)
    };
    assert!(chat("whole").status().unwrap().success());
    let whole = std::fs::read(saves.join("whole/world.json")).unwrap();
    let length = written(saves, "whole");
    // At first the save has only just got its name.
    for percent in [0, 30, 60, 90] {
        let slot = format!("killed-{percent}");
        let mut run = chat(&slot).spawn().unwrap();
        wait_for(&mut run, saves, &slot, (length * percent / 100).max(1));
        run.kill().unwrap();
        let ended_by_itself = run.wait().unwrap().success();
        let resumed = playhouse(saves, &["resume", &slot]).status().unwrap();
        assert!(
            ended_by_itself || resumed.success(),
            "killed at {percent} %"
        );
        let world = std::fs::read(saves.join(&slot).join("world.json")).unwrap();
        assert!(world == whole, "killed at {percent} %, the world differs");
    }
}

#[test]
fn an_interrupted_run_stops_between_commits_and_says_how_to_go_on() {
    let saves = tempfile::tempdir().unwrap();
    let saves = saves.path();
    let mut run = program(saves, &["run", "--save", "broken-off", "--lang", "en"]);
    run.stdout(Stdio::null());
    let mut run = run.stderr(Stdio::piped()).spawn().unwrap();
    // Long before a story ends, and long after the program has begun to listen; the journal begins
    // with a copy of the world.
    let data = bytes_in(Path::new("data/worlds/drowned-assize"));
    wait_for(&mut run, saves, "broken-off", data + 40_000);
    interrupt(&run);
    let ended = run.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    has(&said, &["playhouse resume broken-off"]);
    let next = ["resume", "broken-off", "--until", "12"];
    succeeds(saves, &next);
    succeeds(saves, &["run", "--until", "12", "--save", "whole"]);
    let world = |slot: &str| std::fs::read(saves.join(slot).join("world.json")).unwrap();
    assert!(world("broken-off") == world("whole"));
}

#[test]
fn a_program_that_is_told_to_end_stops_as_with_ctrl_c() {
    let saves = tempfile::tempdir().unwrap();
    for signal in ["TERM", "HUP"] {
        let mut run = program(saves.path(), &["run", "--pace=1", "--save", signal]);
        run.args(["--lang", "en"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut run = run.spawn().unwrap();
        let data = bytes_in(Path::new("data/worlds/drowned-assize"));
        wait_for(&mut run, saves.path(), signal, data + 20_000);
        send(&format!("-{signal}"), run.id());
        let ended = run.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(130), "{signal}: {said}");
        has(&said, &["playhouse resume"]);
    }
}

#[test]
fn limits_of_the_shell_end_in_a_message() {
    let saves = tempfile::tempdir().unwrap();
    let files = "Too many open files (os error 24). Let the program have more";
    for (limit, reason) in [("-f 8", "File too large"), ("-n 12", files)] {
        let run = program(saves.path(), &["run", "--until=2", "--lang=en", "-q"]);
        let mut shell = Command::new("sh");
        let limited = format!(r#"ulimit {limit}; exec "$0" "$@""#);
        shell.args(["-c", &limited]).arg(run.get_program());
        shell.args(run.get_args()).env("HOME", saves.path());
        let ended = shell.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(
            ended.status.code().is_some_and(|code| code > 0),
            "{limit}: {said}"
        );
        let words: Vec<_> = said.split_whitespace().collect();
        has(&words.join(" "), &[reason]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_started_ends_with_a_program_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (started, models) = (
        folder.path().join("started"),
        folder.path().join("models.ron"),
    );
    let script = format!(
        "echo $$ > {}; trap '' HUP; while :; do sleep 1; done",
        started.display()
    );
    let server =
        format!(r#"(servers: {{"s": (command: "sh", args: ["-c", {script:?}], start: 60)}})"#);
    super::write(&models, &server);
    let arguments = ["doctor", "--models", models.to_str().unwrap()];
    let mut run = playhouse(folder.path(), &arguments).spawn().unwrap();
    let id = (0..3_000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let written = std::fs::read_to_string(&started).ok()?;
        written.trim().parse::<u32>().ok()
    });
    let id = id.unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    // One that has ended may still be listed, as a zombie.
    let is_running = || {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    let has_ended = (0..1_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_running()
    });
    assert!(has_ended, "the server of tools lives on");
}

#[test]
fn a_request_that_was_on_its_way_is_told_with_what_it_may_cost() {
    let saves = tempfile::tempdir().unwrap();
    let (mut run, requests) = run_that_waits(saves.path());
    run.kill().unwrap();
    run.wait().unwrap();
    let sent = 1 + requests.try_iter().count();
    let mut costs = program(saves.path(), &["show", "slow", "--view", "costs", "--json"]);
    let costs = String::from_utf8(costs.output().unwrap().stdout).unwrap();
    let costs = costs
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let unknown: Vec<_> = costs
        .filter(|row| row["record"] == "unknown_cost")
        .collect();
    let told: u64 = unknown
        .iter()
        .filter_map(|row| row["requests"].as_u64())
        .sum();
    assert!(told >= sent as u64, "{unknown:?}");
    assert!(
        unknown
            .iter()
            .all(|row| row["most_tokens"].as_u64() > Some(0))
    );
}

/// A run whose server answers each request with one byte after the other, and says when one has come.
/// The first has.
fn run_that_waits(saves: &Path) -> (Child, Receiver<()>) {
    let (asked, requests) = channel();
    let port = serve_bytes(move |_, mut client| {
        let _ = asked.send(());
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        let event = b"data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\n";
        for byte in head.iter().chain(event.iter().cycle()) {
            if client.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let mut run = playhouse(saves, &["run", "--save", "slow", "--model", "some"]);
    run.env("OPENAI_BASE_URL", format!("http://127.0.0.1:{port}"));
    let run = run.spawn().unwrap();
    requests.recv_timeout(Duration::from_secs(60)).unwrap();
    (run, requests)
}

#[test]
fn ctrl_c_ends_a_run_whose_server_never_ends_an_answer() {
    let saves = tempfile::tempdir().unwrap();
    let (mut run, requests) = run_that_waits(saves.path());
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(run.try_wait().unwrap().is_none());
    interrupt(&run);
    for _ in 0..6_000 {
        if run.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    run.kill().unwrap();
    panic!("it did not end within a minute");
}

#[test]
fn an_interrupted_tournament_stops_all_its_games_and_goes_on_to_the_same_figures() {
    let saves = tempfile::tempdir().unwrap();
    let saves = saves.path();
    let tournament = "undercover --players 4 --games 12 --jobs 2 --lang en";
    let begun = tournament.split(' ').chain(["--save", "broken-off"]);
    let mut run = program(saves, &begun.collect::<Vec<_>>());
    run.stdout(Stdio::null());
    let mut run = run.stderr(Stdio::piped()).spawn().unwrap();
    // The third game has begun, the last has not.
    let games = saves.join("broken-off/games");
    let begun = || std::fs::read_dir(&games).map_or(0, Iterator::count);
    while begun() < 3 && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    interrupt(&run);
    let ended = run.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    has(&said, &["playhouse resume broken-off"]);
    assert!(begun() < 12, "all games had begun: {said}");
    let resumed = playhouse(saves, &["resume", "broken-off"]).status();
    assert!(resumed.unwrap().success());
    let whole: Vec<_> = tournament.split(' ').chain(["--save", "whole"]).collect();
    succeeds(saves, &whole);
    let world = |name: &str, game: &str| {
        std::fs::read(saves.join(name).join("games").join(game).join("world.json")).unwrap()
    };
    for game in std::fs::read_dir(&games).unwrap() {
        let game = game.unwrap().file_name().into_string().unwrap();
        assert!(
            world("broken-off", &game) == world("whole", &game),
            "{game}"
        );
    }
}
