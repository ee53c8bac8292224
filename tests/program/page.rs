//! The page over real connections: what is served, to whom, and what is refused.

#![expect(
    clippy::disallowed_methods,
    reason = "tests write the files that they are about"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::model_server::{Reply, serve_model};
use super::served::{Answer, Served, any_answer, await_some, can, each, one};
use super::{Dir, exits, has, journal, lacks, playhouse, run, succeed, write};

#[test]
fn a_story_is_served_as_it_was_told() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save told --until 6");
    let story = page.wait_for("told", "stopped");
    assert_eq!(story["view"], json!({"host": true}));
    assert_eq!(story["turn"], 6);

    let first = page.get("/story/told");
    assert_eq!(first.status, 200);
    assert!(first.body.contains("The Drowned Assize"), "no title");
    let events = &page.list("told/events?told=1", "events");
    let mut said = events.iter().filter(|event| event["form"] == "speech");
    let said = said.next().unwrap()["said"].as_str().unwrap();
    has(
        &first.body,
        &said
            .split(['\'', '"', '<', '&'])
            .take(1)
            .collect::<Vec<_>>(),
    );

    let count = story["events"].as_u64().unwrap();
    let part = page.api("told/events?from=3&to=5");
    assert_eq!(part["events"].as_array().unwrap().len(), 2);
    assert_eq!(part["events"][0]["number"], 3);
    assert_eq!(part["total"].as_u64().unwrap(), count);
    let people = page.api("told/people");
    let id = &one(&people, "kind", "actor")["id"];
    let learned = &page.list(&format!("told/events?who={id}"), "events");
    assert!(!learned.is_empty());
    let reached =
        |event: &Value| event["speaker"] == *id || each(&event["who"]).any(|who| who == id);
    assert!(learned.iter().all(reached));
    let context = page.api(&format!("told/context/{id}"));
    assert_eq!(context["parts"][0]["part"], "rules");
    // What the last request held is the beginning of the next, whatever was heard since.
    let is_cached = |person: &Value| {
        let context = page.api(&format!("told/context/{}", person["id"]));
        let (cached, tokens) = (context["cached"].as_u64(), context["tokens"].as_u64());
        cached > Some(0) && cached <= tokens
    };
    let mut asked = each(&people).filter(|person| person["calls"].as_u64() > Some(1));
    assert!(asked.all(is_cached));
    let call = page.api("told/call/0");
    assert_eq!(call["state"], "done");
    assert_eq!(call["request_is"], "none", "{call}");
    let asked = call["asked"].as_str().unwrap();
    assert!(!asked.is_empty());
    has(call["request"].as_str().unwrap(), &[asked]);
    // What changed since the last request of the same mind names the events that it learned since.
    let calls = page.list("told/calls", "calls");
    let call = calls.iter().rev().find_map(|call| {
        let call = page.api(&format!("told/call/{}", call["call"]));
        let mut rows = call["diff"].as_array()?.iter();
        let learned = rows.any(|row| row["op"] == "+" && row["number"].is_u64());
        learned.then_some(call)
    });
    let call = call.expect("some call was made of what was learned since");
    let why = |row: &Value| row["op"] != "-" || row["why"].is_string();
    assert!(each(&call["diff"]).all(why), "{call}");
    assert!(each(&call["messages"]).all(|message| message["text"].is_string()));
    let of_two = page.list("told/events?turn=2-3&told=1", "events");
    let turns: BTreeSet<_> = of_two.iter().map(|event| event["turn"].as_u64()).collect();
    assert_eq!(turns, [Some(2), Some(3)].into());
    assert_eq!(page.get("/api/told/events?turn=soon").status, 400);
    for list in [
        "audience", "calls", "turns", "headings", "places", "facts", "items",
    ] {
        page.api(&format!("told/{list}"));
    }
    assert_eq!(page.get("/api/told/nothing").status, 404);
    assert_eq!(page.get("/api/other/story").status, 404);
    let labels = page.api("labels?lang=zh");
    assert!(labels["page_missing"].as_str().unwrap().contains("没有"));

    // Whoever opens the save finds the same.
    drop(page);
    let again = Served::start(folder, "told");
    let story = again.wait_for("told", "paused");
    assert_eq!(story["events"].as_u64().unwrap(), count);
    assert_eq!(again.api("told/events?from=3&to=5"), part);
}

#[test]
fn a_cell_says_its_rule_and_why_others_did_not_learn_it_by_where_they_were() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save cells --until 8");
    page.wait_for("cells", "stopped");
    let audience = page.api("cells/audience?from=0");
    let rows = each(&audience["rows"]);
    assert!(
        rows.clone().all(|row| row["rule"].is_string()),
        "{audience}"
    );
    let at_a_place = |row: &&Value| row["rule"] == "stage" && row["stage"].is_u64();
    let columns = each(&audience["columns"]);
    let mut elsewhere = 0;
    for row in rows.filter(at_a_place) {
        let event = page.api(&format!("cells/event/{}", row["number"]));
        for missed in each(&event["not_told"]) {
            let column = columns.clone().position(|id| *id == missed["who"]).unwrap();
            let cell = &row["cells"][column];
            let is_actor = missed["at"].is_u64();
            if missed["why"] == "elsewhere" && is_actor {
                assert_eq!(cell, "e");
                elsewhere += u64::from(missed["at"] != row["stage"]);
            }
        }
        if elsewhere > 200 {
            break;
        }
    }
    assert!(elsewhere > 20, "{elsewhere}");
    assert!(each(&page.api("cells/places")).all(|place| place["doing"].is_string()));
    assert!(each(&page.api("cells/people")).all(|person| person["played_by"] == "mind"));
}

#[test]
fn numbers_that_stand_for_the_same_are_the_same() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save same --until 12");
    page.wait_for("same", "stopped");
    let people = page.api("same/people");
    let people: Vec<_> = each(&people).filter(|one| one["kind"] == "actor").collect();
    for fact in each(&page.api("same/facts")) {
        let about = page.api(&format!("same/fact/{}", fact["fact"].as_str().unwrap()));
        let is_person = |row: &&Value| people.iter().any(|one| one["id"] == **row);
        let knows = each(&about["knows"]).map(|known| &known["who"]);
        let knows = knows.filter(is_person).count();
        assert_eq!(fact["knows"], knows, "{fact}");
        assert_eq!(fact["of"], people.len(), "{fact}");
        let not = each(&about["not"]).filter(is_person).count();
        assert_eq!(knows + not, people.len(), "{about}");
    }
    // Whoever says or does something is not left out of it.
    let audience = page.api("same/audience?from=0");
    let mut own = 0;
    for row in each(&audience["rows"]) {
        let speaker = each(&audience["columns"]).position(|who| *who == row["speaker"]);
        let Some(cell) = speaker.map(|column| &row["cells"][column]) else {
            continue;
        };
        assert!(["o", "y", "m"].iter().any(|is| cell == is), "{row}");
        own += u64::from(cell == "o");
        let event = page.api(&format!("same/event/{}", row["number"]));
        assert!(each(&event["not_told"]).all(|missed| missed["who"] != row["speaker"]));
    }
    assert!(own > 10, "{own}");
    // Nor is whoever told what another learned.
    let mut told = 0;
    for event in each(&page.api("same/events?from=0&kind=learned")["events"]) {
        let event = page.api(&format!("same/event/{}", event["number"]));
        if !event["teller"].is_null() {
            assert!(each(&event["not_told"]).all(|missed| missed["who"] != event["teller"]));
            told += 1;
        }
    }
    assert!(told > 2, "{told}");
}

#[test]
fn stories_are_begun_where_the_host_allows_it() {
    let folder = &Dir::new();
    for line in [
        "run drowned-assize --seed 1 --save old --until 3 -q",
        "undercover --lang en --seed 1 --save table --until 1 -q",
    ] {
        succeed(folder, line);
    }
    // A batch is no story.
    std::fs::create_dir(folder.join("saves/pilot")).unwrap();
    write(&folder.join("saves/pilot/batch.json"), "{}");
    let page = Served::begin(folder, "watch --all --json");
    let wanted = json!({"world": "zhaoying-ban", "model": "improviser", "seed": 4});
    let begun = page.post("/api/stories", &wanted);
    assert_eq!(begun.status, 200, "{}", begun.body);
    assert_eq!(begun.json()["slot"], "zhaoying-ban");
    let story = page.api("zhaoying-ban/story");
    assert!(story["seed"] == 4 && story["language"] == "zh", "{story}");
    let stories = page.get("/api/stories").json();
    let [old, new] = ["old", "zhaoying-ban"].map(|slot| one(&stories, "slot", slot));
    assert_eq!(stories.as_array().unwrap().len(), 3, "{stories}");
    assert_eq!(one(&stories, "slot", "table")["title"], "The Round Table");
    assert_eq!(new["title"], "照影班");
    assert_eq!(old["title"], "The Drowned Assize");
    assert!(old["state"] == "paused" && old["day"] == 1, "{old}");
    let changed = |story: &Value| story["changed"].as_u64();
    assert!(changed(old) <= changed(new), "{stories}");
    for (member, wrong) in [
        ("model", "none"),
        ("world", "nowhere"),
        ("name", "old"),
        ("name", "../x"),
    ] {
        let mut refused = json!({"world": "zhaoying-ban", "model": "improviser"});
        refused[member] = wrong.into();
        let answer = page.post("/api/stories", &refused);
        assert_eq!(answer.status, 409, "{refused}: {}", answer.body);
        has(&answer.body, &[wrong]);
    }
    drop(page);

    // A server of one story, and a guest, are refused politely.
    let page = Served::start(folder, "old");
    let refused = page.post("/api/stories", &wanted);
    assert_eq!(refused.status, 409);
    has(&refused.body, &["watch --all"]);
    drop(page);
    let mut page = Served::start(folder, "old --invite Jory\u{a0}Teasel");
    page.sit();
    assert_eq!(page.post("/api/stories", &wanted).status, 403);
}

#[test]
fn a_story_that_is_over_stays_as_it_is_when_it_is_opened() {
    let folder = &Dir::new();
    succeed(folder, "new mill");
    succeed(folder, "run mill --seed 1 --save done -q");
    let page = Served::begin(folder, "watch --all --json");
    let listed = || {
        let stories = page.get("/api/stories").json();
        let story = one(&stories, "slot", "done");
        (story["state"].clone(), story["changed"].clone())
    };
    let before = listed();
    assert_eq!(before.0, "finished");
    let story = page.wait_for("done", "finished");
    assert!(!can(&story, "play") && !can(&story, "step"));
    assert_eq!(listed(), before);
    drop(page);
    succeed(folder, "export done --html done.html");
    let report = fs::read_to_string(folder.join("done.html")).unwrap();
    has(&report, &["\"state\":\"finished\""]);
    // Without scripts, too, one reads what the story is about, and of one place after the other.
    let (plain, _) = report.split_once("<div id=\"view\"").unwrap();
    has(plain, &["<p>A mill", "<p class=\"where\">"]);
}

/// A form of a seat, filled in with the first options.
fn filled(open: &Value) -> Value {
    let one_of = open["one_of"].as_array().and_then(|names| names.first());
    let fields = open["fields"].as_array().into_iter().flatten();
    let wanted = fields.filter(|field| field["skip"].is_null() || Some(&field["name"]) == one_of);
    let values = wanted.map(|field| {
        let options = field["options"].as_array();
        let value = match options.and_then(|options| options.first()) {
            None => json!("I will wait here."),
            Some(option) => {
                let number: u32 = option["value"].as_str().unwrap().parse().unwrap();
                json!([{"option": number, "fields": filled(option)}])
            }
        };
        (field["name"].as_str().unwrap().to_owned(), value)
    });
    Value::Object(values.collect())
}

#[test]
fn another_answer_is_written_in_the_form_of_a_seat() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save said --until 5");
    page.wait_for("said", "stopped");
    let calls = page.list("said/calls?from=0", "calls");
    let people = page.api("said/people");
    let heroes = each(&people).filter(|person| person["faction"] == "hero");
    let heroes: Vec<_> = heroes.map(|person| &person["id"]).collect();
    let mut purposes = BTreeSet::new();
    let own = calls.iter().filter(|call| heroes.contains(&&call["who"]));
    for call in own.filter(|call| purposes.insert(call["purpose"].to_string())) {
        let draft = |body: Value| {
            let mut body = body;
            body["call"] = call["call"].clone();
            let told = page.post("/api/said/draft", &body);
            assert_eq!(told.status, 200, "{call}: {}", told.body);
            told.json()
        };
        let mut told = draft(json!({}));
        let mut asked = String::new();
        while !told["open"].is_null() {
            let open = &told["open"];
            asked += &open.to_string();
            let number = &open["number"];
            told = draft(
                match (open["fields"].is_array(), open["options"].as_array()) {
                    (true, _) => json!({"number": number, "form": filled(open)}),
                    (_, Some(options)) if !options.is_empty() => {
                        json!({"number": number, "option": options[0]["value"]})
                    }
                    _ => json!({"number": number, "text": "I will wait here."}),
                },
            );
        }
        // No form of models is shown to a person.
        lacks(&asked, &["JSON"]);
        let answer = &told["answer"];
        let deed = json!({"do": "edit", "call": call["call"], "text": answer});
        page.done("said", &deed).slot();
    }
    assert!(purposes.len() > 2, "{purposes:?}");
    // Another draft ends the first; an answer to it is refused in words.
    let call = &calls[0]["call"];
    page.post("/api/said/draft", &json!({"call": call}));
    page.post("/api/said/draft", &json!({"call": call, "leave": true}));
    let late = json!({"call": call, "number": 1, "text": "Too late."});
    let refused = page.post("/api/said/draft", &late);
    assert_eq!(refused.status, 409);
    has(&refused.body, &["no longer open"]);
}

#[test]
fn a_stream_tells_of_everybody_as_a_whole() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save whole --paused");
    page.wait_for("whole", "paused");
    page.step("whole");
    let streamed = page.stream("/api/whole/stream", None, "entities");
    let (_, _, entities) = streamed.last().unwrap();
    assert_eq!(*entities, page.api("whole/story")["entities"]);
}

#[test]
fn a_book_has_a_page_for_each_chapter() {
    let folder = &Dir::new();
    succeed(
        folder,
        "run drowned-assize --seed 1 --save tide --until 40 -q",
    );
    let page = Served::begin(folder, "watch --all --json");
    let headings = page.api("tide/headings");
    let days = each(&headings).filter(|heading| heading["form"] == "day");
    let days = days.map(|day| format!("<h2>{}</h2>", day["text"].as_str().unwrap()));
    let days: Vec<_> = days.collect();
    assert!(days.len() > 1, "{days:?}");
    let whole = page.get("/story/tide/book").body;
    let days: Vec<_> = days.iter().map(String::as_str).collect();
    has(&whole, &["<h1>The Drowned Assize</h1>", "It is October."]);
    has(&whole, &days);
    let chapters = whole.matches("/story/tide/book/").count();
    let mut told = 0;
    for chapter in 1..=chapters {
        let one = page.get(&format!("/story/tide/book/{chapter}"));
        assert_eq!(one.body.matches("<section class=\"chapter\">").count(), 1);
        told += one.body.matches("<article").count();
    }
    assert_eq!(told, whole.matches("<article").count());
    for chapter in ["0", "99", "-1"] {
        let missing = page.get(&format!("/story/tide/book/{chapter}")).status;
        assert!([400, 404].contains(&missing), "{chapter}: {missing}");
    }
    // Who speaks is named, also without scripts.
    has(&whole, &["<b class=\"speaker\">Brant Hollis</b>"]);
    let bare = page.get("/story/tide").body;
    has(&bare, &["<b class=\"speaker\">"]);
}

#[test]
fn what_one_believes_of_another_is_found_on_the_page_and_in_the_terminal() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save minds --seed 1 --until 9");
    let story = page.wait_for("minds", "stopped");
    let name = |id: &Value| {
        let found = each(&story["entities"]).find(|entity| entity["id"] == *id);
        found.unwrap()["name"].as_str().unwrap().to_owned()
    };
    let said = page.list("minds/events?kind=speak", "events");
    let mut said = said.iter().filter(|event| event["addressee"].is_u64());
    let said = said.next().unwrap();
    let (who, about) = (&said["addressee"], &said["speaker"]);
    let believed = page.api(&format!("minds/believes?who={who}&about={about}"));
    let heard = believed["heard"].as_array().unwrap();
    assert!(!heard.is_empty(), "{believed}");
    for event in heard {
        let event = page.api(&format!("minds/event/{}", event["number"]));
        assert!(each(&event["who"]).any(|told| told == who), "{event}");
        let is_named = event["text"].as_str().unwrap().contains(&name(about));
        assert!(event["speaker"] == *about || is_named, "{event}");
    }
    let of_nobody = page.get(&format!("/api/minds/believes?who={who}"));
    assert_eq!(of_nobody.status, 404);
    drop(page);
    let (who, about) = (name(who), name(about));
    let words = ["ask", "minds", "what", &who, "--about", &about];
    let known = playhouse(folder).args(words).output().unwrap();
    let (text, error) = (super::out(&known), super::err(&known));
    assert_eq!(known.status.code(), Some(0), "{error}");
    has(&text, &["last saw or heard"]);
    let known = playhouse(folder).args(words).arg("--json").output();
    super::records_of(&known.unwrap());
}

#[test]
fn the_other_option_is_taken_in_a_branch() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save chosen --seed 1 --until 9");
    page.wait_for("chosen", "stopped");
    let choices = &page.list("chosen/events?kind=choice", "events");
    assert!(!choices.is_empty());
    let taken = choices.iter().find_map(|choice| {
        let event = page.api(&format!("chosen/event/{}", choice["number"]));
        let options = event["options"].as_array()?.clone();
        options.into_iter().find_map(|option| {
            assert_ne!(option["option"], event["data"]["option"]);
            let answer = json!({"mind": "", "option": option["option"]}).to_string();
            let deed = json!({"do": "edit", "call": event["call"], "text": answer});
            let done = page.post("/api/chosen/do", &deed);
            // An option whose condition did not hold then was not offered.
            (done.status == 200).then(|| (event.clone(), option, done.slot()))
        })
    });
    let (event, option, branch) = taken.expect("a choice with two options");
    let turn = event["turn"].as_u64().unwrap();
    page.wait_for_turn(&branch, turn);
    let again = page.api(&format!("{branch}/events?kind=choice&turn={turn}"));
    let again = page.api(&format!("{branch}/event/{}", again["events"][0]["number"]));
    assert_eq!(again["data"]["option"], option["option"], "{again}");
}

#[test]
fn fifty_pages_open_at_once_from_one_address() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save many --until 2");
    page.wait_for("many", "stopped");
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/page/src/assets");
    let scripts = fs::read_dir(assets).unwrap();
    let scripts = scripts.map(|file| file.unwrap().file_name());
    let scripts = scripts.map(|name| name.into_string().unwrap());
    let mut paths: Vec<_> = scripts
        .filter(|name| !name.ends_with(".html"))
        .map(|name| format!("/assets/{name}"))
        .collect();
    let parts = "story turns headings events calls people person/3 facts places items";
    paths.extend(parts.split(' ').map(|part| format!("/api/many/{part}")));
    paths.extend(["/story/many", "/api/labels"].map(str::to_owned));
    let load = || paths.iter().map(|path| page.get(path).status).max();
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..10)
            .map(|_| scope.spawn(|| (0..5).filter_map(|_| load()).max()))
            .collect();
        for reader in readers {
            assert_eq!(reader.join().unwrap(), Some(200));
        }
    });
}

#[test]
fn whoever_never_finishes_a_request_locks_nobody_out() {
    let folder = &Dir::new();
    let slow = |page: &Served| {
        let mut stream = TcpStream::connect(&page.address).unwrap();
        let head = format!(
            "POST /api/x/do HTTP/1.1\r\nHost: {}\r\nX-Playhouse: 1\r\nContent-Length: 9\r\n\r\n{{",
            page.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    // Everybody on this computer is the host.
    let page = Served::start(folder, "--save open --paused");
    let silent = |_| {
        let mut stream = TcpStream::connect(&page.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        stream
    };
    let open: Vec<_> = (0..600).map(silent).collect();
    assert_eq!(page.get("/api/open/story").status, 200);
    drop(open);
    let open: Vec<_> = (0..600).map(|_| slow(&page)).collect();
    assert_eq!(page.get("/api/open/story").status, 200);
    drop((open, page));
    // A stranger gets its answer at once, and not after its body.
    let invited = "--save closed --paused --invite Odile\u{a0}Marsh";
    let page = Served::start(folder, invited);
    let mut stream = slow(&page);
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 403");
    let open: Vec<_> = (0..600).map(|_| slow(&page)).collect();
    assert_eq!(page.get("/api/closed/story").status, 200);
    drop(open);
}

#[test]
fn people_get_a_page_where_there_is_no_story() {
    let folder = &Dir::new();
    for save in ["one", "two", "three"] {
        succeed(folder, &format!("run --until 1 --save {save} -q"));
    }
    let damaged = std::fs::File::create(folder.join("saves/two/world.json"));
    damaged.unwrap().write_all(b"{\"format\":").unwrap();
    let page = Served::begin(folder, "watch --all --json");
    for (path, status, says) in [
        ("/story/nothing?lang=zh", 404, "无法显示"),
        ("/story/nothing", 404, "list of stories"),
        ("/seat/00", 403, "printed when the program started"),
    ] {
        let answer = page.get(path);
        assert_eq!(answer.status, status, "{path}");
        has(&answer.body, &["<h1>", says]);
    }
    for (language, says) in [
        ("en", "the request can't be read: turn=soon"),
        ("zh", "无法读取这个请求"),
    ] {
        let answer = page.get(&format!("/api/one/events?turn=soon&lang={language}"));
        assert_eq!(answer.status, 400, "{language}");
        has(answer.json()["error"].as_str().unwrap(), &[says]);
    }
    let answer = page.get("/story/one?before=soon&lang=zh");
    assert_eq!(answer.status, 400);
    has(&answer.body, &["<h1>无法显示"]);
    let missing = page.get("/api/one/event/99999").json();
    assert!(missing["help"].is_string(), "{missing}");
    page.api("one/story");
    let list = page.get("/").body;
    has(&list, &["The Drowned Assize", "Turn 1"]);
    let listed = page.api("stories");
    let of = |slot: &str| one(&listed, "slot", slot);
    assert!(of("two")["problem"].is_string(), "{listed}");
    assert!(
        of("one")["turn"] == 1 && of("three")["turn"] == 1,
        "{listed}"
    );
}

#[test]
fn a_story_pauses_steps_and_resumes_its_stream() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save steps --paused");
    assert_eq!(page.wait_for("steps", "paused")["turn"], 0);
    page.step("steps");
    let seen = page.stream("/api/steps/stream?since=0.0", None, "run");
    let (id, ..) = seen.last().unwrap();
    let told = |events: &[(String, String, Value)]| -> Vec<_> {
        let batches = events.iter().filter(|(_, name, _)| name == "events");
        let events = batches.flat_map(|(.., batch)| each(batch));
        events
            .map(|event| event["number"].as_u64().unwrap())
            .collect()
    };
    let first = told(&seen);
    assert_eq!(first, (0..first.len() as u64).collect::<Vec<_>>());
    let position = page.api("steps/story")["position"].clone();
    let path = format!("/api/steps/stream?since={}", position.as_str().unwrap());
    let known = page.stream(&path, None, "run");
    let known: Vec<_> = known.iter().map(|(_, name, _)| name).collect();
    assert_eq!(known, ["server", "entities", "run"], "all else was read");
    page.step("steps");
    let rest = page.stream("/api/steps/stream", Some(id), "run");
    let rest = told(&rest);
    assert_eq!(rest[0], first.len() as u64, "nothing is told twice or lost");
    // A reader who takes nothing holds nobody up.
    let path = "/api/steps/stream?since=0.0";
    let head = format!("GET {path} HTTP/1.1\r\nHost: {}", page.address);
    let _hanging: Vec<_> = (0..20).map(|_| page.send(&head, "")).collect();
    page.post("/api/steps/do", &json!({"do": "play"}));
    page.wait_for("steps", "finished");
}

#[test]
fn what_is_not_of_our_own_page_is_refused() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save own --until 1");
    let own = &page.address;
    let port = own.rsplit(':').next().unwrap();
    for (path, host, status) in [
        ("GET /api/stories", own.clone(), 200),
        ("GET /api/stories", format!("localhost:{port}"), 200),
        ("GET /api/stories", format!("rebound.example:{port}"), 403),
        ("GET /api/stories", "127.0.0.1:1".to_owned(), 403),
        (
            "GET /api/stories",
            format!("{own}\r\nOrigin: http://evil.example"),
            403,
        ),
        ("POST /api/own/do", own.clone(), 403),
        ("POST /api/own/do", format!("{own}\r\nX-Playhouse: 1"), 400),
        ("GET /seat/00", own.clone(), 403),
        ("GET /assets/..%2fmod.rs", own.clone(), 404),
    ] {
        let head = format!("{path} HTTP/1.1\r\nHost: {host}");
        let answer = page.ask(&head, "");
        assert_eq!(answer.status, status, "{head}: {}", answer.body);
        let head = answer.head.to_lowercase();
        has(&head, &["content-security-policy: default-src 'none'"]);
        lacks(&head, &["unsafe"]);
    }
    let large = "x".repeat(1024 * 1024);
    let head = format!("POST /api/own/do HTTP/1.1\r\nHost: {own}\r\nX-Playhouse: 1");
    assert_eq!(page.ask(&head, &large[..70_000]).status, 413);
}

#[test]
fn the_branches_of_a_story_are_a_tree_wherever_one_looks_from() {
    let folder = &Dir::new();
    for line in [
        "run --seed 1 --until 5 --save one -q",
        "branch one two --turn 4 --seed 77",
        "branch one three --turn 3",
        "resume two --until 6 -q",
        "branch two four --turn 6",
        "run --seed 2 --until 1 --save other -q",
    ] {
        succeed(folder, line);
    }
    let tree = json!([
        {"slot": "one", "turn": 0, "last": 5, "seed": 1, "depth": 0},
        {"slot": "three", "parent": "one", "turn": 3, "last": 3, "seed": 1, "depth": 1},
        {"slot": "two", "parent": "one", "turn": 4, "last": 6, "seed": 77, "depth": 1},
        {"slot": "four", "parent": "two", "turn": 6, "last": 6, "seed": 77, "depth": 2},
    ]);
    for slot in ["one", "four"] {
        // Whoever watches one of them sees all.
        let page = Served::start(folder, slot);
        assert_eq!(page.api(&format!("{slot}/branches"))["tree"], tree);
        assert_eq!(page.api("two/story")["seed"], 77);
        let branched = json!({"do": "branch", "turn": 2, "name": "five", "seed": 5});
        if slot == "four" {
            page.done("four", &branched);
            let tree = page.api("four/branches")["tree"].take();
            let five = json!({"slot": "five", "parent": "one", "turn": 2, "last": 2, "seed": 5, "depth": 1});
            assert_eq!(tree[1], five);
        }
    }
}

/// Tells an actor something before the next turn, and plays that.
fn tell_somebody(page: &Served, slot: &str) {
    let story = page.api(&format!("{slot}/story"));
    assert!(can(&story, "tell"), "{story}");
    let who = &one(&story["entities"], "kind", "actor")["id"];
    let deed = json!({"do": "tell", "who": [who], "text": "Be brief."});
    page.done(slot, &deed);
    page.step(slot);
    // A page never delays the story, so it may lag behind.
    let told = await_some(|| {
        let told = page.api(&format!("{slot}/events?kind=told_by_host"))["events"].take();
        (told != json!([])).then_some(told)
    })
    .unwrap();
    assert_eq!(each(&told).len(), 1, "{told}");
    assert_eq!(told[0]["text"], "Be brief.");
    assert_eq!(told[0]["who"], json!([who]));
    let context = page.api(&format!("{slot}/context/{who}"));
    assert!(context.to_string().contains("Be brief."), "{context}");
}

#[test]
fn a_game_of_undercover_goes_on_from_its_page() {
    let folder = &Dir::new();
    succeed(folder, "undercover --save cards --until 2 -q");
    let page = Served::start(folder, "cards");
    let story = page.wait_for("cards", "paused");
    assert!(
        story["game"] == "undercover" && story["turn"] == 2,
        "{story}"
    );
    let before = story["events"].as_u64().unwrap();
    tell_somebody(&page, "cards");
    page.done("cards", &json!({"do": "play"}));
    let story = page.wait_for("cards", "finished");
    assert!(story["events"].as_u64().unwrap() > before);
    let refused = page.post("/api/cards/do", &json!({"do": "play"}));
    assert_eq!(refused.status, 409, "{}", refused.body);
    // A new one, from its beginning.
    let page = Served::begin(folder, "undercover --save fresh --watch --json");
    assert_eq!(page.wait_for("fresh", "finished")["game"], "undercover");
}

/// Ways to make a text something else than text.
pub(super) const ATTACKS: [&str; 20] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<style>*{display:none}</style>",
    "<!--<script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<b>bold</b>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><script>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "' onmouseover='alert(1)",
    "\" onmouseover=\"alert(1)",
    "javascript:alert(1)",
    "{{ labels }}{% raw %}",
    "${alert(1)}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u{2028}<script>alert(1)</script>",
    "<\u{0}script>alert(1)</script>",
];

#[test]
fn what_a_host_does_is_journaled_and_stays_text() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save done --paused");
    page.step("done");
    let story = page.api("done/story");
    let who = &one(&story["entities"], "kind", "actor")["id"];
    for attack in ATTACKS {
        page.done("done", &json!({"do": "tell", "who": [who], "text": attack}));
    }
    let to_nobody = json!({"do": "tell", "who": [9999], "text": "x"});
    assert_eq!(page.post("/api/done/do", &to_nobody).status, 409);
    page.step("done");
    let told = &page.list("done/events?kind=scene_text", "events");
    assert_eq!(told.len(), ATTACKS.len());
    assert!(told.iter().all(|event| event["who"] == json!([who])));
    let html = page.get("/story/done").body;
    let body = &html[html.find("<body").unwrap()..];
    let forbidden = [
        "<script>alert", "<img src=x", "<svg onload", "<iframe", "<style>*", "<b>bold",
    ];
    lacks(body, &forbidden);
    // The words are there as words.
    has(body, &["&lt;img src=x onerror"]);
    assert!(body.matches('<').count() < 5_000);

    let branched = page.done("done", &json!({"do": "branch", "turn": 1, "name": "twig"}));
    assert_eq!(branched.json(), json!({"ok": true, "slot": "twig"}));
    let twig = page.wait_for("twig", "paused");
    assert_eq!(twig["turn"], 1);
    let tree = page.api("done/branches");
    page.step("twig");
    let compared = page.api("done/compare?with=twig");
    assert_eq!(compared["turn"], 1);
    assert!(each(&compared["here"]).len() >= ATTACKS.len());
    let is_of_twig = |event: &Value| event["turn"] == 2 && event["kind"] != "scene_text";
    assert!(each(&compared["there"]).all(is_of_twig), "{compared}");
    drop(page);
    assert_eq!(tree["this"], "done");
    let twig = &tree["tree"][1];
    assert!(twig["slot"] == "twig" && twig["turn"] == 1, "{twig}");
    let journal = journal(folder, "done");
    assert_eq!(journal.matches("\"by\":\"host\"").count(), ATTACKS.len());
    succeed(folder, "replay done");

    succeed(folder, "export done --html done.html --calls");
    let report = fs::read_to_string(folder.join("done.html")).unwrap();
    lacks(&report, &["<script>alert", "src=\"/"]);
    for id in [
        "story", "labels", "events/0", "calls/0", "people", "branches", "qualities", "call/3",
    ] {
        let id = id.replace('/', "&#x2f;");
        assert!(report.contains(&format!("id=\"{id}\"")), "no {id}");
    }
}

#[test]
fn a_host_changes_the_world_between_two_turns() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save changed --paused");
    page.step("changed");
    let api = |what: &str| page.api(&format!("changed/{what}"));
    let story = api("story");
    for deed in ["tell", "note", "teach", "give", "move", "change", "retry"] {
        assert!(can(&story, deed), "{deed}: {story}");
    }
    let find = |kind: &str, is_meant: &dyn Fn(&Value) -> bool| {
        let mut of_kind = each(&story["entities"]).filter(|entity| entity["kind"] == kind);
        of_kind.find(|entity| is_meant(entity)).unwrap()["id"].clone()
    };
    let who = find("actor", &|actor| actor["faction"] == "hero");
    let place = find("stage", &|stage| stage["id"] != 1);
    let director = find("world_agent", &|_| true);
    let knows = api(&format!("person/{who}"));
    let is_known = |fact: &Value| each(&knows["knows"]).any(|known| known["fact"] == fact["fact"]);
    let facts = api("facts");
    let mut unknown = each(&facts).filter(|fact| !is_known(fact) && fact["common"] == false);
    let fact = &unknown.next().unwrap()["fact"];
    let item = &api("items")[0]["name"];
    let quality = &api("qualities")[0];
    let is_full = quality["value"] == quality["max"];
    let by = if is_full { -1 } else { 1 };
    for deed in [
        json!({"do": "tell", "who": [director], "text": "Let it rain tonight."}),
        json!({"do": "teach", "who": who, "fact": fact}),
        json!({"do": "give", "item": item, "to": who}),
        json!({"do": "move", "who": who, "to": place}),
        json!({"do": "change", "quality": quality["quality"], "by": by}),
    ] {
        page.done("changed", &deed);
    }
    let nothing = json!({"do": "change", "quality": "nothing", "by": 1});
    assert_eq!(page.post("/api/changed/do", &nothing).status, 409);
    let in_vain = json!({"do": "effect", "effect": {"Destroy": "nothing"}});
    page.done("changed", &in_vain);
    page.step("changed");
    let noted = api("events?kind=host_deed");
    let texts: Vec<_> = each(&noted["events"])
        .map(|note| note["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts.len(), 6, "{texts:?}");
    let is_of_host = |text: &&str| text.starts_with("The host ");
    assert!(texts.iter().all(is_of_host), "{texts:?}");
    let failed = texts
        .iter()
        .filter(|text| text.contains("could not be done"));
    assert_eq!(failed.count(), 1, "{texts:?}");
    let first = api(&format!("event/{}", noted["events"][0]["number"]));
    assert!(
        first["data"]["by"] == "host" && first["form"] == "note",
        "{first}"
    );
    let told = api("events?kind=scene_text");
    let told = one(&told["events"], "text", "Let it rain tonight.");
    assert_eq!(told["who"], json!([director]));
    let person = api(&format!("person/{who}"));
    let has = |list: &str, field: &str, value: &Value| {
        each(&person[list]).any(|entry| entry[field] == *value)
    };
    assert!(has("knows", "fact", fact), "{person}");
    assert!(has("items", "name", item), "{person}");
    let moved = api(&format!("events?who={who}&turn=2"));
    let is_there = |event: &Value| event["place"] == place;
    assert!(each(&moved["events"]).any(is_there), "{moved}");
    let value = quality["value"].as_i64().unwrap();
    assert_eq!(api("qualities")[0]["value"], value + by);
    let aimless = page.post("/api/changed/do", &json!({"do": "undo"}));
    assert_eq!(aimless.status, 400, "{}", aimless.body);
    let undone = page
        .done("changed", &json!({"do": "undo", "turn": 2}))
        .slot();
    page.wait_for_turn(&undone, 2);
    page.step(&undone);
    page.done(&undone, &json!({"do": "end"}));
    page.post(&format!("/api/{undone}/do"), &json!({"do": "step"}));
    page.wait_for(&undone, "finished");
    let noted = page.list(&format!("{undone}/events?kind=host_deed"), "events");
    let texts = noted.iter().map(|note| note["text"].as_str().unwrap());
    let texts: Vec<_> = texts.collect();
    let last = [
        "The host takes the story back to this turn.",
        "The host ends the story here.",
    ];
    assert!(texts.ends_with(&last), "{texts:?}");
    drop(page);
    succeed(folder, &format!("replay {undone}"));
    succeed(folder, "replay changed");
}

#[test]
fn an_answer_is_asked_for_again_or_written_by_the_host() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save old --paused");
    page.step("old");
    page.step("old");
    let calls = |slot: &str, turn: u64| {
        let calls = page.list(&format!("{slot}/calls?turn={turn}"), "calls");
        let key = |call: &Value| format!("{} {}", call["who"], call["number"]);
        let calls = calls.into_iter().map(|call| (key(&call), call));
        calls.collect::<BTreeMap<_, _>>()
    };
    let before = calls("old", 2);
    let is_plan = |(_, call): &(&String, &Value)| call["purpose"] == "home.plan";
    let (key, plan) = before.iter().filter(is_plan).nth(1).unwrap();
    let deed = |body: Value| page.post("/api/old/do", &body);

    let again = deed(json!({"do": "retry", "call": plan["call"], "name": "again"}));
    assert_eq!(again.json(), json!({"ok": true, "slot": "again"}));
    page.wait_for_turn("again", 2);
    let after = calls("again", 2);
    assert_ne!(after[key]["text"], plan["text"], "another answer");
    let is_earlier = |call: &Value| call["call"].as_u64() < plan["call"].as_u64();
    for (key, call) in before.iter().filter(|(_, call)| is_earlier(call)) {
        assert_eq!(after[key]["text"], call["text"], "{key}: asked again");
    }

    let words = "<b>The host says so.</b>";
    let openings = calls("old", 1);
    let is_opening = |(_, call): &(&String, &Value)| call["purpose"] == "kickoff";
    let (key, opening) = openings.iter().find(is_opening).unwrap();
    let edit = json!({"do": "edit", "call": opening["call"], "text": words, "name": "edited"});
    page.done("old", &edit);
    page.wait_for_turn("edited", 1);
    let after = calls("edited", 1);
    assert_eq!(after[key]["text"], words);
    for (key, call) in openings.iter().filter(|(other, _)| *other != key) {
        assert_eq!(after[key]["text"], call["text"], "{key}: the same question");
    }
    assert_eq!(calls("old", 1), openings, "the story stays");
    let told = page.api("edited/events?turn=1&text=The+host+says+so");
    let told = &told["events"][0];
    assert_eq!(told["speaker"], opening["who"], "{told}");

    let bad = deed(json!({"do": "edit", "call": plan["call"], "text": "no JSON"}));
    assert_eq!(bad.status, 409, "{}", bad.body);
    assert_eq!(deed(json!({"do": "retry", "call": 99_999})).status, 409);
    drop(page);
    for slot in ["again", "edited"] {
        let journal = journal(folder, slot);
        assert_eq!(journal.matches("{\"retake\":{\"by\":\"host\"").count(), 1);
        succeed(folder, &format!("replay {slot}"));
    }
}

#[test]
fn a_run_goes_on_by_one_call_or_to_the_next_scene() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save little --seed 3 --paused");
    page.wait_for("little", "paused");
    let step = |by: &str| {
        page.done("little", &json!({"do": "step", "by": by}));
    };
    let done_calls = || {
        let calls = page.list("little/calls?from=0", "calls");
        calls.iter().filter(|call| call["state"] == "done").count()
    };
    for calls in 1..4 {
        step("call");
        page.wait_until("little", |story| {
            story["run"]["state"] == "paused" && done_calls() == calls
        });
    }
    let story = page.api("little/story");
    assert_eq!(story["turn"], 0, "the turn is not over");
    assert_eq!(story["run"]["between_calls"], true);
    // The rest of the turn.
    step("turn");
    page.wait_until("little", |story| {
        story["run"]["state"] == "paused" && story["turn"] == 1
    });
    let before = page.api("little/story")["events"].clone();
    step("scene");
    page.wait_until("little", |story| {
        story["run"]["state"] == "paused" && story["turn"] != 1
    });
    let since = &page.list(&format!("little/events?from={before}"), "events");
    let bounds = |event: &Value| {
        let kind = event["kind"].as_str().unwrap();
        event["form"] == "day" || ["scene_opens", "combat_initialization"].contains(&kind)
    };
    assert!(since.iter().any(bounds), "{since:?}");
}

#[test]
fn a_host_reviews_answers_before_they_are_used() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save held --seed 3 --paused");
    page.wait_for("held", "paused");
    let deed = |body: Value| page.done("held", &body);
    deed(json!({"do": "review", "on": true}));
    deed(json!({"do": "step"}));
    let held = |story: &Value| {
        let held = each(&story["run"]["thinking"]).filter(|open| !open["held"].is_null());
        let mut held: Vec<_> = held.cloned().collect();
        held.sort_by_key(|open| open["call"].as_u64());
        held
    };
    let story = page.wait_until("held", |story| held(story).len() >= 3);
    assert_eq!(story["run"]["review"], true);
    let waiting = held(&story);
    let [first, second, third] = [0, 1, 2].map(|index: usize| &waiting[index]["call"]);
    let call = |call: &Value| page.api(&format!("held/call/{call}"));
    assert_eq!(call(first)["state"], "in_review");

    let words = "The tide has read every word, and I have not.";
    deed(json!({"do": "replace", "call": first, "text": words}));
    // What would break a rule comes back with the reason.
    deed(json!({"do": "replace", "call": second, "text": ""}));
    let is_refused = |open: &Value| open["call"] == *second && open["held"]["text"] == "";
    let story = page.wait_until("held", |story| held(story).iter().any(is_refused));
    let refused = held(&story).into_iter().find(is_refused).unwrap();
    assert!(!refused["held"]["complaint"].as_str().unwrap().is_empty());
    deed(json!({"do": "use", "call": second}));
    deed(json!({"do": "ask_again", "call": third}));
    page.wait_until("held", |story| {
        call(third)["state"] == "in_review" && !held(story).is_empty()
    });
    let unknown = json!({"do": "use", "call": 9_999});
    assert_eq!(page.post("/api/held/do", &unknown).status, 409);
    // Without a review, what waits is used.
    deed(json!({"do": "review", "on": false}));
    page.wait_for_turn("held", 1);
    let call = call(first);
    assert_eq!(call["answer"], words);
    assert_eq!(call["answered_by"], "host");
    drop(page);
    succeed(folder, "show held");
    let replayed = succeed(folder, "replay held");
    has(&super::out(&replayed), &["The tide has read every word"]);
}

#[test]
fn a_killed_server_loses_neither_held_answers_nor_what_the_world_was_told() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save killed --seed 3 --paused");
    page.wait_for("killed", "paused");
    let deed = |body: Value| page.done("killed", &body);
    let world = page.api("killed/story");
    let actor = &one(&world["entities"], "kind", "actor")["id"];
    deed(json!({"do": "tell", "who": [actor], "text": "Bring the lamp."}));
    deed(json!({"do": "review", "on": true}));
    deed(json!({"do": "step"}));
    let is_held = |open: &Value| !open["held"].is_null();
    let story = page.wait_until("killed", |story| {
        let mut open = each(&story["run"]["thinking"]);
        open.len() > 2 && open.all(is_held)
    });
    let held = each(&story["run"]["thinking"]);
    let mut held: Vec<_> = held.map(|open| &open["held"]["text"]).collect();
    drop(page);

    let cost = super::out(&run(folder, "show killed --view costs --json"));
    assert!(super::spent_on("unfinished", &cost)["calls"].as_u64() > Some(2));
    succeed(folder, "resume killed --until 1");
    let journal = journal(folder, "killed");
    assert!(journal.contains("Bring the lamp."));
    let outcomes = journal.lines().filter_map(|line| {
        let outcome = &line[line.find("{\"outcome\"")?..];
        serde_json::from_str::<Value>(outcome).ok()
    });
    let used = outcomes.map(|line| line["outcome"]["ending"]["answered"]["text"].clone());
    let used: Vec<_> = used.collect();
    held.retain(|text| !used.contains(text));
    assert_eq!(held, Vec::<&Value>::new(), "asked again");
    succeed(folder, "replay killed");
}

#[test]
fn a_long_save_is_shown_while_it_is_read() {
    let folder = &Dir::new();
    succeed(folder, "run --save long --seed 3 --until 30 -q");
    let page = Served::begin(folder, "watch --all --json");
    // A page that opens meanwhile is shown what was read so far, and at last all of it.
    let mut story = page.get("/api/long/story").json();
    while story["run"]["state"] == "reading" {
        assert_eq!(story["can"], json!([]), "nothing to go back to yet");
        std::thread::sleep(Duration::from_millis(5));
        let later = page.get("/api/long/story").json();
        assert!(later["events"].as_u64() >= story["events"].as_u64());
        story = later;
    }
    let whole = page.wait_for("long", "paused");
    let shown = page.api("long/events?to=500");
    assert!(whole["events"].as_u64() > Some(100) && shown["total"] == whole["events"]);
}

#[test]
fn what_concerns_a_terminal_is_refused_by_watch() {
    let folder = &Dir::new();
    for options in ["--dry-run", "--ids", "--pace"] {
        let refused = exits(folder, &format!("watch {options} --save refused"), 2);
        has(&super::err(&refused), &[options]);
    }
    assert!(!folder.join("saves/refused").exists());
}

#[test]
fn a_save_goes_on_with_its_own_model_or_is_only_shown() {
    let folder = &Dir::new();
    succeed(folder, "run --save own --until 1 --seed 3 --quiet");
    let settings = folder.join("saves/own/settings.json");
    super::write(&settings, r#"{"model": "deepseek", "max_cost": 1.0}"#);
    let page = Served::begin(folder, "watch --all --json");
    let story = page.wait_for("own", "saved");
    let why = story["run"]["error"].as_str();
    assert!(why.is_some_and(|why| !why.is_empty()), "{story}");
    let deed = page.post("/api/own/do", &json!({"do": "step"}));
    assert_eq!(deed.status, 409, "{}", deed.body);
    assert!(page.api("own/events")["total"].as_u64() > Some(0));
}

#[test]
fn a_host_opens_a_scene_and_goes_back_to_before_a_call() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save stage --seed 3 --paused");
    page.step("stage");
    let scenes = page.api("stage/scenes");
    let is_home = |scene: &&Value| scene["at"] == "The Lamp and Ledger" && scene["played"] == 0;
    // One that would not open now by itself: the last in the file.
    let scene = each(&scenes).rfind(is_home).unwrap()["scene"]
        .as_str()
        .unwrap();
    let unknown = json!({"do": "scene", "scene": "nothing"});
    assert_eq!(page.post("/api/stage/do", &unknown).status, 409);
    page.done("stage", &json!({"do": "scene", "scene": scene}));
    let opened = (0..8).any(|_| {
        page.step("stage");
        one(&page.api("stage/scenes"), "scene", scene)["played"] == 1
    });
    assert!(opened, "{scene} never opens");

    let calls = &page.list("stage/calls?turn=2", "calls");
    let call = &calls[calls.len() / 2];
    let undo = json!({"do": "undo", "call": call["call"]});
    let branch = page.done("stage", &undo).slot();
    page.wait_for_turn(&branch, 2);
    drop(page);
    let journal = journal(folder, &branch);
    assert!(!journal.contains("{\"spare\""), "nothing later is kept");
    succeed(folder, &format!("replay {branch}"));
}

#[test]
fn a_seat_gets_what_its_character_learns_and_nothing_else() {
    let folder = &Dir::new();
    let mut page = Served::start(folder, "--save seat --invite Odile\u{a0}Marsh");
    let host = std::mem::take(&mut page.cookie);
    assert_eq!(page.get("/api/seat/story").status, 403, "without a token");
    page.sit();
    let own = page.cookie.clone();
    for _ in 0..8 {
        let asked = page.asked_at("seat");
        let answer = any_answer(&asked, "The tide is early.");
        assert_eq!(page.post("/api/seat/seat", &answer).status, 200, "{asked}");
    }
    // The story stands still while the seat is asked.
    page.asked_at("seat");
    let story = page.api("seat/story");
    let id = story["view"]["seat"].as_u64().unwrap();
    let mine = page.api("seat/events?from=0&to=500");
    for path in [
        "calls", "audience", "branches", "call/0", "person/1", "context/1",
    ] {
        assert_eq!(page.get(&format!("/api/seat/{path}")).status, 404, "{path}");
    }
    let paused = page.post("/api/seat/do", &json!({"do": "pause"}));
    assert_eq!(paused.status, 403);
    assert_eq!(page.get("/api/other/story").status, 403);
    let bodies = bodies_of_a_seat(&page, "seat", &story);
    page.cookie = host;
    let person = page.api(&format!("seat/person/{id}"));
    assert_eq!(person["played_by"], "seat");
    page.post("/api/seat/do", &json!({"do": "pause"}));
    let whole = page.api(&format!("seat/events?who={id}"));
    assert_nothing_else(&page, "seat", id, &bodies);
    // Each is told in words of its own and counts by itself.
    let forms = |events: &Value| {
        let form = |event: &Value| (event["form"].clone(), event["speaker"].clone());
        each(&events["events"]).map(form).collect::<Vec<_>>()
    };
    let (mine, whole) = (forms(&mine), forms(&whole));
    assert!(!mine.is_empty() && mine.len() <= whole.len());
    let differs = mine.iter().zip(&whole).find(|(seen, told)| seen != told);
    assert_eq!(differs, None, "what reached Odile Marsh");
    // The host goes back, and whoever has the seat has it there, too.
    page.wait_for("seat", "pausing");
    let branch = page.done("seat", &json!({"do": "undo", "turn": 0})).slot();
    page.cookie = own;
    assert_eq!(page.api("seat/story")["run"]["moved"], branch);
    let there = page.api(&format!("{branch}/story"));
    assert_eq!(there["view"], story["view"]);
    assert_eq!(page.api(&format!("{branch}/seat"))["played_by"], "seat");
    let left = page.post("/api/seat/seat", &json!({"leave": true}));
    assert_eq!(left.status, 200);
    assert_eq!(page.api("seat/seat")["played_by"], "mind");
}

/// All that a seat may ask for, by address.
fn bodies_of_a_seat(page: &Served, slot: &str, story: &Value) -> BTreeMap<String, String> {
    let own = story["view"]["seat"].to_string();
    let mut paths: Vec<_> = "story events?from=0 turns headings people places facts items seat"
        .split(' ')
        .map(str::to_owned)
        .collect();
    for entity in each(&story["entities"]) {
        let id = &entity["id"];
        paths.extend([format!("person/{id}"), format!("context/{id}")]);
        paths.push(format!("believes?who={own}&about={id}"));
    }
    let count = story["events"].as_u64().unwrap();
    paths.extend((0..count).map(|n| format!("event/{n}")));
    for fact in each(&page.api(&format!("{slot}/facts"))) {
        paths.push(format!("fact/{}", fact["fact"].as_str().unwrap()));
    }
    let bodies = paths.into_iter().filter_map(|path| {
        let answer = page.get(&format!("/api/{slot}/{path}"));
        (answer.status == 200).then_some((path, answer.body))
    });
    let mut bodies: BTreeMap<_, _> = bodies.collect();
    assert!(bodies.contains_key(&format!("person/{own}")) && bodies.len() > 12);
    let stream = page.stream(&format!("/api/{slot}/stream?since=0.0"), None, "run");
    let sent = stream.into_iter();
    bodies.extend(sent.map(|(_, name, data)| (name, data.to_string())));
    bodies
}

/// None of these names a fact, somebody, or words that the character has not learned. What it was
/// asked just now may be in the host's picture of the world a moment later.
fn assert_nothing_else(page: &Served, slot: &str, id: u64, bodies: &BTreeMap<String, String>) {
    let is_kept = await_some(|| leak(page, slot, id, bodies).is_none().then_some(()));
    let leak = is_kept.map_or_else(|| leak(page, slot, id, bodies), |()| None);
    assert_eq!(leak, None);
}

/// Where one of these does, and what it names.
fn leak(
    page: &Served,
    slot: &str,
    id: u64,
    bodies: &BTreeMap<String, String>,
) -> Option<(String, Value)> {
    let learned = page.api(&format!("{slot}/events?who={id}"));
    let context = page.api(&format!("{slot}/context/{id}"));
    let person = page.api(&format!("{slot}/person/{id}"));
    let known = format!("{learned} {context} {person}");
    let has = |text: &str, words: &Value| {
        let words = words.to_string();
        let words = words.trim_matches('"');
        words.len() > 2 && text.contains(words)
    };
    let mut secret = Vec::new();
    for fact in each(&page.api(&format!("{slot}/facts"))) {
        let fact = page.api(&format!("{slot}/fact/{}", fact["fact"].as_str().unwrap()));
        if fact["common"] != true {
            secret.extend([fact["text"].clone(), fact["title"].clone()]);
        }
    }
    for entity in page.list(&format!("{slot}/story"), "entities") {
        secret.push(entity["name"].clone());
    }
    for event in page.list(&format!("{slot}/events?from=0"), "events") {
        secret.extend([event["text"].clone(), event["said"].clone()]);
    }
    secret.retain(|words| words.is_string() && !has(&known, words));
    assert!(secret.len() > 20, "there is little to keep: {secret:?}");
    bodies.iter().find_map(|(path, body)| {
        let told = secret.iter().find(|words| has(body, words))?;
        Some((path.clone(), told.clone()))
    })
}

#[test]
fn a_seat_is_in_the_language_of_whoever_sits_there() {
    let folder = &Dir::new();
    let mut page = Served::start(folder, "zhaoying-ban --save ban --invite 沈豆娘");
    let seat = page.record("seat");
    let address = seat["address"].as_str().unwrap().to_owned();
    let path = &address[address.find("/seat/").unwrap()..];
    let head = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {}", page.address);
    let goes_to = |answer: Answer, to: &str| {
        let to = format!("href=\"&#x2f;story&#x2f;ban{to}\"");
        assert!(answer.body.contains(&to), "{to}: {}", answer.body);
    };
    goes_to(page.ask(&head(&format!("{path}?lang=zh")), ""), "?lang=zh");
    let browsers = format!("{}\r\nAccept-Language: fr, zh-CN;q=0.9, en", head(path));
    goes_to(page.ask(&browsers, ""), "?lang=zh");
    goes_to(page.ask(&head(path), ""), "");
    page.cookie = page.enter(&address);
    // What is told is in the language of the story, what can be done in that of its reader.
    fn labels(asked: &Value) -> Vec<&str> {
        let own = [&asked["label"], &asked["skip"]]
            .into_iter()
            .filter_map(Value::as_str);
        let lists = [&asked["options"], &asked["fields"]].into_iter();
        let parts = lists.filter_map(Value::as_array).flatten();
        own.chain(parts.flat_map(labels)).collect()
    }
    let has_latin = |asked: &Value| {
        let mut letters = labels(asked).into_iter().flat_map(str::chars);
        letters.any(|letter| letter.is_ascii_alphabetic())
    };
    let mut menus = 0;
    for _ in 0..6 {
        page.asked_at("ban");
        let asked = page.api("ban/seat?lang=zh")["open"].clone();
        assert!(!has_latin(&asked), "{asked}");
        let english = page.api("ban/seat?lang=en")["open"].clone();
        assert!(has_latin(&english), "{english}");
        menus += usize::from(asked["fields"].is_array());
        let streamed = page.stream("/api/ban/stream?lang=zh", None, "ask");
        assert_eq!(streamed.last().unwrap().2, asked);
        let answer = any_answer(&asked, "今夜有戏。");
        assert_eq!(page.post("/api/ban/seat", &answer).status, 200, "{asked}");
    }
    assert!(menus > 0, "no menu was shown");
}

#[test]
fn every_purpose_and_type_of_event_has_a_label() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("crates")];
    let mut keys = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            // Other games may be written with the plugin for Bevy.
            if path.is_dir() {
                let others = ["bevy", "examples", "testing", "tests"];
                let is_of_games = !others.contains(&name.as_str());
                folders.extend(Some(path).filter(|_| is_of_games));
            } else if name.ends_with(".rs") && !name.contains("test") {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("mod tests {").next().unwrap();
                // Without the examples in comments.
                let is_code = |line: &&str| !line.trim_start().starts_with("//");
                let code = text.lines().filter(is_code);
                add_keys(&code.collect::<Vec<_>>().join("\n"), &mut keys);
            }
        }
    }
    assert!(keys.len() > 80, "{keys:?}");
    let folder = &Dir::new();
    let page = Served::start(folder, "--save labels --paused");
    for language in ["en", "zh"] {
        let labels = page.get(&format!("/api/labels?lang={language}")).json();
        let results = ["won", "lost", "drawn"].map(|result| format!("page_result_{result}"));
        let keys = keys.iter().map(|key| format!("story_{key}"));
        let missing = keys.chain(results).find(|key| labels[key].is_null());
        assert_eq!(missing, None, "{language}");
    }
}

/// The purposes of calls and types of events that a source file names.
fn add_keys(text: &str, keys: &mut BTreeSet<String>) {
    let mut add = |kind: &str, before: &str| {
        for after in text.split(before).skip(1) {
            let quoted = after.trim_start().strip_prefix('"');
            let id = quoted.and_then(|rest| Some(rest.split_once('"')?.0));
            // A template without a question, or with one in its place, names no purpose.
            let is_id = |id: &&str| !id.is_empty() && !id.contains(' ');
            if let Some(id) = id.filter(is_id) {
                keys.insert(format!("{kind}_{}", id.replace('.', "_")));
            }
        }
    };
    for ask in ["Ask::new(", "purpose = ", "pick_ask(", "ask_analysis("] {
        add("purpose", ask);
    }
    add("event", "#[event(");
    if text.contains("macro_rules! message_events") {
        // Those of a macro: a name, its fields, and its type.
        let types = text.lines().filter_map(|line| {
            let (name, rest) = line.trim().split_once(" = \"")?;
            let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
            is_type.then(|| rest.split('"').next()).flatten()
        });
        keys.extend(types.map(|id| format!("event_{id}")));
    }
}

#[test]
fn a_host_invites_somebody_while_the_story_is_played_and_takes_the_seat_back() {
    let folder = &Dir::new();
    let mut page = Served::start(folder, "--save inn --paused");
    page.step("inn");
    let story = page.wait_for("inn", "paused");
    assert!(can(&story, "invite") && !can(&story, "dismiss"));
    let who = one(&story["entities"], "faction", "hero")["id"].clone();
    let head = format!("GET /api/inn/stream HTTP/1.1\r\nHost: {}", page.address);
    let mut before = page.send(&head, "");
    let mut told = vec![0; 12];
    before.read_exact(&mut told).unwrap();
    assert_eq!(told, b"HTTP/1.1 200", "everybody here is the host yet");
    let invited = page.done("inn", &json!({"do": "invite", "who": who}));
    let address = invited.json()["address"].as_str().unwrap().to_owned();
    // Not everybody on this computer is the host any more; whoever invited has a cookie now.
    assert_eq!(page.get("/api/inn/story").status, 403);
    let host = invited.cookie();
    page.cookie = page.enter(&address);
    assert_eq!(page.api("inn/story")["view"]["seat"], who);
    assert_eq!(page.api("inn/seat")["played_by"], "seat");
    let own = std::mem::replace(&mut page.cookie, host.clone());
    assert!(can(&page.api("inn/story"), "dismiss"));
    page.post("/api/inn/do", &json!({"do": "play"}));
    page.cookie = own.clone();
    page.asked_at("inn");
    // Who streamed without a token needs one now.
    while !told.ends_with(b"\r\n0\r\n\r\n") {
        let mut bytes = [0; 4_096];
        let count = before.read(&mut bytes).unwrap();
        assert!(count > 0);
        told.extend_from_slice(&bytes[..count]);
    }
    page.cookie = host;
    page.done("inn", &json!({"do": "dismiss", "who": who}));
    assert_eq!(page.api(&format!("inn/person/{who}"))["played_by"], "mind");
    let turn = page.api("inn/story")["turn"].as_u64();
    // Its mind plays on.
    page.wait_until("inn", |story| {
        story["turn"].as_u64() > turn || story["run"]["state"] == "finished"
    });
    page.cookie = own;
    assert_eq!(page.get("/api/inn/story").status, 403, "without a seat");
}

#[test]
fn the_improviser_plays_for_whoever_is_away_too_long_until_it_comes_back() {
    let folder = &Dir::new();
    serve_model(folder, |_| Reply::Error("{}".into()));
    let arguments = "--models models.ron --model m --on-server-error fall-back --save away \
        --paused --turn-limit 5s --seat Odile\u{a0}Marsh";
    let mut page = Served::start(folder, arguments);
    page.step("away");
    let calls = page.list("away/calls", "calls");
    let host = page.sit();
    let played = page.api("away/seat");
    assert_eq!(played["played_by"], "improviser");
    let models = |is_own: bool| {
        let calls = calls.iter();
        let of = calls.filter(|call| (call["who"] == played["who"]) == is_own);
        of.map(|call| call["model"].as_str().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(models(true), ["improviser".to_owned()].into());
    assert!(!models(false).contains("improviser"));
    let taken = page.post("/api/away/seat", &json!({"take": true}));
    assert_eq!(taken.status, 200);
    let own = std::mem::replace(&mut page.cookie, host);
    page.post("/api/away/do", &json!({"do": "step", "by": "turn"}));
    page.cookie = own;
    page.asked_at("away");
}

#[test]
fn a_person_takes_back_the_last_answer_alone_and_the_story_goes_on_without_it() {
    let folder = &Dir::new();
    let mut page = Served::start(folder, "--save first --seat Odile\u{a0}Marsh");
    page.sit();
    let say = |page: &Served, slot: &str, words: &str| {
        let answer = any_answer(&page.asked_at(slot), words);
        let path = format!("/api/{slot}/seat");
        assert_eq!(page.post(&path, &answer).status, 200, "{answer}");
    };
    assert_eq!(page.api("first/story")["run"]["undo"], Value::Null);
    say(&page, "first", "The tide is early.");
    page.asked_at("first");
    let first = page.api("first/story")["run"]["undo"].clone();
    let what = first["what"].as_str().unwrap();
    has(what, &["The tide is early."]);
    say(&page, "first", "Nobody told me.");
    page.asked_at("first");
    let undo = |number: &Value| page.post("/api/first/seat", &json!({"undo": number}));
    // Not of another answer than is meant.
    assert_eq!(undo(&first["number"]).status, 409);
    let last = page.api("first/story")["run"]["undo"]["number"].clone();
    let branch = undo(&last).slot();
    assert_eq!(page.api("first/story")["run"]["moved"], branch.as_str());
    say(&page, &branch, "I was told.");
    page.asked_at(&branch);
    let journal = journal(folder, &branch);
    has(&journal, &["I was told."]);
    lacks(&journal, &["Nobody told me."]);
}

#[test]
fn a_host_may_forbid_to_take_answers_back() {
    let folder = &Dir::new();
    let mut page = Served::start(folder, "--save fixed --no-undo --seat Odile\u{a0}Marsh");
    page.sit();
    let answer = any_answer(&page.asked_at("fixed"), "The tide is early.");
    assert_eq!(page.post("/api/fixed/seat", &answer).status, 200);
    page.asked_at("fixed");
    assert_eq!(page.api("fixed/story")["run"]["undo"], Value::Null);
    let refused = page.post("/api/fixed/seat", &json!({"undo": 1}));
    assert_eq!(refused.status, 409);
}

#[test]
fn everybody_at_the_table_knows_who_plays_whom_and_for_whom_all_wait() {
    let folder = &Dir::new();
    let game = "run --json --save table --turn-limit 1h --after-limit wait \
                --seat Odile\u{a0}Marsh --seat Jory\u{a0}Teasel";
    let mut page = Served::begin(folder, game);
    let records = page.records.iter();
    let seats = records.filter(|record| record["record"] == "seat");
    let links: Vec<_> = seats.map(|seat| seat["address"].clone()).collect();
    let host = std::mem::take(&mut page.cookie);
    let enter = |link: &Value| page.enter(link.as_str().unwrap());
    let guests: Vec<_> = links.iter().map(enter).collect();
    for (cookie, person) in guests.iter().zip(["Anna", "Ben"]) {
        page.cookie.clone_from(cookie);
        page.asked_at("table");
        let named = page.post("/api/table/seat", &json!({"person": person}));
        assert_eq!(named.status, 200);
    }
    for reader in guests.iter().chain([&host]) {
        page.cookie.clone_from(reader);
        let table = page.api("table/story")["run"]["table"].clone();
        for (person, name) in [("Anna", "Odile Marsh"), ("Ben", "Jory Teasel")] {
            let seat = one(&table, "person", person);
            assert!(seat["name"] == name && seat["asked"] == true, "{seat}");
            assert_eq!(seat["left"]["then"], "wait");
            assert!(seat["left"]["ms"].as_u64().unwrap() > 3_000_000, "{seat}");
        }
    }
}

#[test]
fn a_world_that_is_edited_while_it_is_watched_is_taken_over_between_turns() {
    let folder = &Dir::new();
    run(folder, "new mine");
    let file = folder.join("mine/world.ron");
    let world = fs::read_to_string(&file).unwrap();
    let write = |text: &str| fs::write(&file, text).unwrap();
    let page = Served::start(folder, "mine --save tale --paused");
    page.wait_for("tale", "paused");
    page.step("tale");
    let look = || {
        let people = page.api("tale/people");
        let tam = one(&people, "name", "Tam Weller");
        let tam = page.api(&format!("tale/person/{}", tam["id"]));
        tam["look"].as_str().unwrap().to_owned()
    };
    let problems = || page.api("tale/story")["run"]["problems"].clone();
    assert_eq!(problems(), json!([]));

    let sooty = world.replace("with flour in his eyebrows", "with soot in his eyebrows");
    write(&sooty.replace("hp: 30", "hp: thirty"));
    page.step("tale");
    let before = world.split_once("hp: 30").unwrap().0;
    let line = before.lines().count();
    let problem = &problems()[0];
    assert_eq!(problem["line"], line, "{problem}");
    let text = problem["text"].as_str().unwrap();
    has(text, &[&format!("world.ron:{line}:")]);
    assert!(look().contains("with flour"), "the old data stay");

    // What the story can't go without is a problem of the whole file.
    write(&sooty.replace("Isa Finch", "Isolde Finch"));
    page.step("tale");
    let text = problems()[0]["text"].as_str().unwrap().to_owned();
    has(&text, &["'Isa Finch' is gone"]);

    write(&sooty);
    page.step("tale");
    assert_eq!(problems(), json!([]));
    assert!(look().contains("with soot"));
    page.done("tale", &json!({"do": "branch", "turn": 2, "name": "twig"}));
    drop(page);
    for slot in ["tale", "twig"] {
        succeed(folder, &format!("replay {slot}"));
    }
}

#[test]
fn an_address_is_for_a_story_with_a_page() {
    let folder = &Dir::new();
    for command in ["run --port 4100", "undercover --listen 127.0.0.2"] {
        let refused = exits(folder, command, 2);
        assert!(super::err(&refused).contains("--watch"), "{command}");
    }
    assert!(!folder.join("saves").exists());
}

/// What the last call that is over was sent.
fn last_request(page: &Served, slot: &str) -> String {
    let calls = page.list(&format!("{slot}/calls"), "calls");
    let last = &calls.last().unwrap()["call"];
    let call = page.api(&format!("{slot}/call/{last}"));
    call["request"].as_str().unwrap().to_owned()
}

#[test]
fn a_team_that_is_edited_while_it_is_watched_is_taken_over_between_turns() {
    let folder = &Dir::new();
    fs::create_dir_all(folder.join("data/teams")).unwrap();
    let write = |file: &str, (turns, second, told): (&str, &str, &str)| {
        let team = format!(
            r#"(name: "Smithy", language: en, max_turns: {turns}, participants: [
                (name: "Ann", system_message: "{told}"),
                (name: "{second}", system_message: "{told}"),
            ])"#
        );
        fs::write(folder.join(file), team).unwrap();
    };
    for (file, team, slot) in [
        ("data/teams/smithy.ron", "smithy", "one"),
        ("own.ron", "own.ron", "two"),
    ] {
        write(file, ("30", "Bea", "You sing."));
        let begun = format!("chat {team} --save {slot} --until 1 --task Shoe-the-horse --quiet");
        succeed(folder, &begun);
        let page = Served::begin(folder, "watch --all --json");
        page.wait_for(slot, "paused");
        page.step(slot);
        assert!(last_request(&page, slot).contains("You sing."));
        let problems = || page.api(&format!("{slot}/story"))["run"]["problems"].clone();
        for (wrong, problem) in [
            (("thirty", "Bea", "You shoe horses."), "expected"),
            (("40", "Zoe", "You shoe horses."), "Zoe"),
        ] {
            write(file, wrong);
            page.step(slot);
            let text = problems().to_string();
            has(&text, &[file, problem]);
            assert!(last_request(&page, slot).contains("You sing."));
        }
        write(file, ("40", "Bea", "You shoe horses."));
        page.step(slot);
        assert_eq!(problems(), json!([]));
        assert!(last_request(&page, slot).contains("You shoe horses."));
        drop(page);
        succeed(folder, &format!("replay {slot} --quiet"));
    }
}

#[test]
fn prompts_of_undercover_that_are_edited_while_it_is_watched_are_taken_over() {
    let folder = &Dir::new();
    let prompts = folder.join("data/prompts/en/undercover");
    for part in ["asks", "system"] {
        fs::create_dir_all(prompts.join(part)).unwrap();
    }
    succeed(folder, "undercover --seed 3 --save game --until 2 --quiet");
    let page = Served::begin(folder, "watch --all --json");
    page.wait_for("game", "paused");
    let write = |file: &str, text: &str| fs::write(prompts.join(file), text).unwrap();
    write("asks/describe.j2", "Sing of it, {{ number.");
    page.step("game");
    let problems = || page.api("game/story")["run"]["problems"].clone();
    let text = problems()[0]["text"].as_str().unwrap().to_owned();
    has(&text, &["describe.j2:1:"]);
    for ask in ["describe", "vote"] {
        write(&format!("asks/{ask}.j2"), "Sing of it.");
    }
    write("system/player.j2", "You are called {{ name }}.");
    page.step("game");
    assert_eq!(problems(), json!([]));
    page.step("game");
    let sent = last_request(&page, "game");
    has(&sent, &["Sing of it."]);
    has(&sent, &["You are called "]);
    drop(page);
    // The save has the prompts with which it was played.
    succeed(folder, "replay game --quiet");
    fs::remove_dir_all(folder.join("data")).unwrap();
    succeed(folder, "replay game --quiet");
    let resumed = succeed(folder, "resume game");
    has(&super::err(&resumed), &["  prompts"]);
    succeed(folder, "replay game --quiet");
}

#[test]
fn a_branch_from_the_page_may_have_other_models() {
    let folder = &Dir::new();
    let page = Served::start(folder, "--save tale --paused");
    page.wait_for("tale", "paused");
    page.step("tale");
    page.step("tale");
    let story = page.api("tale/story");
    assert!(
        each(&story["models"]).any(|model| model == "improviser"),
        "{story}"
    );
    let id = one(&story["entities"], "kind", "actor")["id"].to_string();
    let branch = |name: &str, model: &str| {
        let models = json!({ id.clone(): model });
        let body = json!({"do": "branch", "turn": 1, "name": name, "models": models});
        page.post("/api/tale/do", &body).status
    };
    assert_eq!(branch("no", "nosuch"), 409);
    assert_eq!(branch("twig", "improviser"), 200);
    page.wait_for("twig", "paused");
    page.step("twig");
    let person = page.api(&format!("twig/person/{id}"));
    assert_eq!(person["mind"], "improviser", "{person}");
}

/// The data of a report, but for its clock.
fn report_of(folder: &std::path::Path, slot: &str) -> Vec<String> {
    succeed(folder, &format!("export {slot} --html {slot}.html"));
    let report = fs::read_to_string(folder.join(format!("{slot}.html"))).unwrap();
    let parts = report.split("<script type=\"application/").skip(1);
    let parts = parts.filter(|part| !part.starts_with("json\" id=\"story\""));
    parts.map(str::to_owned).collect()
}

#[test]
fn the_log_of_events_tells_a_story_as_its_journal_does() {
    let folder = &Dir::new();
    let run = "run drowned-assize --seed 2 --save one --until 8 --quiet";
    succeed(folder, run);
    // Their logs are in the order of a replay. A run's own is in that in which answers came.
    for (slot, turn) in [("twin", 8), ("torn", 5)] {
        succeed(folder, &format!("branch one {slot} --turn {turn} --quiet"));
        succeed(folder, &format!("resume {slot} --until {turn} --quiet"));
    }
    // A story that was killed while it played a turn: its journal is ahead of its snapshot.
    let files = ["world.json", "events.jsonl"].map(|file| folder.join("saves/torn").join(file));
    let old = files.clone().map(|file| fs::read(file).unwrap());
    succeed(folder, "resume torn --until 6 --quiet");
    for (file, old) in files.iter().zip(&old) {
        fs::write(file, old).unwrap();
    }
    succeed(folder, "undercover --seed 3 --save game --quiet");
    for slot in ["twin", "torn", "game"] {
        let log = folder.join(format!("saves/{slot}/events.jsonl"));
        let logged = report_of(folder, slot);
        let text = fs::read_to_string(&log).unwrap();
        let changed = text.replace("\"text\":\"", "\"text\":\"LOGGED ");
        fs::remove_file(&log).unwrap();
        let replayed = report_of(folder, slot);
        for (logged, replayed) in logged.iter().zip(&replayed) {
            assert!(logged == replayed, "{slot}\n{logged}\n{replayed}");
        }
        assert_eq!(logged.len(), replayed.len());
        // What can't be read, or does not reach the snapshot, is not used.
        let end = text.find("{\"snapshot\"").unwrap();
        for broken in [
            &text.replacen("\"event\":[", "\"event\":[[", 1),
            &text[..end],
            &changed,
        ] {
            fs::write(&log, broken).unwrap();
            assert!(report_of(folder, slot) == replayed, "{slot}");
        }
    }
    let count = |slot| report_of(folder, slot).concat().matches("\"by\":").count();
    assert_eq!(count("one"), count("twin"));
    // It has no gap.
    succeed(folder, "resume torn --until 7 --quiet");
    assert!(!folder.join("saves/torn/events.jsonl").exists());
}

#[test]
fn a_team_finishes_its_run_on_its_page() {
    let folder = &Dir::new();
    let team = r#"(name: "Smithy", language: en, participants: [(name: "Ann"), (name: "Bea")], max_turns: 4)"#;
    fs::write(folder.join("smithy.ron"), team).unwrap();
    let begun = "chat smithy.ron --save talk --until 1 --task Shoe-the-horse --quiet";
    succeed(folder, begun);
    let page = Served::begin(folder, "watch --all --json");
    let story = page.wait_for("talk", "paused");
    for deed in ["play", "step", "stop", "branch"] {
        assert!(can(&story, deed), "{deed}: {story}");
    }
    tell_somebody(&page, "talk");
    page.post("/api/talk/do", &json!({"do": "play"}));
    let story = page.wait_for("talk", "finished");
    let said = page.list("talk/events?kind=chat_said&told=1", "events");
    assert!(said.len() >= 4, "{said:?}: {story}");
    drop(page);
    succeed(folder, "replay talk --quiet");
    // It waits for a task, which a terminal can give.
    let page = Served::begin(folder, "watch --all --json");
    let story = page.wait_for("talk", "saved");
    assert!(!can(&story, "play"), "{story}");
    drop(page);
    succeed(folder, "resume talk --task Again --quiet");
}

#[test]
fn a_writer_sees_mistakes_at_once_rehearses_and_plays_from_a_scene() {
    let folder = &Dir::new();
    succeed(folder, "new mine --kind talk");
    let file = folder.join("mine/world.ron");
    let world = fs::read_to_string(&file).unwrap();
    let page = Served::start(folder, "mine --save tale --paused");
    page.wait_for("tale", "paused");
    let draft = page.api("tale/desk");
    assert_eq!(draft["problems"], json!([]));
    let scene = &draft["scenes"][0];
    let id = scene["scene"].as_str().unwrap().to_owned();
    let line = scene["line"].as_u64().unwrap() as usize - 1;
    let text: Vec<_> = world.lines().skip(line).take(3).collect();
    has(&text.join("\n"), &[&format!("id: \"{id}\"")]);

    // While the story is paused, mistakes are told as they are written.
    write(&file, &world.replacen("profile:", "prophile:", 1));
    let draft = page.api("tale/desk");
    has(&draft["problems"].to_string(), &["prophile", "world.ron:"]);
    let refused = page.post("/api/tale/do", &json!({"do": "rehearse"}));
    assert_eq!(refused.status, 409, "{}", refused.body);

    // And in a second file of a world that is split.
    let (head, rest) = world.split_once("    scenes: [").unwrap();
    let (scenes, tail) = rest.split_once("\n    ],\n").unwrap();
    let scenes = format!("(scenes: [{scenes}\n])\n");
    let second = folder.join("mine/scenes.ron");
    write(&second, &scenes);
    let split = format!("{head}    files: [\"scenes.ron\"],\n{tail}");
    write(&file, &split);
    assert_eq!(page.api("tale/desk")["problems"], json!([]));
    write(&second, &scenes.replacen("opening:", "opnening:", 1));
    let draft = page.api("tale/desk");
    has(&draft["problems"].to_string(), &["opnening", "scenes.ron:"]);
    write(&second, &scenes);

    let told = page.done("tale", &json!({"do": "rehearse"})).json();
    assert_eq!(told["runs"], 100);
    assert!(told["tables"].as_array().unwrap().len() > 4, "{told}");
    let play = json!({"do": "play_scene", "scene": id});
    let slot = page.done("tale", &play).slot();
    page.wait_for(&slot, "finished");
    let played = page.api(&format!("{slot}/scenes"));
    let count = one(&played, "scene", &id)["played"].as_u64();
    assert!(count > Some(0), "{played}");
    drop(page);
    succeed(folder, &format!("replay {slot}"));
}
