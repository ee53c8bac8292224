//! Stories as tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Dir, err, exits, has, lacks, out, records, succeed, write};

/// The rows of a table, by the names of its columns.
fn rows(folder: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let path = folder.join(table).with_extension("csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn a_story_is_exported_as_tables_that_are_connected() {
    let folder = &Dir::new();
    succeed(folder, "run --seed 1 --save s -q");
    let told = records(folder, "export s --csv one");
    succeed(folder, "export s --csv again");
    for table in [
        "stories", "events", "audience", "calls", "choices", "votes", "knowledge", "people",
    ] {
        let file = format!("{table}.csv");
        let bytes = fs::read(folder.join("one").join(&file)).unwrap();
        assert!(
            bytes == fs::read(folder.join("again").join(&file)).unwrap(),
            "{table}"
        );
        let rows = rows(&folder.join("one"), table);
        assert_eq!(told[0]["rows"][table], rows.len(), "{table}");
        assert!(!rows.is_empty(), "{table}");
        assert!(
            rows.iter()
                .all(|row| row["seed"] == "1" && row["slot"] == "s"),
            "{table}"
        );
    }
    let one = &folder.join("one");
    let story = rows(one, "stories").remove(0);
    assert_eq!(
        (&*story["world"], &*story["over"]),
        ("drowned-assize", "true")
    );
    assert!(!story["ending"].is_empty() && story["fingerprint"].len() > 20);
    assert_eq!(story["model"], "improviser");
    // What the records of events say is what the tables say of them.
    let replayed = records(folder, "replay s");
    let told = replayed.iter().filter(|record| record["record"] == "event");
    let told: BTreeMap<_, _> = told.map(|event| (event["id"].as_str(), event)).collect();
    let (events, audience) = (rows(one, "events"), rows(one, "audience"));
    assert_eq!(events.len(), told.len());
    for event in &events {
        let record = told[&Some(&*event["id"])];
        assert_eq!(record["turn"].to_string(), event["turn"], "{record}");
        let heard = audience.iter().filter(|row| row["event"] == event["event"]);
        let heard: Vec<_> = heard.map(|row| &*row["who"]).collect();
        let told = record["audience"].as_array().unwrap().iter();
        let told: Vec<_> = told.map(|who| who["name"].as_str().unwrap()).collect();
        assert_eq!(heard, told, "{record}");
    }
    let calls = rows(one, "calls");
    let asked = records(folder, "show s --view calls");
    assert_eq!(calls.len(), asked.len());
    assert!(events.iter().any(|event| {
        let told = calls.iter().find(|call| call["call"] == event["call"]);
        told.is_some_and(|call| call["who"] == event["who"])
    }));
}

#[test]
fn a_batch_and_an_experiment_are_exported_with_their_conditions() {
    let folder = &Dir::new();
    succeed(
        folder,
        "undercover --players 4 --games 2 --seed 7 --save t -q",
    );
    succeed(folder, "export t --csv games");
    let stories = rows(&folder.join("games"), "stories");
    let keys: Vec<_> = stories
        .iter()
        .map(|row| (&*row["seed"], &*row["slot"]))
        .collect();
    assert_eq!(keys, [("7", "00001"), ("8", "00002")]);
    assert!(
        ["civilian", "undercover"].contains(&&*stories[0]["ending"]),
        "{stories:?}"
    );
    let votes = rows(&folder.join("games"), "votes");
    assert!(
        votes
            .iter()
            .all(|vote| vote["condition"].is_empty() && vote["day"] != "0")
    );
    assert!(votes.len() > 6);
    succeed(folder, "new mill");
    let text = "(world: \"mill\", runs: 2, conditions: [(name: \"b\"), (name: \"a\")])";
    write(&folder.join("x.ron"), text);
    succeed(folder, "experiment run x.ron -q");
    succeed(folder, "export x --csv data");
    let stories = rows(&folder.join("data"), "stories");
    let conditions: Vec<_> = stories.iter().map(|row| &*row["condition"]).collect();
    assert_eq!(conditions, ["b", "b", "a", "a"]);
    let refused = exits(folder, "export nothing --csv data", 4);
    has(&err(&refused), &["nothing"]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_have_the_rows_and_types_of_the_tables() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let folder = &Dir::new();
    succeed(folder, "run --seed 1 --until 6 --save s -q");
    succeed(folder, "export s --csv data --parquet data");
    let data = &folder.join("data");
    for table in [
        "stories", "events", "audience", "calls", "knowledge", "people",
    ] {
        let file = fs::File::open(data.join(table).with_extension("parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let read: Vec<_> = reader
            .get_row_iter(None)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let written = rows(data, table);
        assert_eq!(read.len(), written.len(), "{table}");
        for (read, written) in read.iter().zip(&written) {
            for (column, value) in read.get_column_iter() {
                let text = match value {
                    parquet::record::Field::Null => String::new(),
                    parquet::record::Field::Str(text) => text.clone(),
                    parquet::record::Field::Double(number) => number.to_string(),
                    other => other.to_string(),
                };
                assert_eq!(text, written[column], "{table}: {column}");
            }
        }
    }
}

/// The JSON values of a file, one per line.
fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_chat_has_what_its_character_saw_and_is_read_again() {
    let folder = &Dir::new();
    succeed(folder, "run --seed 1 --save s -q");
    let told = records(folder, "export s --to sillytavern --dir out");
    let files: BTreeMap<_, _> = told
        .iter()
        .map(|file| {
            (
                file["name"].as_str().unwrap(),
                file["file"].as_str().unwrap(),
            )
        })
        .collect();
    let jory = lines_of(&folder.join(files["Jory Teasel"]));
    assert_eq!(jory[0]["character_name"], "Jory Teasel");
    let own = jory.iter().filter(|line| line["name"] == "Jory Teasel");
    assert!(own.count() > 0);
    let said: Vec<_> = jory
        .iter()
        .filter_map(|line| line["mes"].as_str())
        .collect();
    // What was said where he was not is not in it.
    succeed(folder, "export s --csv tables -q");
    let tables = &folder.join("tables");
    let (events, audience) = (rows(tables, "events"), rows(tables, "audience"));
    let (heard, elsewhere): (Vec<_>, Vec<_>) = events.iter().partition(|event| {
        let mut learned = audience.iter().filter(|row| row["event"] == event["event"]);
        event["who"] == "Jory Teasel" || learned.any(|row| row["who"] == "Jory Teasel")
    });
    let heard: Vec<_> = heard.iter().map(|event| &*event["words"]).collect();
    let elsewhere = elsewhere.iter().map(|event| &*event["words"]);
    let elsewhere: Vec<_> = elsewhere.filter(|words| !heard.contains(words)).collect();
    assert!(!elsewhere.is_empty());
    assert!(elsewhere.iter().all(|words| !said.contains(words)));
    let converted = out(&succeed(
        folder,
        &format!("convert {} --to openai-jsonl", files["Jory Teasel"]),
    ));
    let line: Value = serde_json::from_str(converted.trim()).unwrap();
    assert_eq!(line["messages"].as_array().unwrap().len(), jory.len() - 1);
}

#[test]
fn examples_leave_out_what_nobody_should_learn() {
    let folder = &Dir::new();
    succeed(folder, "run --seed 1 --save s -q");
    let all = records(folder, "export s --to openai --dir all");
    let summary = all.last().unwrap();
    let examples = summary["examples"].as_u64().unwrap();
    let written: u64 = all.iter().filter_map(|file| file["lines"].as_u64()).sum();
    assert_eq!(
        (summary["record"].as_str(), written),
        (Some("examples"), examples)
    );
    for line in lines_of(&folder.join("all/Jory%20Teasel.jsonl")) {
        let messages = line["messages"].as_array().unwrap();
        assert_eq!(messages[0]["role"], "system");
        let last = messages.last().unwrap();
        assert_eq!(last["role"], "assistant");
        assert!(!last["content"].as_str().unwrap().is_empty());
    }
    // The same are held out every time, by their seed.
    let held_out = |folder_name: &str, seed: u32| {
        let line = format!(
            "export s --to sharegpt --dir {folder_name} --held-out 30% --split-seed {seed} -q"
        );
        succeed(folder, &line);
        let mut found = Vec::new();
        for entry in fs::read_dir(folder.join(folder_name)).unwrap() {
            let path = entry.unwrap().path();
            if path.display().to_string().ends_with(".held-out.jsonl") {
                found.extend(lines_of(&path));
            }
        }
        found.sort_by_key(Value::to_string);
        found
    };
    let (one, again, other) = (held_out("a", 1), held_out("b", 1), held_out("c", 2));
    assert!(one == again && one != other);
    let share = one.len() as f64 / examples as f64;
    assert!((0.15..0.45).contains(&share), "{share}");
    let short = records(folder, "export s --to openai --dir long --min-length 200");
    let short = short.last().unwrap();
    assert!(short["left_out"]["short"].as_u64().unwrap() > 0);
    exits(folder, "export s --to openai --dir x --held-out 101", 2);
    exits(folder, "export s --to openai", 2);
    let unknown = exits(folder, "export s --to card --dir x --actor Nobody", 2);
    has(&err(&unknown), &["Nobody"]);
}

#[test]
fn a_character_is_taken_home_as_a_card_with_its_memories() {
    let folder = &Dir::new();
    succeed(folder, "run --seed 1 --save s -q");
    succeed(folder, "export s --to card --dir out -q");
    let card = &lines_of(&folder.join("out/Odile%20Marsh.json"))[0];
    assert_eq!(
        (&card["spec"], &card["data"]["name"]),
        (&json!("chara_card_v3"), &json!("Odile Marsh"))
    );
    let data = &card["data"];
    for member in ["description", "personality", "first_mes", "mes_example"] {
        assert!(
            data[member].as_str().is_some_and(|text| !text.is_empty()),
            "{member}"
        );
    }
    // What only this program's questions need stays behind, of foes who never spoke, too.
    for entry in fs::read_dir(folder.join("out")).unwrap() {
        let card = &lines_of(&entry.unwrap().path())[0];
        let description = card["data"]["description"].as_str().unwrap();
        lacks(description, &["# You are", "What others see", "query"]);
    }
    let saved = &records(folder, "saves")[0];
    assert_eq!(
        data["extensions"]["playhouse"]["turn"],
        saved["head"]["turn"]
    );
    let book = data["character_book"]["entries"].as_array().unwrap();
    let told = records(folder, "show s");
    let odile = told
        .iter()
        .find(|entity| entity["name"] == "Odile Marsh")
        .unwrap();
    assert!(book.len() as u64 > odile["chapters"].as_u64().unwrap());
    assert!(
        book.iter()
            .all(|entry| entry["content"].is_string() && entry["keys"].is_array())
    );
}

#[test]
fn a_story_is_a_log_whose_references_lead_somewhere() {
    let folder = &Dir::new();
    succeed(folder, "run --seed 1 --save s -q --until 2");
    succeed(folder, "export s --to concordia --dir out -q");
    let log: Value = serde_json::from_slice(&fs::read(folder.join("out/s.json")).unwrap()).unwrap();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries[0]["step"], 1);
    let actors: Vec<_> = log["entity_memories"].as_object().unwrap().keys().collect();
    assert!(entries.iter().any(|entry| entry["entry_type"] == "entity"));
    assert!(entries.iter().any(|entry| entry["entry_type"] == "step"));
    assert!(actors.len() > 2 && !log["game_master_memories"].as_array().unwrap().is_empty());
    fn check(value: &Value, store: &Value) {
        match value {
            Value::Object(map) => match map.get("_ref") {
                Some(id) => assert!(store[id.as_str().unwrap()].is_string(), "{id}"),
                None => map.values().for_each(|value| check(value, store)),
            },
            Value::Array(items) => items.iter().for_each(|item| check(item, store)),
            _ => {}
        }
    }
    entries
        .iter()
        .for_each(|entry| check(&entry["deduplicated_data"], &log["content_store"]));
}

#[test]
fn nothing_is_left_of_an_export_that_fails() {
    let folder = &Dir::new();
    succeed(
        folder,
        "run take-the-biscuit --seed 1 --until 1 --save s -q",
    );
    write(&folder.join("saves/s/journal.jsonl"), "{]");
    for form in ["sillytavern", "openai", "sharegpt", "card", "concordia"] {
        let told = err(&exits(
            folder,
            &format!("export s --to {form} --dir out"),
            4,
        ));
        has(&told, &["--repair s"]);
    }
    exits(folder, "export s --csv out", 4);
    assert!(!folder.join("out").exists());
}
