//! What commands do besides playing: that they remember, destroy nothing, tell all, and fail as
//! they should.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{
    Dir, command, err, exits, fed, has, in_one_line, journal, lacks, out, playhouse, records,
    records_of, run, succeed, write,
};

/// Runs a command that must succeed, and gives what it printed.
fn told(folder: &Path, arguments: &str) -> String {
    out(&succeed(folder, arguments))
}

#[test]
fn a_seat_is_remembered_until_it_changes_or_is_given_up() {
    let folder = &Dir::new();
    let game = "undercover --players 4 --order by-number --save s";
    succeed(folder, &format!("{game} --seat Bruno"));
    let resumed = run(folder, "resume s");
    has(&out(&resumed), &["You are Bruno"]);
    has(&err(&resumed), &["--seat Bruno"]);
    let changed = out(&run(folder, "resume s --seat Clemence"));
    lacks(&changed, &["You are Bruno"]);
    let kept = fs::read_to_string(folder.join("saves/s/settings.json")).unwrap();
    has(&kept, &["Clemence"]);
    let given_up = run(folder, "resume s --no-seat");
    has(&out(&given_up), &["win"]);
    let kept = fs::read_to_string(folder.join("saves/s/settings.json")).unwrap();
    lacks(&kept, &["seat"]);
}

#[test]
fn a_story_keeps_its_seed_until_it_is_given_another() {
    let folder = &Dir::new();
    told(folder, "undercover --players 3 --seed 8 --until 1 --save s");
    let journal = || journal(folder, "s");
    told(folder, "resume s --seed 8 --until 2");
    assert!(!journal().contains("world_seed"));
    let other = succeed(folder, "resume s --seed 9 --until 3");
    has(&err(&other), &["Seed: 9"]);
    told(folder, "resume s --seed 9 --until 4");
    let inputs = journal().matches("\"world_seed\":9").count();
    assert_eq!(inputs, 1, "{}", journal());
    told(folder, "replay s");
    told(folder, "undercover --players 3 --seed 8 --games 2 --save t");
    let other = exits(folder, "resume t --seed 9", 2);
    has(&err(&other), &["seed 8"]);
    let mut bad = command(folder, "undercover --until 1");
    let bad = bad.env("PLAYHOUSE_SEED", "often").output().unwrap();
    assert_eq!(bad.status.code(), Some(2));
    has(&err(&bad), &["PLAYHOUSE_SEED"]);
}

#[test]
fn printed_commands_name_the_folder_of_saves_that_was_given() {
    let folder = &Dir::new();
    let elsewhere = |command: &str| {
        let output = run(folder, &format!("{command} --saves 'my saves'"));
        format!("{}{}", out(&output), err(&output))
    };
    for (command, printed) in [
        ("run --until 1", "playhouse resume drowned-assize"),
        (
            "branch drowned-assize twig --turn 1",
            "playhouse resume twig",
        ),
        ("ask twig why xyzzy", "playhouse show twig"),
        ("run --save capped --max-calls 2", "playhouse resume capped"),
    ] {
        let said = elsewhere(command);
        let printed = format!("{printed} --saves 'my saves'");
        let line = in_one_line(&said);
        assert!(line.contains(&printed), "{command}: {said}");
    }
    let said = elsewhere("run --until 1");
    let once = said.matches("playhouse resume drowned-assize-2").count();
    assert_eq!(once, 1, "{said}");
    let said = err(&run(folder, "run --until 1"));
    has(&said, &["playhouse resume drowned-assize\n"]);
}

#[test]
fn cost_tells_what_was_paid_before_a_stop() {
    let folder = &Dir::new();
    exits(folder, "run --save s --max-calls 5 -q", 6);
    let cost = records(folder, "show s --view costs");
    let calls = |of: &str| -> u64 {
        let rows = cost
            .iter()
            .filter(|row| row["record"] == "cost" && row[of].is_string());
        rows.map(|spent| spent["calls"].as_u64().unwrap()).sum()
    };
    assert_eq!((calls("entity"), calls("purpose")), (5, 5));
    let is_flat = |row: &Value| {
        row.as_object()
            .unwrap()
            .values()
            .all(|value| !value.is_object())
    };
    assert!(cost.iter().all(is_flat), "{cost:?}");
    // As a kill leaves it: the last snapshot is old, the journal is not.
    let slot = folder.join("saves/s");
    told(folder, "run --save whole --until 2 -q");
    let whole = records(folder, "show whole --view costs");
    fs::copy(
        folder.join("saves/whole/journal.jsonl"),
        slot.join("journal.jsonl"),
    )
    .unwrap();
    let killed = records(folder, "show s --view costs");
    assert_eq!(killed, whole);
}

#[test]
fn a_folder_of_data_lies_over_the_built_in_one() {
    let folder = &Dir::new();
    told(folder, "new data/worlds/mine");
    let worlds = told(folder, "worlds");
    has(&worlds, &["mine", "drowned-assize", "zhaoying-ban"]);
    let short = "{{ name }} votes.\n";
    write(&folder.join("data/prompts/en/asks/vote_short.j2"), short);
    for world in ["mine", "drowned-assize"] {
        told(folder, &format!("check {world}"));
        told(folder, &format!("run {world} --until 1 -q --save {world}"));
    }
    told(folder, "undercover --players 3 --until 1 -q");
    assert!(told(folder, "chat").contains("en/assistant"));
    // A folder with a team alone counts as well.
    let other = tempfile::tempdir().unwrap();
    let team = r#"Team(name: "own", participants: [(name: "Ava")], max_turns: 1)"#;
    write(&other.path().join("data/teams/own.ron"), team);
    let teams = told(other.path(), "chat");
    has(&teams, &["own", "en/assistant"]);
    assert!(told(other.path(), "worlds").contains("drowned-assize"));
}

#[test]
fn a_dry_run_needs_no_key_and_tells_the_total_and_its_currency() {
    let folder = &Dir::new();
    for command in ["run", "undercover --players 3"] {
        let command = format!("{command} --model deepseek --dry-run");
        let shown = told(folder, &command);
        let total = shown.replace('\n', " ");
        assert!(total.contains("tokens, at most 0."), "{shown}");
        assert!(total.contains(" USD") || total.contains(" CNY"), "{shown}");
        assert!(shown.ends_with("Seed: 1\n"), "{shown}");
        let records = records(folder, &command);
        let (total, prompts) = records.split_last().unwrap();
        assert_eq!(total["prompts"], prompts.len());
        let tokens: u64 = prompts
            .iter()
            .map(|prompt| prompt["tokens"].as_u64().unwrap())
            .sum();
        assert_eq!(total["tokens"], tokens);
        let currency = prompts[0]["currency"].as_str().unwrap();
        assert!(total["cost"][currency].is_number(), "{total}");
    }
    assert!(!folder.join("saves").exists());
}

#[test]
fn a_dry_run_goes_on_with_the_seed_that_it_is_given() {
    let folder = &Dir::new();
    told(
        folder,
        "undercover --players 6 --seed 1 --until 2 --save s -q",
    );
    let unsent = |options: &str| records(folder, &format!("resume s --dry-run {options}"));
    let (kept, new) = (unsent(""), unsent("--seed 9"));
    let seeds = [&kept, &new].map(|unsent| unsent.last().unwrap()["seed"].clone());
    assert_eq!(seeds, [1, 9]);
    // Who speaks first in the next round is drawn.
    assert_ne!(new[0]["entity"], kept[0]["entity"]);
    told(folder, "resume s --seed 9 --until 4 -q");
    let calls = records(folder, "show s --view calls");
    let played = calls.iter().find(|call| call["turn"] == 4).unwrap();
    assert_eq!(played["agent"], new[0]["entity"]);
}

#[test]
fn every_command_prints_one_record_a_line() {
    let folder = &Dir::new();
    told(folder, "run --until 3 --save s -q");
    for command in [
        "run --until 1",
        "undercover --players 3",
        "undercover --players 3 --games 2",
        "resume s --until 4",
        "replay s --until 1",
        "saves",
        "saves --verify",
        "show s --view costs",
        "show s --view trace",
        "show s",
        "show s 'Odile Marsh'",
        "ask s recall 'Odile Marsh' Jory",
        "ask s what 'Odile Marsh'",
        "show s --view events",
        "worlds",
        "check drowned-assize",
        "config",
        "doctor improviser",
        "trust --list",
        "saves --repair s",
        "export s --html s.html",
        "show s --view calls",
        "show s --view chapters 'Odile Marsh'",
        "ask s who the-order",
        "chat",
    ] {
        records(folder, command);
    }
    // A single run need not meet what is expected of many.
    records_of(&run(folder, "rehearse drowned-assize --runs 1 --json"));
    // Commands that are asked for what there isn't fail with a record, too.
    for (command, kind) in [
        ("show s Nobody", "usage"),
        ("resume nothing", "save"),
        ("check nothing", "world"),
        ("show --nothing", "usage"),
    ] {
        let output = run(folder, &format!("{command} --json"));
        let error: Value = serde_json::from_str(&err(&output)).unwrap();
        assert_eq!(error["record"], "error", "{command}: {error}");
        assert_eq!(error["kind"], kind, "{command}: {error}");
        assert_eq!(
            error["code"].as_i64().map(|code| code as i32),
            output.status.code()
        );
        assert!(error["text"].is_string(), "{command}: {error}");
    }
    // Whoever is named has its number beside it.
    for (command, named) in [
        ("show s --view events", "speaker"),
        ("show s --view events", "place"),
        ("replay s", "speaker"),
        ("replay s", "place"),
        ("ask s who the-order", "name"),
        ("show s --view chapters 'Odile Marsh'", "name"),
        ("show s 'Odile Marsh'", "name"),
        ("ask s recall 'Odile Marsh' Jory", "name"),
        ("run --until 1", "place"),
    ] {
        let records = records(folder, command);
        let mut named_by = records.iter().filter(|record| {
            let name = record[named].as_str();
            name.is_some_and(|name| !name.is_empty())
        });
        let number = format!("{named}_id");
        let missing = named_by.find(|record| !record[&number].is_u64());
        assert_eq!(missing, None, "{command}");
    }
    let games = records(folder, "run --games 1");
    let bond = games[1]["bonds"].as_array().unwrap();
    assert!(
        bond[0]["from_id"].is_u64() && bond[0]["to_id"].is_u64(),
        "{bond:?}"
    );
    let records = records(folder, "replay s");
    let mut told = records
        .iter()
        .filter_map(|record| record["audience"].as_array());
    let first = &told.find(|audience| !audience.is_empty()).unwrap()[0];
    assert!(first["id"].is_u64() && first["name"].is_string(), "{first}");
}

#[test]
fn turns_have_the_same_numbers_everywhere() {
    let folder = &Dir::new();
    let first = records(folder, "run --until 1 --save s");
    for (command, records) in [
        ("run", first),
        ("replay s", records(folder, "replay s")),
        (
            "show s --view events",
            records(folder, "show s --view events"),
        ),
        (
            "show s --view calls",
            records(folder, "show s --view calls"),
        ),
        (
            "branch s t --turn 1",
            records(folder, "branch s t --turn 1"),
        ),
    ] {
        let turns: BTreeSet<_> = records
            .iter()
            .filter_map(|record| record["turn"].as_u64())
            .collect();
        // A replay also opens the turn that was not played.
        assert_eq!(turns.first(), Some(&1), "{command}");
        let is_replay = ["show s --view events", "replay s"].contains(&command);
        assert!(turns.len() == 1 || is_replay, "{command}: {turns:?}");
    }
    let call = records(folder, "show s --view calls").swap_remove(0);
    let agent = call["agent"].as_str().unwrap();
    let sent = records(folder, &format!("show s '{agent}' --call 1"));
    assert_eq!(sent[0]["turn"], 1, "{sent:?}");
    let told = out(&run(folder, "replay s --verbose"));
    has(&told, &["· turn 1 ·"]);
}

#[test]
fn what_is_told_at_a_meeting_has_no_place() {
    let folder = &Dir::new();
    told(folder, "run --until 1 --save s -q");
    let events = records(folder, "show s --view events");
    let ids = events.iter().map(|event| event["id"].as_str().unwrap());
    let id = ids.into_iter().find(|id| id.starts_with("0-")).unwrap();
    let shown = told(folder, &format!("ask s why {id}"));
    assert!(
        shown.lines().next().unwrap().ends_with("· turn 1"),
        "{shown}"
    );
}

#[test]
fn an_event_is_found_by_what_stands_on_the_screen() {
    let folder = &Dir::new();
    let story = told(folder, "run tuannian --seed 3 --save s --width 1000");
    let walks = || story.lines().filter(|line| line.contains("→ "));
    let is_once = |line: &&str| walks().filter(|other| other == line).count() == 1;
    let line = walks().find(is_once).unwrap();
    // To leave and to arrive are one walk, which those learn of at either place.
    let asked = told(folder, &format!("ask s why '{line}'"));
    has(&asked, &[" · departure · ", " · arrival · "]);
    let remembered = told(folder, "show s 二姐 --lang zh");
    lacks(&remembered, &["System:", "AI(", "H: ", "{\""]);
    has(&remembered, &["二姐 · 内心 · ", "二姐 · 说话 · "]);
    let events = records(folder, "show s --view events");
    let choice = events
        .iter()
        .find(|event| event["type"] == "choice")
        .unwrap();
    let id = choice["id"].as_str().unwrap();
    let why = told(folder, &format!("ask s why {id} --width 1000"));
    has(&why, &["what the character thought: "]);
    let absent = why.lines().find(|line| line.starts_with("everyone else"));
    assert!(!absent.unwrap().contains("灶屋 ("), "{why}");
}

#[test]
fn stories_of_different_worlds_are_not_compared() {
    let folder = &Dir::new();
    told(folder, "run drowned-assize --until 1 --save s -q");
    told(folder, "run zhaoying-ban --until 1 --save z -q");
    let shown = told(folder, "diff s z");
    let expected = "s and z are stories of different worlds: drowned-assize and zhaoying-ban";
    assert_eq!(in_one_line(&shown), expected);
}

#[test]
fn what_somebody_heard_of_somebody_are_events() {
    let folder = &Dir::new();
    told(folder, "run --until 9 --save s -q");
    let about = "ask s what 'Odile Marsh' --about 'Jory Teasel'";
    let mut heard = records(folder, about);
    heard.retain(|record| record["record"] == "heard");
    assert!(!heard.is_empty());
    let events = records(folder, "show s --view events");
    for heard in &heard {
        let event = events.iter().find(|event| event["id"] == heard["event"]);
        assert_eq!(event.unwrap()["text"], heard["text"]);
    }
    let told = told(folder, about);
    let last = heard[heard.len() - 1]["event"].as_str().unwrap();
    has(&told, &[&format!("\n  {last} · ")]);
    let rows = told.lines().map(|row| row.chars().count());
    assert!(rows.max() <= Some(100), "wider than a terminal: {told}");
}

#[test]
fn what_the_pages_show_of_a_run_works() {
    let folder = &Dir::new();
    let english = [
        include_str!("../../README.md"),
        include_str!("../../docs/commands.md"),
    ];
    let chinese = [include_str!("../../README.zh.md")];
    for (pages, world, saves, expected) in [
        (
            &english[..],
            "drowned-assize",
            ["SAVE", "OTHER"],
            &["ask", "show", "diff", "branch", "replay", "saves"][..],
        ),
        (
            &chinese[..],
            "zhaoying-ban",
            ["存档", "另一存档"],
            &["ask", "branch"][..],
        ),
    ] {
        let [save, other] = saves;
        told(
            folder,
            &format!("run {world} --seed 1 --until 10 -q --save {save}"),
        );
        let other = format!("run {world} --seed 2 --until 4 -q --save {other}");
        told(folder, &other);
        let mut seen = BTreeSet::new();
        for (number, line) in pages.iter().flat_map(|page| shown(page)).enumerate() {
            let command = line.split('#').next().unwrap_or_default().trim();
            let Some(command) = command.strip_prefix("playhouse ") else {
                continue;
            };
            let name = command.split(' ').next().unwrap_or_default();
            if ["convert", "play", "rehearse", "run", "resume", "watch"].contains(&name) {
                continue;
            }
            seen.insert(name);
            // Nobody reads this.
            let command = command.replace(" --pace", "");
            let words = command.split('"').enumerate().flat_map(|(index, part)| {
                if index % 2 == 1 {
                    vec![part.to_owned()]
                } else {
                    part.split_whitespace().map(str::to_owned).collect()
                }
            });
            let mut arguments: Vec<_> = words.collect();
            if name == "branch" {
                arguments[2] = format!("of-{world}-{number}");
            }
            let output = playhouse(folder).args(&arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{line}: {}", err(&output));
        }
        for name in expected {
            assert!(seen.contains(name), "{name} in {world}: {seen:?}");
        }
    }
}

/// The lines of the blocks in which a page shows what can be done with a save of a folder.
fn shown(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```").skip(1).step_by(2);
    let of_saves = |block: &&str| {
        ["branch", "ask"]
            .iter()
            .any(|name| block.contains(&format!("playhouse {name}")))
    };
    let of_a_store = |block: &&str| block.contains("playhouse submit");
    blocks
        .filter(move |block| of_saves(block) && !of_a_store(block))
        .flat_map(str::lines)
}

#[test]
fn an_unknown_command_is_not_taken_for_a_world() {
    let folder = &Dir::new();
    for (arguments, says) in [
        ("resum", "did you mean 'resume'?"),
        ("drowned-asize", "did you mean 'drowned-assize'?"),
        ("xyzzy", "neither a command nor a world"),
        ("xyzzy --model deepseek", "unknown command 'xyzzy'"),
        ("chek drowned-assize", "did you mean 'check'?"),
        ("ask", "one of: who, what, why, recall"),
        ("ask tale", "for usage, run: playhouse ask --help"),
        ("saves tale", "unexpected argument 'tale'"),
    ] {
        let output = exits(folder, arguments, 2);
        assert!(err(&output).contains(says), "{arguments}: {}", err(&output));
    }
    told(folder, "drowned-assize --until 1 -q");
}

#[test]
fn a_trace_of_a_campaign_shows_what_was_asked() {
    let folder = &Dir::new();
    told(folder, "run --until 3 --save s -q");
    let journal = journal(folder, "s");
    let outcomes: Vec<Value> = journal
        .lines()
        .filter_map(|line| Some(serde_json::from_str::<Value>(line).ok()?["outcome"].clone()))
        .filter(|outcome| outcome.is_object())
        .collect();
    let calls = records(folder, "show s --view trace");
    assert_eq!(calls.len(), outcomes.len());
    for (call, outcome) in calls.iter().zip(&outcomes) {
        assert_eq!(call["agent"], outcome["entity"]);
        assert_eq!(call["asked"], outcome["asked"]);
        assert!(call.get("context").is_none(), "{call}");
    }
    let who = outcomes[0]["entity"].as_str().unwrap();
    let text = told(folder, &format!("show s '{who}' --view trace"));
    has(&text, &[outcomes[0]["asked"].as_str().unwrap()]);
}

#[test]
fn nobody_of_a_name_is_told_alike_everywhere() {
    let folder = &Dir::new();
    told(folder, "run --until 1 --save s -q");
    for command in ["show s Odil", "ask s what Odil", "show s --view trace Odil"] {
        let output = exits(folder, command, 2);
        let said = err(&output);
        assert!(
            said.contains("there is nobody called 'Odil'"),
            "{command}: {said}"
        );
    }
    let known = told(folder, "ask s what 'Odile Marsh'");
    for line in known.lines().filter(|line| line.contains("from the start")) {
        assert!(line.ends_with(" -") || line.contains("From -"), "{known}");
    }
}

#[test]
fn the_improviser_is_well_and_help_helps() {
    let folder = &Dir::new();
    let doctor = told(folder, "doctor improviser");
    has(&doctor, &["improviser", "yes"]);
    // Nothing is sent without a key, so nobody knows.
    let unsent = run(folder, "doctor deepseek --json");
    let unsent: Value = serde_json::from_str(&out(&unsent)).unwrap();
    let unknown = [&unsent["reachable"], &unsent["answers"]];
    assert!(unknown.iter().all(|value| value.is_null()), "{unsent}");
    let unsent = out(&run(folder, "doctor deepseek"));
    has(&unsent, &["answers ?"]);
    let help = told(folder, "--help");
    has(&help, &["130"]);
    for arguments in ["help", "help --help", "help -h"] {
        assert_eq!(told(folder, arguments), help, "{arguments}");
    }
    assert_eq!(
        told(folder, "help resume --help"),
        told(folder, "resume --help")
    );
    let lost = fed(folder, "help nothing", "");
    assert_eq!(lost.status.code(), Some(2));
}

#[test]
fn recall_finds_messages_of_files_and_names_bad_lines() {
    let folder = &Dir::new();
    let corpus = [
        r#"{"id":"a:D1:1","speaker":"Ann","text":"I adopted a dog.","time":"8 May, 2023","session":"a:1"}"#,
        r#"{"id":"a:D2:1","speaker":"Bob","text":"I sold my boat.","time":null,"session":"a:2"}"#,
        "",
        r#"{"id":"b:D1:1","speaker":"Cy","text":"My dog is ill.","session":"b:1"}"#,
        r#"{"id":"b:D2:1","text":"我的船沉了。","session":"b:2"}"#,
    ];
    write(&folder.join("corpus.jsonl"), &corpus.join("\n"));
    let long = "dog ".repeat(10_000);
    let asked = [
        r#"{"id":"a:1","question":"Which dogs?"}"#.to_owned(),
        r#"{"id":7,"question":"What became of the boat?"}"#.to_owned(),
        r#"{"id":"b:2","question":"船怎么了？"}"#.to_owned(),
        r#"{"id":"none","question":""}"#.to_owned(),
        format!(r#"{{"id":"long","question":"{long}"}}"#),
    ];
    write(&folder.join("asked.jsonl"), &asked.join("\n"));
    let command = "recall --corpus corpus.jsonl --questions asked.jsonl";
    let found = records(folder, &format!("{command} --limit 3"));
    let ids: Vec<_> = found.iter().map(|record| &record["ids"]).collect();
    let ids = serde_json::to_value(ids).unwrap();
    let expected =
        serde_json::json!([["a:D1:1"], ["a:D2:1"], ["b:D2:1"], [], ["a:D1:1", "b:D1:1"]]);
    assert_eq!(ids, expected);
    assert!(told(folder, command).starts_with("a:1  a:D1:1\n"));
    for (line, says) in [
        (r#"{"id":"x"}"#, "`text` is missing"),
        ("nonsense", "not a valid record"),
        (r#"{"id":[],"text":"x"}"#, "`id` must be"),
    ] {
        let lines = format!("{}\n{line}", corpus[0]);
        write(&folder.join("corpus.jsonl"), &lines);
        let output = exits(folder, command, 1);
        let said = err(&output);
        has(&said, &[says, "corpus.jsonl:2"]);
    }
}

#[test]
fn a_character_recalls_what_it_witnessed() {
    let folder = &Dir::new();
    told(folder, "run --until 14 --seed 1 --save s -q");
    let recall = |question: &str| {
        records(
            folder,
            &format!("ask s recall 'Odile Marsh' '{question}' --limit 3"),
        )
    };
    let found = recall("Who was in the fight?");
    assert!((1..=3).contains(&found.len()), "{found:?}");
    assert!(
        found.iter().all(|memory| memory["place"].is_string()),
        "{found:?}"
    );
    assert!(recall("").is_empty());
}

#[test]
fn hands_are_shown_while_a_fight_lasts() {
    let folder = &Dir::new();
    told(folder, "run drowned-assize --seed 1 --until 8 --save s");
    let is_held = |entity: &Value| {
        entity["hand"]
            .as_array()
            .is_some_and(|hand| !hand.is_empty())
    };
    let holds_cards = |until: u32| {
        told(folder, &format!("resume s --until {until}"));
        records(folder, "show s").iter().any(is_held)
    };
    assert!(
        (9..20).any(holds_cards),
        "the first fight is on the first day"
    );
    let header = told(folder, "show s")
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    assert!(header.ends_with("hand"), "{header}");
}

#[test]
fn what_was_sent_then_is_shown_listed_and_compared() {
    let folder = &Dir::new();
    let shown = |arguments: &str| told(folder, arguments);
    shown("run --save s --seed 3 --until 3 -q");
    let calls = records(folder, "show s --view calls");
    let of_edda = |call: &&Value| call["agent"] == "Edda Hollis";
    let numbers: Vec<_> = calls
        .iter()
        .filter(of_edda)
        .map(|call| &call["call"])
        .collect();
    assert!(numbers.len() > 1 && numbers[0] == 1, "{numbers:?}");
    let request = &records(folder, "show s 'Edda Hollis' --call 2")[0];
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "system");
    let last = messages.last().unwrap();
    assert_eq!(last["part"], "question");
    // What an entity was asked then is what the journal recorded.
    let traced = records(folder, "show s --view trace");
    let mut traced = traced.iter();
    let asked = traced.find(|call| call["agent"] == "Edda Hollis" && call["call"] == 2);
    assert_eq!(last["content"], asked.unwrap()["asked"]);

    shown("branch s twig --turn 2");
    shown("resume twig --until 3 -q");
    assert!(shown("diff s twig").contains("the same story"));
    shown("run --save other --seed 4 --until 3 -q");
    let differs = shown("diff s other");
    has(&differs, &["Seeds: 3 and 4"]);
    let differences = records(folder, "diff s other");
    let taught = differences.iter().find_map(|record| {
        let events = record["events"].as_object()?;
        let mut facts = record["second"].as_object()?.iter();
        facts.find_map(|(fact, title)| Some((events.get(fact)?, title)))
    });
    let (event, title) = taught.unwrap();
    let title = title.as_str().unwrap();
    let of_event = format!("{title} [{}]", event.as_str().unwrap());
    let line = in_one_line(&differs);
    assert!(line.contains(&of_event), "{of_event}: {differs}");
    assert!(!title.ends_with('.'), "{title}");
    let events = records(folder, "show other --view events");
    assert!(events.iter().any(|known| known["id"] == *event), "{event}");
    let changed = shown("diff s other 'Edda Hollis'");
    has(&changed, &[" added", " unchanged"]);
    // An event is found by words that it alone has; who spoke is not among those not told.
    let why = records(folder, "show s --view events");
    let event = why.iter().find(|event| event["type"] == "speak").unwrap();
    let mut command = playhouse(folder);
    command.args(["ask", "s", "why", event["text"].as_str().unwrap(), "--json"]);
    let told: Value = serde_json::from_str(&out(&command.output().unwrap())).unwrap();
    assert_eq!(told["event"]["id"], event["id"]);
    let not_told = told["not_told"].as_array().unwrap();
    assert!(!not_told.is_empty());
    assert!(
        not_told
            .iter()
            .all(|other| other["name"] != event["speaker"])
    );
}

#[test]
fn what_came_to_mind_and_what_repeats_is_told() {
    let folder = &Dir::new();
    told(folder, "run --seed 1 --save s -q");
    let traced = told(folder, "show s --view trace --json");
    assert!(traced.contains("\"recalled\":[{"), "nothing came to mind");
    assert!(told(folder, "show s --view trace").contains("\nRecalled"));
    let cost = records(folder, "show s --view costs");
    let is_meant = |row: &&Value| row["record"] == "prompts" && row["entity"] == "Odile Marsh";
    let prompts = cost.iter().find(is_meant).unwrap();
    assert!(prompts["repeated_share"].as_f64() > Some(0.3), "{prompts}");
    assert!(prompts["recalled"].as_u64() > Some(0), "{prompts}");
}

#[test]
fn a_question_without_its_object_lists_what_there_is() {
    let folder = &Dir::new();
    told(folder, "run --until 6 --seed 1 --save s -q");
    let facts = records(folder, "ask s who");
    let order = facts.iter().find(|fact| fact["fact"] == "the-order");
    assert!(order.unwrap()["known_by"].as_u64() > Some(0), "{facts:?}");
    has(&told(folder, "ask s who"), &["the-order", "known by"]);
    let knowers = records(folder, "ask s what");
    let jory = knowers
        .iter()
        .find(|knower| knower["name"] == "Jory Teasel");
    assert!(jory.unwrap()["facts"].as_u64() > Some(0), "{knowers:?}");
    has(&told(folder, "ask s what"), &["Odile Marsh"]);
    let unknown = exits(folder, "ask s who xxx", 2);
    has(&err(&unknown), &["the-order"]);
    let unknown = exits(folder, "ask s what xxx", 2);
    has(&err(&unknown), &["Odile Marsh"]);
}
