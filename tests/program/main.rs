//! The program from outside: commands, exit codes, and what goes to which output.
#![expect(clippy::unwrap_used, reason = "tests")]

mod attacks;
mod batches;
mod browser;
mod cards;
mod chinese;
mod cluster;
mod commands;
mod data;
mod doctor;
mod drafts;
mod embeddings;
#[path = "../../crates/tools/tests/tools/example.rs"]
mod example;
mod experiments;
mod exports;
mod hostile;
mod imports;
mod kill;
mod model_server;
mod otherwise;
mod outages;
mod page;
mod rehearse;
mod seat;
mod served;
mod teams;
mod telemetry;
mod terminal;
mod trust;
mod undercover;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program in a folder of its own, with an environment that chooses nothing but the seed.
fn playhouse(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_playhouse"));
    command
        .current_dir(folder)
        .env_clear()
        .env("LANG", "en_US.UTF-8")
        .env("PLAYHOUSE_SEED", "1");
    command.stdin(Stdio::null());
    command
}

/// The program with these arguments, of which words in single quotation marks are one.
fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = playhouse(folder);
    for (number, part) in arguments.split('\'').enumerate() {
        match number % 2 {
            0 => command.args(part.split_whitespace()),
            _ => command.arg(part),
        };
    }
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Runs a command that must succeed.
#[track_caller]
fn succeed(folder: &Path, arguments: &str) -> Output {
    exits(folder, arguments, 0)
}

/// Runs a command that ends with this exit code.
#[track_caller]
fn exits(folder: &Path, arguments: &str, code: i32) -> Output {
    let output = run(folder, arguments);
    let told = err(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {told}");
    output
}

/// Checks that a text has these words.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    let missing = words.iter().find(|words| !text.contains(**words));
    assert_eq!(missing, None, "not in:\n{text}");
}

/// Checks that a text has none of these words.
#[track_caller]
fn lacks(text: &str, words: &[&str]) {
    let found = words.iter().find(|words| text.contains(**words));
    assert_eq!(found, None, "in:\n{text}");
}

/// A text without its line breaks.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An empty folder, which goes with the test.
struct Dir(tempfile::TempDir);

impl Dir {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

impl Deref for Dir {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Dir {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// Writes a file, and makes the folders around it.
fn write(path: &Path, text: &(impl AsRef<[u8]> + ?Sized)) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path)
        .unwrap()
        .write_all(text.as_ref())
        .unwrap();
}

fn journal(folder: &Path, slot: &str) -> String {
    fs::read_to_string(folder.join("saves").join(slot).join("journal.jsonl")).unwrap()
}

fn world(folder: &Path, slot: &str) -> Vec<u8> {
    fs::read(folder.join("saves").join(slot).join("world.json")).unwrap()
}

/// Where the settings of a user with this home are.
fn own_settings(home: &Path) -> PathBuf {
    let folder = if cfg!(windows) {
        home.to_owned()
    } else if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else {
        home.join(".config")
    };
    folder.join("playhouse")
}

/// The records of a command that must succeed.
#[track_caller]
fn records(folder: &Path, arguments: &str) -> Vec<Value> {
    records_of(&succeed(folder, &format!("{arguments} --json")))
}

/// The records that a command printed, each of which stands in a line of its own.
fn records_of(output: &Output) -> Vec<Value> {
    let text = out(output);
    let lines = text.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["record"].is_string(), "{line}");
        record
    });
    lines.collect()
}

/// What `cost --json` says of a purpose.
fn spent_on(purpose: &str, cost: &str) -> Value {
    let mut records = cost.lines().map(|line| serde_json::from_str(line).unwrap());
    let found = records.find(|record: &Value| record["purpose"] == purpose);
    found.unwrap_or_else(|| panic!("nothing on {purpose}: {cost}"))
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_campaign_is_told_saved_and_replayed() {
    let folder = &Dir::new();
    let told = succeed(folder, "");
    assert!(!out(&told).contains('\u{1b}'), "colour off a terminal");
    let story = out(&told);
    has(
        &story,
        &[
            "The Drowned Assize",
            "═══ Day 1 ═══",
            "⚔ Fight",
            "Round 1",
            "◆",
        ],
    );
    let saved = ["Saved as drowned-assize.", "playhouse show drowned-assize"];
    has(&err(&told), &saved);
    lacks(&err(&told), &["This run"]);
    // What answers cost that cost nothing is told to whoever wants all details.
    let named = run(folder, "--save plain --until 1");
    lacks(&err(&named), &["This run"]);
    let named = run(folder, "--save named --ids --verbose");
    let id = out(&named).lines().find_map(|line| {
        let (_, id) = line.rsplit_once(" [")?;
        Some(id.strip_suffix(']')?.to_owned())
    });
    succeed(folder, &format!("ask named why {}", id.unwrap()));
    // Foes that fell and left have cost something too.
    let calls = |start: &str| {
        let told = err(&named);
        let row = told.lines().find_map(|line| line.strip_prefix(start));
        let number = row.and_then(|row| row.split_whitespace().next());
        number.unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(calls("total "), calls("This run: "));
    let replayed = succeed(folder, "replay drowned-assize");
    // Places are told as their minds answer, so between them the order may be another one.
    let lines = |story: &str| {
        let told = story.get(story.find("── ").unwrap()..).unwrap();
        let mut lines: Vec<_> = told.lines().filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_eq!(lines(&out(&replayed)), lines(&story));
    let again = run(folder, "--quiet");
    assert_eq!((out(&again), err(&again)), (String::new(), String::new()));
    assert!(folder.join("saves/drowned-assize-2").is_dir());
}

#[test]
fn a_stopped_run_goes_on_to_the_same_world() {
    let folder = &Dir::new();
    succeed(folder, "zhaoying-ban --save whole -q");
    succeed(folder, "zhaoying-ban --save parts --until 4 -q");
    let capped = exits(folder, "resume parts --max-calls 5", 6);
    has(&err(&capped), &["playhouse resume parts"]);
    let capped = exits(folder, "resume parts", 6);
    has(&err(&capped), &["--max-calls 5"]);
    let rest = succeed(folder, "resume parts --max-calls 100000");
    // The program speaks English, and the story ends in its own language.
    has(&out(&rest), &["\n目标\n"]);
    let world = |slot: &str| world(folder, slot);
    assert!(world("whole") == world("parts"), "the worlds differ");
    succeed(folder, "branch whole twig --turn 6");
    succeed(folder, "resume twig -q");
    assert!(
        world("whole") == world("twig"),
        "the branch grew another way"
    );
}

#[test]
fn json_is_one_record_a_line_and_events_can_be_explained() {
    let folder = &Dir::new();
    let output = run(folder, "--json --until 2 --save j");
    let records = records_of(&output);
    let last = records.last().unwrap();
    assert_eq!(
        (&last["record"], &last["stop"]),
        (&"end".into(), &"turn_reached".into())
    );
    assert!(last["spent"]["calls"].as_u64().unwrap() > 10);
    let spent = last["spent"]["usage"]["prompt_tokens"].as_u64().unwrap();
    let entities = last["by_entity"].as_object().unwrap().values();
    let booked: u64 = entities
        .map(|spent| spent["usage"]["prompt_tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(spent, booked, "the run and its ledgers count alike");
    let speak = records
        .iter()
        .find(|record| record["type"] == "speak")
        .unwrap();
    let why = run(
        folder,
        &format!("ask j why {} --json", speak["id"].as_str().unwrap()),
    );
    let why: Value = serde_json::from_str(&out(&why)).unwrap();
    let (told, speaker) = (why["told"].as_array().unwrap(), &speak["speaker"]);
    assert!(!told.is_empty() && !told.contains(speaker), "{why}");
    let not_told = why["not_told"].as_array().unwrap();
    assert!(!not_told.is_empty(), "{why}");
    for absent in not_told {
        assert!(!told.contains(&absent["name"]), "{why}");
        assert_eq!(absent["why"], "elsewhere", "{why}");
    }
    let shown = run(folder, "show j --json");
    assert!(out(&shown).lines().count() > 8);
    let cost = out(&run(folder, "show j --view costs --json"));
    assert!(spent_on("kickoff", &cost)["calls"].as_u64().unwrap() > 6);
}

#[test]
fn every_kind_of_failure_has_its_exit_code_and_says_what_to_do() {
    let folder = &Dir::new();
    write(&folder.join("wrong.ron"), "(modles: {})");
    write(&folder.join("own/mine/world.ron"), "(nmae: \"\")");
    for (arguments, code, says) in [
        (
            "run drowned-assize --model m --models wrong.ron",
            3,
            "\nwrong.ron:1:2: error: modles",
        ),
        ("check own/mine", 3, "own/mine/world.ron:1:2: error: nmae"),
        ("--seed x", 2, "--seed"),
        ("--seed 3 saves", 2, "playhouse run --seed"),
        ("run nowhere", 3, "playhouse worlds"),
        ("run drowned-asize", 3, "did you mean 'drowned-assize'?"),
        ("resume nothing", 4, "nothing"),
        ("run --save ../x", 2, "../x"),
        ("run --save s --seat Nobody", 2, "expected one of"),
        ("run --save s --model nosuch", 5, "nosuch"),
        ("run --save s --max-calls 0", 6, "--max-calls"),
    ] {
        let output = exits(folder, arguments, code);
        let says = if code == 6 { "the limit is 0" } else { says };
        let text = err(&output).replace("\n  ", " ").replace("\n    ", " ");
        let text = format!("{}\n{text}", out(&output));
        assert!(text.contains(says), "{arguments}: {text}");
        lacks(&text, &["panicked"]);
    }
    let mut local = command(folder, "--model some --max-cost 1");
    local.env("OPENAI_BASE_URL", "http://127.0.0.1:9");
    let capped = local.output().unwrap().status.code();
    assert_eq!(capped, Some(2), "a cap on cost without a price");
    model_server::unreachable_model(folder);
    exits(folder, "run --models models.ron --model m --save down", 5);
}

#[test]
fn a_seat_shows_its_own_feed_and_its_end_stops_the_run() {
    let folder = &Dir::new();
    let seat = "zhaoying-ban --seat 沈豆娘 --save seat --lang zh";
    let output = fed(folder, seat, "我来了。\n");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    has(&out(&output), &["你是沈豆娘", "沈豆娘心想：我来了。"]);
    assert!(!err(&output).contains("影班头"), "a seat knows nobody");
    has(&err(&output), &["playhouse resume seat"]);
}

/// The program with this on its standard input.
fn fed(folder: &Path, arguments: &str, input: &str) -> Output {
    feed(command(folder, arguments), input)
}

fn feed(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut typed = child.stdin.take().unwrap();
    // It may have ended without reading.
    let _ = typed.write_all(input.as_bytes());
    drop(typed);
    child.wait_with_output().unwrap()
}

#[test]
fn a_conversation_goes_from_one_form_to_another_and_back() {
    let folder = &Dir::new();
    let json = |output: &Output| serde_json::from_str::<Value>(&out(output)).unwrap();
    let talk = r#"[{"role": "system", "content": "rules"}, {"role": "user", "name": "Ann", "content": "hi"},
        {"role": "assistant", "content": [{"type": "mystery"}, "<think>hm</think>你好"]}]"#;
    let ours = fed(folder, "convert --to playhouse --name Wren", talk);
    assert_eq!(ours.status.code(), Some(0), "{}", err(&ours));
    let said = err(&ours);
    has(&said, &["Read 3 messages as openai."]);
    has(&said, &["[2].content[0]: "]);
    let context = json(&ours);
    assert_eq!(context["name"], "Wren");
    assert_eq!(context["context"][1]["name"], "Ann");
    assert_eq!(context["context"][2]["content"][1]["thinking"], "hm");

    write(&folder.join("talk.json"), &ours.stdout);
    let lines = run(folder, "convert talk.json --to openai-jsonl --quiet");
    assert_eq!(err(&lines), "");
    assert_eq!(out(&lines).lines().count(), 1);
    let told = err(&run(folder, "convert talk.json --to openai-jsonl"));
    has(&told, &["a thought is left out"]);
    let said = &json(&lines)["messages"][2]["content"];
    assert_eq!(said[1]["text"], "你好", "a thought is private: {said}");
    let again = fed(folder, "convert - --to agentscope", &out(&lines));
    assert_eq!(json(&again)[1]["role"], "USER");

    let wrong = fed(
        folder,
        "convert --to openai --lang zh",
        "{\"speaker\": \"Ann\"}",
    );
    assert_eq!(wrong.status.code(), Some(1));
    let said = err(&wrong);
    has(&said, &["'created_at'", "标准输入"]);
    let missing = exits(folder, "convert nowhere.json --to openai", 1);
    has(&err(&missing), &["nowhere.json"]);
}

#[test]
fn a_reader_who_goes_away_ends_the_run_quietly() {
    let folder = &Dir::new();
    let mut command = playhouse(folder);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let mut few = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut few).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    lacks(&err(&output), &["error"]);
}

#[test]
fn a_new_world_is_checked_and_played() {
    let folder = &Dir::new();
    succeed(folder, "new mine --world-lang zh");
    succeed(folder, "check mine");
    succeed(folder, "run mine --until 2 -q");
    succeed(folder, "resume mine -q");
    exits(folder, "new mine", 3);
    let world = folder.join("mine/world.ron");
    let text = fs::read_to_string(&world).unwrap();
    write(&world, &text.replace("hp:", "hq:"));
    let checked = exits(folder, "check mine --json", 3);
    let checked: Value = serde_json::from_str(&out(&checked)).unwrap();
    assert!(
        checked["problems"].as_array().unwrap().len() > 1,
        "{checked}"
    );
    exits(folder, "resume mine", 3);
}

#[test]
fn a_new_world_in_an_empty_folder_is_the_one_that_is_played() {
    let folder = &Dir::new();
    let created = run(folder, "new");
    assert!(
        out(&created).contains("playhouse run story"),
        "{}",
        err(&created)
    );
    let played = run(folder, "run --until 1");
    has(&err(&played), &["story"]);
    succeed(folder, "replay story");
    let within = folder.join("story");
    succeed(&within, "--until 1 -q");
    succeed(&within, "resume story --until 2 -q");
}

#[test]
fn settings_say_where_they_come_from_and_keys_stay_hidden() {
    let folder = &Dir::new();
    write(&folder.join("playhouse.ron"), "(max_calls: Some(9))");
    exits(folder, "config --seed-is-not-here", 2);
    let mut command = command(folder, "config");
    command.env("OPENAI_API_KEY", "sk-very-secret");
    command.env("LANG", "zh_CN.UTF-8");
    let text = out(&command.output().unwrap());
    has(&text, &["OPENAI_API_KEY"]);
    lacks(&text, &["secret"]);
    has(&text, &["文件（playhouse.ron）", "环境变量（LANG）"]);
}

#[test]
fn worlds_and_help_are_there() {
    let folder = &Dir::new();
    let worlds = out(&run(folder, "worlds"));
    has(&worlds, &["drowned-assize", "zhaoying-ban"]);
    let help = succeed(folder, "--help");
    has(&out(&help), &["Exit codes"]);
    for arguments in ["resume --help", "help resume", "resume -h"] {
        let help = out(&run(folder, arguments));
        assert!(help.starts_with("Continue a save\n"), "{help}");
        has(&help, &["    --task <TEXT>"]);
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
    }
}
