//! Markup and scripts through everything that a story is made of: nothing of it is ever more than
//! text, in a page or in a file.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::browser::{Browser, IS_READY, browser, file_address};
use super::model_server::{Reply, fitting, schema_of, serve_model};
use super::page::ATTACKS;
use super::served::Served;
use super::{Dir, succeed, write};

/// What is in the world of `playhouse new`, and the attack that takes its place.
const OF_WORLD: [(&str, &str); 20] = [
    (
        "The Mill at Hollow Brook",
        "</script><script>alert(1)</script>",
    ),
    ("A mill that will not stop", "<svg onload=alert(1)>"),
    ("The Brook", "<svg onload=alert(1)>"),
    ("Village Green", "<style>*{display:none}</style>"),
    ("Bakehouse", "<iframe src=javascript:alert(1)>"),
    ("Grinding Floor", "<base href=//evil.example>"),
    ("Tam Weller", "<img src=x onerror=alert(1)>"),
    ("Isa Finch", "</title><script>alert(1)</script>"),
    ("Flour Wight", "</textarea><script>alert(1)</script>"),
    ("Peel Swing", "<details open ontoggle=alert(1)>"),
    ("Tam's plan", "<meta http-equiv=refresh content=0>"),
    ("The last miller", "<form action=//evil.example>"),
    ("the miller's key", "<object data=javascript:alert(1)>"),
    (
        "A key as long as a hand",
        "<math><mi xlink:href=javascript:alert(1)>",
    ),
    (
        "the man who is to run the mill",
        "<link rel=stylesheet href=//evil.example>",
    ),
    ("To leave Hollow Brook", "<!--<script>alert(1)</script>-->"),
    ("leave Hollow Brook", "<a href=javascript:alert(1)>x</a>"),
    (
        "Old Harl ground",
        "<embed src=//evil.example> Old Harl ground",
    ),
    ("The baker's son", "<body onload=alert(1)>"),
    ("A broad young man", "<svg><script>alert(1)</script></svg>"),
];
const HERO: &str = "<img src=x onerror=alert(1)>";
const SEATED: &str = "</title><script>alert(1)</script>";
/// Elements that the page has none of, or none but its own.
const FOREIGN: &str = "[...document.querySelectorAll('script:not([type=\"application/json\"], [type=\"application/gzip\"]), \
     iframe, object, embed, base, img, link, style, math, meta[http-equiv], template, noscript, \
     form[action], [href^=\"javascript\"], [onload], [onclick], [onerror], [onfocus], \
     [onmouseover], [ontoggle]')].map((one) => one.outerHTML)";

/// What a mind has done.
#[derive(Default)]
struct Done {
    requests: usize,
    called: usize,
    failed: bool,
    refused: bool,
    said: Vec<&'static str>,
}

/// Minds that answer with attacks, call tools with attacks, and fail with attacks.
fn hostile_model(folder: &Path) {
    let done = Mutex::new(Done::default());
    serve_model(folder, move |request| {
        let mut done = done.lock().unwrap();
        done.requests += 1;
        let mut next = done.requests;
        let mut attack = move || {
            next += 1;
            ATTACKS[next * 7 % ATTACKS.len()].to_owned()
        };
        let Some(schema) = schema_of(request) else {
            return Reply::at_once(attack());
        };
        let messages = request["messages"].as_array().unwrap();
        let has_called = messages.last().unwrap()["role"] == "tool";
        if let Some(tools) = request["tools"].as_array()
            && !has_called
            && done.called < 2
        {
            // One that there is, and one that there is not.
            done.called += 1;
            let known = tools[0]["function"]["name"].as_str().unwrap();
            let name = ["<script>alert(1)</script>", known][done.called % 2];
            return Reply::Tool(
                name.to_owned(),
                json!({"text": attack(), "query": attack()}),
            );
        }
        if !done.failed {
            done.failed = true;
            return Reply::Error(attack());
        }
        if !done.refused {
            done.refused = true;
            return Reply::at_once(attack());
        }
        // What was said least often.
        let mut wanted = ["whisper", "speak", "announce"];
        wanted.sort_by_key(|kind| done.said.iter().filter(|said| *said == kind).count());
        let may = |kind: &&&str| schema["properties"][**kind].is_object();
        let says = wanted.iter().find(may).copied();
        done.said.extend(says);
        let answer = fitting(&schema, says.as_slice(), &mut attack);
        Reply::at_once(answer.to_string())
    });
}

/// Nothing of the page is an element of an attack.
fn check(browser: &Browser, what: &str) {
    let own = ["href=\"data:,\"", "/assets/app.", "/assets/stories."];
    let found = browser.value(FOREIGN);
    let mut found = found
        .as_array()
        .unwrap()
        .iter()
        .map(|html| html.as_str().unwrap());
    let foreign = found.find(|html| !own.iter().any(|own| html.contains(own)));
    assert_eq!(foreign, None, "{what}");
}

/// Nothing of a file's or page's text is an attack as it was written.
fn check_text(html: &str, what: &str) {
    let markup = ATTACKS.iter().filter(|attack| attack.contains("alert(1)"));
    for attack in markup.filter(|attack| attack.starts_with('<')) {
        assert!(!html.contains(attack), "{attack} in {what}");
    }
    assert!(html.contains("alert(1)"), "there is none in {what}");
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn attacks_through_everything_that_a_story_is_made_of_stay_text() {
    let browser = browser();
    let folder = &Dir::new();
    succeed(folder, "new evil");
    let mut world = fs::read_to_string(folder.join("evil/world.ron")).unwrap();
    for (words, attack) in OF_WORLD {
        assert!(world.contains(words), "{words}");
        world = world.replace(words, attack);
    }
    // Both are at the same place from the start.
    let [here, there] = ["Village Green", "Bakehouse"].map(|name| {
        let attack = OF_WORLD.iter().find(|(words, _)| *words == name).unwrap().1;
        format!("            stage: \"{attack}\"")
    });
    world = world.replace(&there, &here);
    world = world.replace("faction: Hero,", "faction: Hero, tools: [\"search_lore\"],");
    write(&folder.join("evil/world.ron"), &world);
    hostile_model(folder);
    let invited = SEATED.replace(' ', "\u{a0}");
    let page = Served::start(
        folder,
        &format!(
            "evil --save evil --models models.ron --model m --on-server-error fall-back --paused --invite {invited} --turn-limit 60"
        ),
    );
    let host = page.record("page");
    let host = host["address"].as_str().unwrap();
    page.wait_for("evil", "paused");
    let story = page.api("evil/story");
    let id_of = |name: &str| {
        let mut entities = story["entities"].as_array().unwrap().iter();
        entities.find(|entity| entity["name"] == name).unwrap()["id"].clone()
    };
    let (hero, place) = (id_of(HERO), id_of("<style>*{display:none}</style>"));
    let items = page.api("evil/items");
    for deed in [
        json!({"do": "give", "item": items[0]["name"], "to": hero}),
        json!({"do": "tell", "who": [hero], "text": ATTACKS[0]}),
    ] {
        page.done("evil", &deed);
    }
    let seat = page.record("seat");
    let seat = seat["address"].as_str().unwrap();
    let cookie = page.enter(seat);
    let sit = |deed: &str| {
        let head = format!(
            "POST /api/evil/seat HTTP/1.1\r\nHost: {}\r\nX-Playhouse: 1\r\n\
             Content-Type: application/json{cookie}",
            page.address
        );
        let body = json!({ deed: true }).to_string();
        assert_eq!(super::served::bare(&page.address, &head, &body), 200);
    };
    // A seat: its question, its profile, its feed.
    page.done("evil", &json!({"do": "step"}));
    browser.open(seat);
    browser.wait(IS_READY);
    browser.wait("document.querySelector('#seat .ask')?.textContent.includes('alert(1)')");
    check(&browser, "a seat");
    let who = id_of(SEATED);
    browser.open_story(&page, "evil", &format!("?see=person/{who}"));
    browser.wait("document.querySelector('#inspector h2')");
    check(&browser, "who one is at a seat");
    sit("leave");
    page.wait_for("evil", "paused");
    browser.open(host);
    browser.wait(IS_READY);
    page.done("evil", &json!({"do": "play"}));
    page.wait_for("evil", "finished");
    let calls = &page.list("evil/calls", "calls");
    let find = |is_meant: &dyn Fn(&&Value) -> bool| {
        calls.iter().find(is_meant).map(|call| call["call"].clone())
    };
    let refused = find(&|call| call["refused"].as_u64() > Some(0)).expect("a refused answer");
    let fell_back = find(&|call| call["answered_by"] == "fallback").expect("a call that failed");
    let with_tool = find(&|call| call["tools"][0].is_object()).expect("a call of a tool");
    let said = &page.list("evil/events?text=alert", "events");
    for form in ["speech", "whisper", "call", "thought", "narration", "look"] {
        let has = said.iter().any(|event| event["form"] == form);
        assert!(has, "no {form}");
    }
    let event = &said.iter().find(|event| event["form"] == "speech").unwrap()["number"];
    page.done("evil", &json!({"do": "branch", "turn": 2, "name": "twig"}));
    let mut views: Vec<_> = ["people", "map", "audience", "calls", "facts", "branches"]
        .iter()
        .map(|view| format!("?view={view}"))
        .collect();
    views.extend([
        String::new(),
        format!("?n={event}"),
        format!("?see=event/{event}"),
        format!("?see=person/{hero}"),
        format!("?see=context/{hero}"),
        format!("?see=chapters/{hero}"),
        format!("?see=place/{place}"),
        "?see=fact/leaving".to_owned(),
        "?see=item/<object data=javascript:alert(1)>".to_owned(),
        "?text=<script>alert(1)</script>".to_owned(),
        format!("?view=branches&with=twig&of={hero}"),
        format!("?view=facts&of={hero}&about={hero}"),
    ]);
    for call in [&refused, &fell_back, &with_tool] {
        views.extend(
            ["", "/request", "/changes", "/answer"].map(|tab| format!("?see=call/{call}{tab}")),
        );
    }
    for view in &views {
        browser.open_story(&page, "evil", view);
        browser.wait("document.querySelector('#told article, .pane > *')");
        if view.contains("see=") {
            browser.wait("document.querySelector('#inspector h2')");
        }
        check(&browser, view);
        let shown = browser.value("document.body.innerText");
        assert!(
            shown.as_str().unwrap().contains("alert(1)"),
            "{view}: {shown}"
        );
    }
    // What the tool was asked and said, and why the others were refused or failed.
    let call = page.api(&format!("evil/call/{with_tool}"));
    assert!(call["rounds"][0]["calls"][0]["tool"].is_string(), "{call}");
    for path in ["/story/evil", "/story/evil?lang=zh"] {
        check_text(&page.get(path).body, path);
    }
    browser.open(format!("http://{}/", page.address));
    check(&browser, "the list of stories");
    browser.open(format!(
        "http://{}/story/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        page.address
    ));
    check(&browser, "an error");
    assert_eq!(
        browser
            .complaints()
            .iter()
            .filter(|line| !line.contains("404"))
            .count(),
        0
    );

    browser.open("about:blank");
    drop(page);
    browser.complaints();

    // In a file there is no content policy to help.
    for (arguments, file) in [("--calls", "all.html"), ("--seat", "seat.html")] {
        let mut export = super::playhouse(folder);
        export.args(["export", "evil", "--html", file, arguments]);
        export.args((arguments == "--seat").then_some(SEATED));
        let exported = export.output().unwrap();
        assert_eq!(exported.status.code(), Some(0), "{}", super::err(&exported));
        check_text(&fs::read_to_string(folder.join(file)).unwrap(), file);
        browser.open(file_address(folder, file));
        browser.wait(IS_READY);
        for view in views
            .iter()
            .filter(|view| file == "all.html" || !view.contains("call"))
        {
            browser.script(&format!(
                "location.hash = {}",
                json!(view.trim_start_matches('?'))
            ));
            browser.wait("document.querySelector('#told article, .pane > *')");
            let own = browser.value(FOREIGN);
            let foreign = own.as_array().unwrap().iter().filter(|html| {
                let html = html.as_str().unwrap();
                !html.starts_with("<style>/*") && !html.starts_with("<script type=\"module\">")
            });
            assert_eq!(
                foreign.collect::<Vec<_>>(),
                Vec::<&Value>::new(),
                "{file} {view}"
            );
        }
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{file}");
    }
}
