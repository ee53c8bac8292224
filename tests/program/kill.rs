//! A real `kill -9` and a real Ctrl-C of the real program, on real files: nothing that was
//! journaled is lost.
#![cfg(unix)]

use super::model_server::serve_bytes;
use super::{Dir, command, has, in_one_line, journal, records, succeed, world, write};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A program that is under way, whose errors are kept.
fn begin(folder: &Path, arguments: &str) -> Child {
    let mut command = command(folder, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// How many bytes the journal of a slot has.
fn written(folder: &Path, slot: &str) -> u64 {
    let journal = folder.join("saves").join(slot).join("journal.jsonl");
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
fn wait_for(run: &mut Child, folder: &Path, slot: &str, bytes: u64) {
    while written(folder, slot) < bytes && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(super) fn send(signal: &str, run: &Child) {
    let arguments = [format!("-{signal}"), run.id().to_string()];
    let sent = Command::new("kill").args(arguments).status();
    assert!(sent.unwrap().success());
}

/// Sends a signal to a run, which stops and says how to go on.
fn stop(run: Child, signal: &str, slot: &str) {
    send(signal, &run);
    let ended = run.wait_with_output().unwrap();
    let said = super::err(&ended);
    assert_eq!(ended.status.code(), Some(130), "{signal}: {said}");
    has(&said, &["playhouse resume ", slot]);
}

/// Every outcome in a journal, as entity and number.
fn outcomes(folder: &Path, slot: &str) -> Vec<(String, u64)> {
    let journal = journal(folder, slot);
    let outcomes = journal.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let outcome = line.get("outcome")?;
        let entity = outcome["entity"].as_str()?.to_owned();
        Some((entity, outcome["number"].as_u64()?))
    });
    outcomes.collect()
}

/// Kills runs of a command when so much of the journal of a whole one has been written. They
/// resume to the same world, and no answer is paid for twice. Gives how many were not over yet.
fn survives_kills(arguments: &str, resumed: &str, percents: [u64; 4]) -> u32 {
    let folder = &Dir::new();
    succeed(folder, &format!("{arguments} --save whole -q"));
    let length = written(folder, "whole");
    let mut killed_midway = 0;
    for percent in percents {
        let slot = format!("killed-{percent}");
        let mut run = begin(folder, &format!("{arguments} --save {slot} -q"));
        wait_for(&mut run, folder, &slot, (length * percent / 100).max(1));
        // SIGKILL: the program gets no chance to tidy up.
        run.kill().unwrap();
        let ended_by_itself = run.wait().unwrap().success();
        killed_midway += u32::from(!ended_by_itself);
        if !ended_by_itself {
            succeed(folder, &format!("resume {slot} {resumed} -q"));
        }
        let is_same = world(folder, &slot) == world(folder, "whole");
        assert!(is_same, "killed at {percent} %, the world differs");
        let mut asked = outcomes(folder, &slot);
        let total = asked.len();
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), total, "killed at {percent} %, paid twice");
    }
    killed_midway
}

#[test]
fn a_killed_run_resumes_to_the_same_world() {
    let killed = survives_kills("run --until 12", "--until 12", [1, 20, 50, 80]);
    assert!(killed > 0, "every run was over before it could be killed");
}

#[test]
fn a_team_that_is_killed_at_any_point_keeps_its_task() {
    // At first the save has only just got its name.
    let chat = "chat en/writing-desk --task 'Write of the sea'";
    survives_kills(chat, "", [0, 30, 60, 90]);
}

#[test]
fn an_interrupted_run_stops_between_commits_and_says_how_to_go_on() {
    let folder = &Dir::new();
    // A run that is started where hang-ups are ignored, as under `nohup`, ignores them, too. Those
    // that are caught are its own to judge.
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).unwrap();
    // Long before a story ends, and long after the program has begun to listen; the journal begins
    // with a copy of the world.
    let data = bytes_in(Path::new("data/worlds/drowned-assize"));
    for signal in ["INT", "TERM", "HUP"] {
        let mut run = begin(folder, &format!("run --pace=1 --save {signal}"));
        wait_for(&mut run, folder, signal, data + 20_000);
        stop(run, signal, signal);
    }
    succeed(folder, "resume INT --until 12 -q");
    succeed(folder, "run --until 12 --save whole -q");
    assert!(world(folder, "INT") == world(folder, "whole"));
}

#[test]
fn limits_of_the_shell_end_in_a_message() {
    let folder = &Dir::new();
    let files = "Too many open files (os error 24). Let the program have more";
    for (limit, reason) in [("-f 8", "File too large"), ("-n 12", files)] {
        let run = command(folder, "run --until 2 -q");
        let mut shell = Command::new("sh");
        let limited = format!(r#"ulimit {limit}; exec "$0" "$@""#);
        shell.args(["-c", &limited]).arg(run.get_program());
        shell.args(run.get_args()).current_dir(&**folder);
        let ended = shell.env("HOME", &**folder).output().unwrap();
        let said = super::err(&ended);
        assert!(!ended.status.success(), "{limit}: {said}");
        has(&in_one_line(&said), &[reason]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_started_ends_with_a_program_that_is_killed() {
    let folder = &Dir::new();
    let started = folder.join("started");
    let script = format!(
        "echo $$ > {}; trap '' HUP; while :; do sleep 1; done",
        started.display()
    );
    let server =
        format!(r#"(servers: {{"s": (command: "sh", args: ["-c", {script:?}], start: 60)}})"#);
    write(&folder.join("models.ron"), &server);
    let mut run = begin(folder, "doctor --models models.ron");
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
    let folder = &Dir::new();
    let (mut run, requests) = run_that_waits(folder);
    run.kill().unwrap();
    run.wait().unwrap();
    let sent = 1 + requests.try_iter().count();
    let costs = records(folder, "show slow --view costs").into_iter();
    let unknown: Vec<_> = costs
        .filter(|row| row["record"] == "unknown_cost")
        .collect();
    let told = unknown.iter().filter_map(|row| row["requests"].as_u64());
    assert!(told.sum::<u64>() >= sent as u64, "{unknown:?}");
    let mut most = unknown.iter().map(|row| row["most_tokens"].as_u64());
    assert!(most.all(|most| most > Some(0)), "{unknown:?}");
}

/// A run whose server answers each request with one byte after the other, and says when one has
/// come. The first has.
fn run_that_waits(folder: &Path) -> (Child, Receiver<()>) {
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
    let mut run = command(folder, "run --save slow --model some -q");
    run.env("OPENAI_BASE_URL", format!("http://127.0.0.1:{port}"));
    let run = run.stderr(Stdio::null()).spawn().unwrap();
    requests.recv_timeout(Duration::from_secs(60)).unwrap();
    (run, requests)
}

#[test]
fn ctrl_c_ends_a_run_whose_server_never_ends_an_answer() {
    let folder = &Dir::new();
    let (mut run, _requests) = run_that_waits(folder);
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(run.try_wait().unwrap().is_none());
    send("INT", &run);
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
    let folder = &Dir::new();
    let tournament = "undercover --players 4 --games 12 --jobs 2";
    let mut run = begin(folder, &format!("{tournament} --save broken-off"));
    // The third game has begun, the last has not.
    let games = folder.join("saves/broken-off/games");
    let begun = || std::fs::read_dir(&games).map_or(0, Iterator::count);
    while begun() < 3 && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    stop(run, "INT", "broken-off");
    assert!(begun() < 12, "all games had begun");
    succeed(folder, "resume broken-off -q");
    succeed(folder, &format!("{tournament} --save whole -q"));
    for game in std::fs::read_dir(&games).unwrap() {
        let game = game.unwrap().file_name().into_string().unwrap();
        let world = |name: &str| world(folder, &format!("{name}/games/{game}"));
        assert!(world("broken-off") == world("whole"), "{game}");
    }
}
