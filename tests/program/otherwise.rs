//! What commands say of a story, compared with what its files hold, read by other means.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::model_server::{Reply, fitting, schema_of, serve_model};
use super::served::Served;
use super::{Dir, exits, has, out, records, run, succeed};

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Which character learned which fact, by the log of events, and from whom.
fn learned(folder: &Dir) -> BTreeMap<(String, String), String> {
    let log = fs::read_to_string(folder.join("saves/s/events.jsonl")).unwrap();
    let (mut names, mut learned) = (BTreeMap::new(), BTreeMap::new());
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(name) = line.get("name") {
            names.insert(name[0].to_string(), text(&name[1]));
        }
        let Some(event) = line.get("event") else {
            continue;
        };
        let (record, audience) = (&event[0], &event[1]);
        for who in audience.as_array().unwrap() {
            let who = names[&who.to_string()].clone();
            let data = &record["data"];
            if record["type"] == "learned" {
                learned.insert((who, text(&data["fact"])), text(&data["from"]));
            }
        }
    }
    let places = records(folder, "show s").into_iter();
    let places = places.filter(|being| being["kind"] == "stage");
    let places: BTreeSet<_> = places.map(|being| text(&being["name"])).collect();
    learned.retain(|(who, _), _| !places.contains(who));
    learned
}

/// A whole campaign, of which one plays a foe that leaves the story.
fn campaign(world: &str) -> Dir {
    let folder = Dir::new();
    succeed(&folder, &format!("run {world} --seed 101 --save s -q"));
    folder
}

#[test]
fn who_knows_what_is_what_the_log_of_events_taught() {
    for world in ["drowned-assize", "zhaoying-ban"] {
        let folder = campaign(world);
        let learned = learned(&folder);
        let facts: BTreeSet<_> = learned.keys().map(|(_, fact)| fact).collect();
        let mut known = BTreeSet::new();
        for fact in facts {
            for row in records(&folder, &format!("ask s who {fact}")) {
                let key = (text(&row["name"]), fact.clone());
                let is_taught = row["event"].as_str().is_some_and(|event| !event.is_empty());
                assert_eq!(is_taught, learned.contains_key(&key), "{world}: {row}");
                known.insert(key);
            }
        }
        for ((who, fact), from) in &learned {
            let holds = |who: &String| known.contains(&(who.clone(), fact.clone()));
            assert!(holds(who), "{world}: {who} learned {fact}");
            assert!(
                from.is_empty() || holds(from),
                "{world}: {who} has {fact} from {from}"
            );
        }
    }
}

#[test]
fn whoever_left_the_story_is_still_somebody() {
    let folder = campaign("drowned-assize");
    let everybody = records(&folder, "show s");
    let gone: Vec<_> = everybody
        .iter()
        .filter(|who| who["gone"].is_string())
        .collect();
    assert!(!gone.is_empty());
    has(&out(&succeed(&folder, "show s --lang en")), &["actor · f"]);
    for who in gone {
        let name = &*text(&who["name"]);
        assert!(who["messages"].as_u64() > Some(1), "{who}");
        for command in [
            "show s @",
            "show s @ --view chapters",
            "ask s what @",
            "ask s recall @ 'Who came?'",
        ] {
            succeed(&folder, &command.replace('@', &format!("'{name}'")));
        }
    }
    // The terminal, the journal and the page have the same sums.
    let costs = records(&folder, "show s --view costs");
    let by_entity = costs.iter().filter(|row| row["entity"].is_string());
    let calls: u64 = by_entity.filter_map(|row| row["calls"].as_u64()).sum();
    let timeline = records(&folder, "show s --view calls");
    let requests = timeline.iter().filter_map(|call| call["requests"].as_u64());
    assert_eq!(requests.sum::<u64>(), calls);
    let page = Served::start(&folder, "s");
    let story = page.api("s/story");
    assert_eq!(story["spent"]["calls"], json!(calls));
    let number = story["events"].as_u64().unwrap() - 1;
    let event = page.api(&format!("s/event/{number}"));
    let why = &records(&folder, &format!("ask s why #{number}"))[0];
    assert_eq!(why["event"]["id"], event["id"]);
    let people = page.api("s/people");
    let listed = people.as_array().unwrap();
    assert!(
        listed.iter().any(|person| person["gone"].is_string()),
        "{people}"
    );
    for person in listed {
        page.api(&format!("s/person/{}", person["id"]));
    }
}

/// A folder with a world and a model `m`, whose server refuses to answer as asked at every third
/// request; and the requests that it got.
fn careless() -> (Dir, Arc<Mutex<Vec<String>>>) {
    let folder = Dir::new();
    succeed(&folder, "new mill");
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let got = asked.clone();
    serve_model(&folder, move |request| {
        let mut got = got.lock().unwrap();
        got.push(request.to_string());
        let Some(schema) = schema_of(request) else {
            return Reply::at_once("It rains on the mill.");
        };
        if got.len() % 3 == 1 {
            return Reply::at_once("{}");
        }
        let mut text = || "I wait and listen to the water.".to_owned();
        Reply::at_once(fitting(&schema, &["wait", "speak", "cards"], &mut text).to_string())
    });
    (folder, asked)
}

#[test]
fn answers_that_were_refused_are_paid_once_and_kept_by_a_stop() {
    let (folder, asked) = careless();
    let model = "--models models.ron --model m";
    exits(
        &folder,
        &format!("run mill {model} --seed 1 --save s --max-calls 7 -q"),
        6,
    );
    for more in [8, 9, 10] {
        exits(
            &folder,
            &format!("resume s {model} --max-calls {more} -q"),
            6,
        );
    }
    let mut asked = asked.lock().unwrap().clone();
    let costs = records(&folder, "show s --view costs");
    let by_entity = costs.iter().filter(|row| row["entity"].is_string());
    let calls: u64 = by_entity.filter_map(|row| row["calls"].as_u64()).sum();
    assert_eq!(calls, asked.len() as u64);
    let count = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), count, "the same was asked twice");
}

#[test]
fn every_request_is_shown_as_it_was_sent() {
    let (folder, asked) = careless();
    succeed(
        &folder,
        "run mill --models models.ron --model m --seed 1 --save s --until 2 -q",
    );
    let mut shown = Vec::new();
    for call in records(&folder, "show s --view calls") {
        let (who, number) = (text(&call["agent"]), call["call"].to_string());
        for attempt in 1..=call["requests"].as_u64().unwrap() {
            let show = format!("show s '{who}' --view request --call {number}");
            let command = format!("{show} --attempt {attempt} --models models.ron -q");
            let printed = run(&folder, &command);
            let sent: Value = serde_json::from_slice(&printed.stdout).unwrap();
            shown.push(sent.to_string());
        }
    }
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    shown.sort();
    assert!(!shown.is_empty() && shown == asked);
}
