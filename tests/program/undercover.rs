//! Who is the undercover, from outside: games, seats, saves, tournaments and what goes wrong.

use std::process::Output;

use serde_json::Value;

use super::model_server::unreachable_model;
use super::{
    Dir, err, exits, fed, has, journal, lacks, out, playhouse, records, records_of, run, spent_on,
    succeed, world, write,
};

#[test]
fn a_game_is_shown_and_its_slot_does_what_every_slot_does() {
    for (lang, marks, ends) in [
        (
            "en",
            [
                "The Round Table: ",
                "── Round 1 ──",
                "voter",
                "received",
                "role",
            ],
            ["The civilians win", "undercover win"],
        ),
        (
            "zh",
            ["在座：", "── 第 1 轮 ──", "投票人", "得票", "身份"],
            ["平民获胜", "卧底获胜"],
        ),
    ] {
        let folder = &Dir::new();
        let go = |arguments: &str| succeed(folder, &format!("{arguments} --lang {lang}"));
        let whole = go("undercover --players 5 --seed 4 --save whole");
        let shown = out(&whole);
        has(&shown, &marks);
        assert!(ends.iter().any(|end| shown.contains(end)), "{shown}");
        has(&err(&whole), &["whole"]);
        go("undercover --players 5 --seed 4 --save parts --until 2 -q");
        go("resume parts -q");
        assert!(world(folder, "whole") == world(folder, "parts"));
        let replayed = out(&go("replay whole"));
        let from_round = |text: &str| text.split_once("──").unwrap().1.to_owned();
        assert_eq!(from_round(&replayed), from_round(&shown));
        go("branch whole twig --turn 3");
        go("resume twig -q");
        assert!(world(folder, "whole") == world(folder, "twig"));
        let listed = out(&go("saves"));
        assert_eq!(listed.matches("undercover").count(), 3, "{listed}");
        let shown = out(&go("show whole --json"));
        assert_eq!(shown.lines().count(), 6);
        let costs = out(&go("show whole --view costs --json"));
        let votes = spent_on("undercover.vote", &costs);
        assert!(votes["calls"].as_u64().unwrap() > 4);
        lacks(&replayed, &[" ["]);
        let with_ids = out(&go("replay whole --ids"));
        assert!(with_ids.matches(" [").count() > 10, "{with_ids}");
        has(&out(&go("show whole --view trace")), &[">>> "]);
        let again = go("resume whole");
        has(&err(&again), &["whole"]);
    }
}

#[test]
fn why_names_who_learnt_what_and_a_rehearsal_shows_the_next_prompt_and_asks_nobody() {
    let folder = &Dir::new();
    let command = "undercover --players 4 --until 1 --save game --json";
    let played = records_of(&succeed(folder, command));
    let why = |kind: &str| -> Value {
        let event = played.iter().find(|record| record["type"] == kind).unwrap();
        let id = event["id"].as_str().unwrap();
        let why = out(&succeed(folder, &format!("ask game why {id} --json")));
        serde_json::from_str(&why).unwrap()
    };
    let card = why("undercover_deal");
    assert_eq!(card["told"], serde_json::json!(["Agatha"]), "{card:#}");
    assert_eq!(card["not_told"].as_array().unwrap().len(), 4, "{card:#}");
    let line = why("undercover_description");
    let told = line["told"].as_array().unwrap();
    assert!(told.len() >= 4, "all others and the table: {line:#}");

    for arguments in ["undercover --players 4 --dry-run", "resume game --dry-run"] {
        let mut unsent = records(folder, arguments);
        let total = unsent.pop().unwrap();
        assert_eq!(total["record"], "total");
        assert!(!unsent.is_empty(), "{arguments}");
        for prompt in &unsent {
            let purpose = prompt["purpose"].as_str().unwrap();
            assert!(purpose.starts_with("undercover."), "{prompt:#}");
            let messages = prompt["messages"].as_array().unwrap().iter();
            let said = messages.map(|said| said["content"].as_str().unwrap());
            let cards = said.filter(|said| said.contains("your word is"));
            assert_eq!(cards.count(), 1, "{prompt:#}");
        }
    }
    let slots = std::fs::read_dir(folder.join("saves")).unwrap().count();
    assert_eq!(slots, 1, "a rehearsal begins no game");
}

#[test]
fn a_person_at_the_table_sees_one_seat_and_nothing_else() {
    let folder = &Dir::new();
    let arguments = "undercover --players 4 --words violin,cello --order by-number --seat Bruno --until 2 --lang en";
    // A line; then whom to vote out by name, after two mistakes, and nothing about oneself.
    let typed = "One holds it close.\nsomebody\n2\nclemence\n\n";
    let output = fed(folder, arguments, typed);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let seen = out(&output);
    assert_eq!(seen.matches("gets the word").count(), 1, "{seen}");
    let mut words = ["violin", "cello"];
    words.sort_by_key(|word| !seen.contains(&format!("Bruno gets the word “{word}”")));
    has(&seen, &[&format!("Bruno gets the word “{}”", words[0])]);
    lacks(&seen, &[words[1]]);
    let parts = [
        "2 Bruno: One holds it close.",
        "Type a number (1, 3,",
        "3 Clemence",
        "received",
    ];
    has(&seen, &parts);
    // What others spent says nothing here either.
    lacks(&err(&output), &["Agatha"]);
    let journal = journal(folder, "undercover");
    has(&journal, &["vote_number\\\":3"]);
}

#[test]
fn what_makes_no_game_is_refused_before_it_starts() {
    let folder = &Dir::new();
    let broken = r#"(pairs: [(one: (word: ""), other: (wort: "b"))])"#;
    write(&folder.join("broken.ron"), broken);
    write(&folder.join("empty.ron"), "(pairs: [])");
    for (arguments, code, english, chinese) in [
        ("--players 2", 2, "at least 3", "至少"),
        ("--players 99", 2, "only 20 names for 99 players", "99"),
        ("--undercover 0", 2, "nobody is undercover", "卧底"),
        ("--undercover 3", 2, "civilians are left", "平民"),
        ("--blank 5", 2, "civilians are left", "平民"),
        ("--max-rounds 0", 2, "at least 1 round", "至少要有 1 轮"),
        ("--words pear,Pear", 2, "are the same", "相同"),
        ("--words pear", 2, "neither a word file", "既不是词表文件"),
        ("--words pear,…", 2, "no letters", "没有文字"),
        ("--words broken.ron", 3, "broken.ron:1:", "broken.ron:1:"),
        ("--words empty.ron", 3, "no pairs of words", "没有"),
        ("--seat Nobody", 2, "expected one of", "可选"),
        (
            "--model-of Nobody=improviser",
            2,
            "no player is called",
            "Nobody",
        ),
        ("--model nosuch", 5, "nosuch", "nosuch"),
        ("--model-of Agatha=nosuch", 5, "nosuch", ""),
        ("--from nothing", 4, "nothing", "nothing"),
        ("--save ../x", 2, "../x", "../x"),
    ] {
        for (lang, says) in [("en", english), ("zh", chinese)] {
            if says.is_empty() {
                continue;
            }
            let line = format!("undercover {arguments} --lang {lang} --width 1000");
            let output = run(folder, &line);
            let told = err(&output);
            assert_eq!(output.status.code(), Some(code), "{line}: {told}");
            has(&told, &[says]);
            lacks(&told, &["panicked"]);
        }
    }
    assert!(!folder.join("saves").exists(), "nothing was begun");
}

#[test]
fn a_word_file_is_played_and_kept_in_the_slot() {
    let folder = &Dir::new();
    let words = r#"(pairs: [(
        shared: ["is held in the hands", "has pages of a kind", "is opened"],
        one: (word: "codex", own: ["is bound"]), other: (word: "scroll", own: ["is rolled"]),
    )])"#;
    write(&folder.join("mine.ron"), words);
    let game = "undercover --words mine.ron --players 4 --save";
    let shown = out(&succeed(folder, &format!("{game} whole")));
    has(&shown, &["codex"]);
    let said = ["held in the hands", "pages of a kind", "is opened"];
    let is_told = |seed: u32| {
        let other = format!("undercover --words mine.ron --players 4 --seed {seed} --save s{seed}");
        let shown = out(&succeed(folder, &other));
        said.iter().any(|said| shown.contains(said))
    };
    assert!((1..=5).any(is_told), "what a word is like is told");
    succeed(folder, &format!("{game} parts --until 2 -q"));
    std::fs::remove_file(folder.join("mine.ron")).unwrap();
    succeed(folder, "resume parts -q");
    assert!(world(folder, "whole") == world(folder, "parts"));
}

/// The figures of games without the names of their slots' folders, and of all of them together.
fn figures(output: &Output) -> (Vec<Value>, Value) {
    let mut records = records_of(output);
    records.retain(|record| record["record"] != "start");
    let mut tournament = records.pop().unwrap();
    assert_eq!(tournament["record"], "tournament");
    // They come as they end.
    records.sort_by_key(|game| game["seed"].as_u64());
    for record in records.iter_mut().chain([&mut tournament]) {
        for member in [
            "world", "fingerprint", "condition", "engine", "model", "models",
        ] {
            record[member] = Value::Null;
        }
    }
    for member in ["slot", "seed"] {
        tournament[member] = Value::Null;
    }
    (records, tournament)
}

#[test]
fn a_tournament_is_the_same_however_many_games_are_played_at_a_time() {
    let folder = &Dir::new();
    let play = |more: &str| succeed(folder, &format!("undercover --players 4 {more}"));
    let single = figures(&play("--games 5 --seed 5 --save one --jobs 1 --json"));
    let many = figures(&play("--games 5 --seed 5 --save many --jobs 3 --json"));
    assert!(single == many, "{:#}\n{:#}", single.1, many.1);
    let (games, tournament) = single.clone();
    assert_eq!((games.len(), &tournament["games"]), (5, &5.into()));
    let share = &tournament["civilians_won"];
    assert!(share["low"].as_f64() <= share["share"].as_f64(), "{share}");
    assert!(share["high"].as_f64() >= share["share"].as_f64(), "{share}");
    assert_eq!(tournament["by_model"]["improviser"]["seats"], 20);
    let calls = tournament["calls"]["mean"].as_f64();
    assert!(calls >= Some(8.0), "{tournament}");
    // The journals alone tell the same again, by the tournament's name or by its folder.
    for from in ["one", "saves/one", "saves/one/games"] {
        let again = run(folder, &format!("undercover --from {from} --json"));
        assert!(figures(&again) == single, "{from}: {}", err(&again));
    }
    // So does each game that is played alone with its seed.
    play("--seed 7 --save alone -q");
    let alone = figures(&run(folder, "undercover --from alone --json"));
    let mut third = games[2].clone();
    third["slot"] = "alone".into();
    assert_eq!(alone.0, [third]);
    let listed = out(&run(folder, "saves"));
    has(&listed, &["batch, 5 games"]);
    let saves = records(folder, "saves");
    let bytes = saves.iter().map(|save| save["bytes"].as_u64().unwrap());
    assert!(bytes.min() > Some(1000), "its games take space: {saves:#?}");
    let table = out(&play("--games 2 --save table"));
    has(&table, &["civilians win", "95% interval", "improviser"]);
    let chinese = "undercover --from table --lang zh --width 300";
    let table = out(&run(folder, chinese));
    has(&table, &["平民获胜", "95% 区间", "投中卧底的票"]);
}

#[test]
fn a_tournament_that_a_cap_stops_goes_on_where_it_was() {
    let folder = &Dir::new();
    let play = |more: &str| run(folder, &format!("undercover --players 4 --games 4 {more}"));
    let whole = figures(&play("--save whole --json"));
    let stopped = play("--save parts --max-calls 25 --jobs 2");
    assert_eq!(stopped.status.code(), Some(6), "{}", err(&stopped));
    has(&err(&stopped), &["playhouse resume parts"]);
    let counted = figures(&run(folder, "undercover --from parts --json"));
    let games = counted.0.iter();
    let players = games.flat_map(|game| game["players"].as_array().unwrap());
    let calls = players.map(|player| player["spent"]["calls"].as_u64().unwrap());
    let spent: u64 = calls.sum();
    assert!(spent <= 25, "{spent} calls");
    succeed(folder, "resume parts -q --max-calls 10000");
    let parts = figures(&run(folder, "undercover --from parts --json"));
    assert!(parts == whole, "{:#}\n{:#}", parts.1, whole.1);
    exits(folder, "resume parts --seat Agatha", 2);
}

#[test]
fn a_server_that_is_down_stops_the_game_or_the_rules_play_on() {
    let folder = &Dir::new();
    unreachable_model(folder);
    let play = |more: &str| {
        let line = "undercover --players 4 --max-rounds 1 --models models.ron --model m";
        run(folder, &format!("{line} {more}"))
    };
    let stopped = play("--save stopped");
    assert_eq!(stopped.status.code(), Some(5), "{}", err(&stopped));
    let on = play("--save on --on-server-error fall-back");
    assert_eq!(on.status.code(), Some(0), "{}", err(&on));
    let shown = out(&on);
    assert_eq!(shown.matches("abstains").count(), 4, "{shown}");
    has(&shown, &["still hidden"]);
    has(&shown, &[" °"]);
}

#[test]
fn nothing_that_is_advised_about_a_tournament_destroys_its_games() {
    let folder = &Dir::new();
    succeed(folder, "undercover --players 3 --games 3 --save t -q");
    let games = folder.join("saves/t/games");
    for command in [
        "show t",
        "show t --view trace",
        "show t --view events",
        "replay t",
        "ask t who x",
        "ask t what x",
        "branch t u --turn 1",
    ] {
        let output = exits(folder, command, 2);
        let said = err(&output);
        has(&said, &["is a batch", "show 00001 --saves"]);
        lacks(&said, &["--force", "delete"]);
    }
    for command in [
        "undercover --players 3 --save t --force",
        "undercover --players 3 --games 2 --save t --force",
        "run --save t --force --until 1",
        "chat en/assistant --task hi --save t --force",
    ] {
        let output = exits(folder, command, 2);
        has(&err(&output), &["3 stories"]);
        let left = std::fs::read_dir(&games).unwrap().count();
        assert_eq!(left, 3, "{command}");
    }
    let costs = out(&succeed(folder, "show t --view costs --json"));
    let votes = spent_on("undercover.vote", &costs);
    assert!(votes["calls"].as_u64().unwrap() >= 9);
    // A single story goes as it was asked for.
    for force in ["", " --force"] {
        let command = format!("undercover --players 3 --save one{force} --until 1 -q");
        succeed(folder, &command);
    }
}

#[test]
fn words_and_roles_differ_from_game_to_game_unless_a_seed_is_given() {
    let folder = &Dir::new();
    let drawn = |more: &str| {
        let mut command = playhouse(folder);
        command.env_remove("PLAYHOUSE_SEED");
        let line = format!("undercover --players 4 --until 1 --json {more}");
        let output = command.args(line.split_whitespace()).output().unwrap();
        let records = records_of(&output);
        assert_eq!(records[0]["record"], "start");
        let cards = records.iter();
        let cards = cards.filter(|record| record["type"] == "undercover_deal");
        let cards: Vec<_> = cards.map(|card| card["text"].clone()).collect();
        assert_eq!(cards.len(), 4);
        (records[0]["seed"].as_u64().unwrap(), cards)
    };
    let games: Vec<_> = (0..4).map(|_| drawn("")).collect();
    let seeds: std::collections::BTreeSet<_> = games.iter().map(|game| game.0).collect();
    assert!(seeds.len() > 2, "{seeds:?}");
    assert!(games.iter().any(|game| game.1 != games[0].1));
    assert_eq!(drawn(&format!("--seed {}", games[0].0)), games[0]);
}
