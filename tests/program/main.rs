//! The program from outside: commands, exit codes, and what goes to which output.
#![expect(clippy::unwrap_used, reason = "tests")]

mod attacks;
mod browser;
mod chinese;
mod commands;
mod data;
mod doctor;
mod embeddings;
mod hostile;
mod hostile_files;
mod kill;
mod model_server;
mod outages;
mod page;
mod rehearse;
mod seat;
mod served;
mod teams;
mod trust;
mod undercover;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program in a folder of its own, with an environment that chooses nothing but the seed.
fn playhouse(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_playhouse"));
    command
        .current_dir(folder)
        .env_clear()
        .env("LANG", "C.UTF-8")
        .env("PLAYHOUSE_SEED", "1");
    command.stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = playhouse(folder);
    command.args(arguments.split_whitespace()).output().unwrap()
}

/// Runs a command that must succeed.
fn succeed(folder: &Path, arguments: &str) -> Output {
    let output = run(folder, arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{arguments}: {}",
        err(&output)
    );
    output
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
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), "");
    assert_eq!(told.status.code(), Some(0), "{}", err(&told));
    assert!(!out(&told).contains('\u{1b}'), "colour off a terminal");
    let story = out(&told);
    for mark in [
        "The Drowned Assize",
        "═══ Day 1 ═══",
        "⚔ Fight",
        "Round 1",
        "◆",
    ] {
        assert!(story.contains(mark), "no '{mark}' in the story");
    }
    assert!(
        err(&told).contains("Saved as drowned-assize."),
        "{}",
        err(&told)
    );
    assert!(
        err(&told).contains("playhouse show drowned-assize") && !err(&told).contains("This run"),
        "{}",
        err(&told)
    );
    // What answers cost that cost nothing is told to whoever wants all details.
    let named = run(folder.path(), "--save plain --until 1");
    assert!(!err(&named).contains("This run"), "{}", err(&named));
    let named = run(folder.path(), "--save named --ids --verbose");
    let id = out(&named).lines().find_map(|line| {
        let (_, id) = line.rsplit_once(" [")?;
        Some(id.strip_suffix(']')?.to_owned())
    });
    let why = run(folder.path(), &format!("ask named why {}", id.unwrap()));
    assert_eq!(why.status.code(), Some(0), "{}", err(&why));
    // Foes that fell and left have cost something too.
    let calls = |start: &str| {
        let told = err(&named);
        let row = told.lines().find_map(|line| line.strip_prefix(start));
        let number = row.and_then(|row| row.split_whitespace().next());
        number.unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(calls("total "), calls("This run: "));
    let replayed = run(folder.path(), "replay drowned-assize");
    assert_eq!(replayed.status.code(), Some(0), "{}", err(&replayed));
    // Places are told as their minds answer, so between them the order may be another one.
    let lines = |story: &str| {
        let told = story.get(story.find("── ").unwrap()..).unwrap();
        let mut lines: Vec<_> = told.lines().filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_eq!(lines(&out(&replayed)), lines(&story));
    let again = run(folder.path(), "--quiet");
    assert_eq!((out(&again), err(&again)), (String::new(), String::new()));
    assert!(folder.path().join("saves/drowned-assize-2").is_dir());
}

#[test]
fn a_stopped_run_goes_on_to_the_same_world() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(folder.path(), "zhaoying-ban --save whole -q");
    assert_eq!(whole.status.code(), Some(0), "{}", err(&whole));
    assert_eq!(
        run(folder.path(), "zhaoying-ban --save parts --until 4 -q")
            .status
            .code(),
        Some(0)
    );
    let capped = run(folder.path(), "resume parts --max-calls 5");
    assert_eq!(capped.status.code(), Some(6));
    assert!(
        err(&capped).contains("playhouse resume parts"),
        "{}",
        err(&capped)
    );
    let capped = run(folder.path(), "resume parts");
    assert_eq!(capped.status.code(), Some(6), "the limit is remembered");
    assert!(err(&capped).contains("--max-calls 5"), "{}", err(&capped));
    let rest = run(folder.path(), "resume parts --max-calls 100000");
    assert_eq!(rest.status.code(), Some(0));
    // The program speaks English, and the story ends in its own language.
    assert!(out(&rest).contains("\n目标\n"), "{}", out(&rest));
    let world = |slot: &str| {
        std::fs::read(folder.path().join("saves").join(slot).join("world.json")).unwrap()
    };
    assert!(world("whole") == world("parts"), "the worlds differ");
    assert_eq!(
        run(folder.path(), "branch whole twig --turn 6")
            .status
            .code(),
        Some(0)
    );
    assert_eq!(run(folder.path(), "resume twig -q").status.code(), Some(0));
    assert!(
        world("whole") == world("twig"),
        "the branch grew another way"
    );
}

#[test]
fn json_is_one_record_a_line_and_events_can_be_explained() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "--json --until 2 --save j");
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
        folder.path(),
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
    let shown = run(folder.path(), "show j --json");
    assert!(out(&shown).lines().count() > 8);
    let cost = out(&run(folder.path(), "show j --view costs --json"));
    assert!(spent_on("kickoff", &cost)["calls"].as_u64().unwrap() > 8);
}

#[test]
fn every_kind_of_failure_has_its_exit_code_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, code, says) in [
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
        let output = run(folder.path(), arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments}: {}",
            err(&output)
        );
        let says = if code == 6 { "the limit is 0" } else { says };
        let text = err(&output).replace("\n  ", " ").replace("\n    ", " ");
        assert!(text.contains(says), "{arguments}: {text}");
        assert!(!text.contains("panicked"), "{text}");
    }
    let mut local = playhouse(folder.path());
    local.env("OPENAI_BASE_URL", "http://127.0.0.1:9");
    let output = local
        .args(["--model", "some", "--max-cost", "1"])
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(2),
        "a cap on cost without a price"
    );
    model_server::unreachable_model(folder.path());
    let output = run(
        folder.path(),
        "run --models models.ron --model m --save down",
    );
    assert_eq!(output.status.code(), Some(5), "{}", err(&output));
}

#[test]
fn a_dry_run_shows_prompts_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "--dry-run --json");
    let text = out(&output);
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["purpose"], "kickoff");
    assert!(first["tokens"].as_u64().unwrap() > 100);
    assert!(!folder.path().join("saves").exists());
}

#[test]
fn a_seat_shows_its_own_feed_and_its_end_stops_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = playhouse(folder.path());
    command.args([
        "zhaoying-ban",
        "--seat",
        "沈豆娘",
        "--save",
        "seat",
        "--lang",
        "zh",
    ]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all("我来了。\n".as_bytes()).unwrap();
    drop(typed);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("你是沈豆娘"), "{}", out(&output));
    assert!(
        out(&output).contains("沈豆娘心想：我来了。"),
        "{}",
        out(&output)
    );
    assert!(!err(&output).contains("影班头"), "a seat knows nobody");
    assert!(
        err(&output).contains("playhouse resume seat"),
        "{}",
        err(&output)
    );
}

/// The program with this on its standard input.
fn fed(folder: &Path, arguments: &str, input: &str) -> Output {
    let mut command = playhouse(folder);
    command.args(arguments.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(input.as_bytes()).unwrap();
    drop(typed);
    child.wait_with_output().unwrap()
}

#[test]
fn a_conversation_goes_from_one_form_to_another_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let json = |output: &Output| serde_json::from_str::<Value>(&out(output)).unwrap();
    let talk = r#"[{"role": "system", "content": "rules"}, {"role": "user", "name": "Ann", "content": "hi"},
        {"role": "assistant", "content": [{"type": "mystery"}, "<think>hm</think>你好"]}]"#;
    let ours = fed(folder.path(), "convert --to playhouse --name Wren", talk);
    assert_eq!(ours.status.code(), Some(0), "{}", err(&ours));
    let said = err(&ours);
    assert!(said.contains("Read 3 messages as openai."), "{said}");
    assert!(said.contains("[2].content[0]: "), "{said}");
    let context = json(&ours);
    assert_eq!(context["name"], "Wren");
    assert_eq!(context["context"][1]["name"], "Ann");
    assert_eq!(context["context"][2]["content"][1]["thinking"], "hm");

    let file = folder.path().join("talk.json");
    File::create(&file)
        .unwrap()
        .write_all(&ours.stdout)
        .unwrap();
    let lines = run(folder.path(), "convert talk.json --to openai-jsonl --quiet");
    assert_eq!(err(&lines), "");
    assert_eq!(out(&lines).lines().count(), 1);
    let told = err(&run(folder.path(), "convert talk.json --to openai-jsonl"));
    assert!(told.contains("a thought is left out"), "{told}");
    let said = &json(&lines)["messages"][2]["content"];
    assert_eq!(said[1]["text"], "你好", "a thought is private: {said}");
    let again = fed(folder.path(), "convert - --to agentscope", &out(&lines));
    assert_eq!(json(&again)[1]["role"], "USER");

    let wrong = fed(
        folder.path(),
        "convert --to openai --lang zh",
        "{\"speaker\": \"Ann\"}",
    );
    assert_eq!(wrong.status.code(), Some(1));
    let said = err(&wrong);
    assert!(
        said.contains("'created_at'") && said.contains("标准输入"),
        "{said}"
    );
    let missing = run(folder.path(), "convert nowhere.json --to openai");
    assert_eq!(missing.status.code(), Some(1));
    assert!(err(&missing).contains("nowhere.json"), "{}", err(&missing));
}

#[test]
fn a_reader_who_goes_away_ends_the_run_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = playhouse(folder.path());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let mut few = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut few).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!err(&output).contains("error"), "{}", err(&output));
}

#[test]
fn a_new_world_is_checked_and_played() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        run(folder.path(), "new mine --world-lang zh").status.code(),
        Some(0)
    );
    assert_eq!(run(folder.path(), "check mine").status.code(), Some(0));
    assert_eq!(
        run(folder.path(), "run mine --until 2 -q").status.code(),
        Some(0)
    );
    assert_eq!(run(folder.path(), "resume mine -q").status.code(), Some(0));
    assert_eq!(
        run(folder.path(), "new mine").status.code(),
        Some(3),
        "never written over"
    );
    let world = folder.path().join("mine/world.ron");
    let text = std::fs::read_to_string(&world).unwrap();
    let broken = text.replace("hp:", "hq:");
    std::fs::File::create(&world)
        .unwrap()
        .write_all(broken.as_bytes())
        .unwrap();
    let checked = run(folder.path(), "check mine --json");
    assert_eq!(checked.status.code(), Some(3));
    let checked: Value = serde_json::from_str(&out(&checked)).unwrap();
    assert!(
        checked["problems"].as_array().unwrap().len() > 1,
        "{checked}"
    );
    let refused = run(folder.path(), "resume mine");
    assert_eq!(refused.status.code(), Some(3));
}

#[test]
fn a_new_world_in_an_empty_folder_is_the_one_that_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let created = run(folder.path(), "new");
    assert!(
        out(&created).contains("playhouse run story"),
        "{}",
        err(&created)
    );
    let played = run(folder.path(), "run --until 1");
    assert!(err(&played).contains("story"), "{}", err(&played));
    assert_eq!(run(folder.path(), "replay story").status.code(), Some(0));
    let within = folder.path().join("story");
    assert_eq!(run(&within, "--until 1 -q").status.code(), Some(0));
    assert_eq!(
        run(&within, "resume story --until 2 -q").status.code(),
        Some(0)
    );
}

#[test]
fn settings_say_where_they_come_from_and_keys_stay_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = std::fs::File::create(folder.path().join("playhouse.ron")).unwrap();
    file.write_all(b"(max_calls: Some(9))").unwrap();
    let mut command = playhouse(folder.path());
    command
        .env("OPENAI_API_KEY", "sk-very-secret")
        .env("LANG", "zh_CN.UTF-8");
    let output = command
        .args(["config", "--seed-is-not-here"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let mut command = playhouse(folder.path());
    command
        .env("OPENAI_API_KEY", "sk-very-secret")
        .env("LANG", "zh_CN.UTF-8");
    let output = command.arg("config").output().unwrap();
    let text = out(&output);
    assert!(
        !text.contains("secret") && text.contains("OPENAI_API_KEY"),
        "{text}"
    );
    assert!(
        text.contains("文件（playhouse.ron）") && text.contains("环境变量（LANG）"),
        "{text}"
    );
}

#[test]
fn worlds_and_help_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let worlds = out(&run(folder.path(), "worlds"));
    assert!(
        worlds.contains("drowned-assize") && worlds.contains("zhaoying-ban"),
        "{worlds}"
    );
    let help = run(folder.path(), "--help");
    assert_eq!(help.status.code(), Some(0));
    assert!(out(&help).contains("Exit codes"), "{}", out(&help));
    for arguments in ["resume --help", "help resume", "resume -h"] {
        let help = out(&run(folder.path(), arguments));
        assert!(help.starts_with("Continue a save\n"), "{help}");
        assert!(help.contains("    --task <TEXT>"), "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
    }
}
