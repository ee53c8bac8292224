//! Stories as tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::chinese::write;
use super::{Dir, err, exits, has, records_of, succeed};

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
    let told = records_of(&succeed(folder, "export s --csv one --json"));
    succeed(folder, "export s --csv again");
    for table in [
        "stories",
        "events",
        "audience",
        "calls",
        "choices",
        "votes",
        "knowledge",
        "people",
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
    let replayed = records_of(&succeed(folder, "replay s --json"));
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
    let asked = records_of(&succeed(folder, "show s --view calls --json"));
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
        "stories",
        "events",
        "audience",
        "calls",
        "knowledge",
        "people",
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
