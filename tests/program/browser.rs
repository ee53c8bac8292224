//! The page in a real browser, over WebDriver: chromium and its driver, as Debian has them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde_json::{Value, json};

use super::model_server::{Reply, fitting, schema_of, serve_model};
use super::served::{Served, exchange, one};
use super::{Dir, has, lacks, run, succeed, write};

mod evening;
mod reader;

/// The keys of WebDriver that no text has.
const TAB: char = '\u{e004}';
const ENTER: char = '\u{e007}';
const ESCAPE: char = '\u{e00c}';
/// How often a browser looks again for what is to come, and how long it waits between: two minutes
/// and more, for a machine that has much else to do.
const LOOKS: u32 = 6_000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Whether the scripts of a page have opened its story.
pub(super) const IS_READY: &str = "document.documentElement.classList.contains('is-ready')";
/// What is visible and can be reached, as a script.
const REACHABLE: &str = "[...document.querySelectorAll('a[href], button, input, select, \
     textarea, summary, [tabindex=\"0\"]')].filter((one) => one.tabIndex >= 0 && !one.disabled \
     && one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]'))";

/// Held by the test that uses browsers: several at once would starve one another.
static TURN: Mutex<()> = Mutex::new(());

/// A window of a browser of its own.
pub(super) struct Browser {
    driver: Child,
    address: String,
    session: String,
    /// Not that of a second browser of the same test.
    turn: Option<MutexGuard<'static, ()>>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session, not with its driver.
        let end = format!("DELETE {} HTTP/1.1\r\n\r\n", self.path(""));
        if let Ok(mut stream) = TcpStream::connect(&self.address) {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.write_all(end.as_bytes());
            let _ = stream.read(&mut [0]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        drop(self.turn.take());
    }
}

/// A browser, once no other test has one.
pub(super) fn browser() -> Browser {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut browser = Browser::start();
    browser.turn = Some(turn);
    browser
}

/// Four browsers, once no other test has one.
fn phones() -> Vec<Browser> {
    let last = browser();
    let first = (0..3).map(|_| Browser::start());
    first.chain(std::iter::once(last)).collect()
}

/// Opens each seat of a story at a phone.
fn at_seats<'p>(phones: &'p [Browser], page: &'p Served) -> Vec<(&'p Browser, &'p Value)> {
    let records = page.records.iter();
    let seats = records.filter(|record| record["record"] == "seat");
    let players: Vec<_> = phones.iter().zip(seats).collect();
    for (browser, seat) in &players {
        browser.resize(390, 844);
        browser.open(seat["address"].as_str().unwrap());
        browser.wait(IS_READY);
    }
    players
}

impl Browser {
    /// Another browser for a test that has one.
    fn start() -> Self {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null());
        let driver = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        // Debian has it as chromium-driver.
        let mut driver = driver.unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, port)) = line.split_once("successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        let mut browser = Self {
            driver,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
            turn: None,
        };
        // Containers have little shared memory, and a browser that runs out of it stands still.
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ];
        let wanted = json!({
            "goog:chromeOptions": {"binary": "/usr/bin/chromium", "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        });
        let started = json!({"capabilities": {"alwaysMatch": wanted}});
        let started = browser.request("POST", "/session", &started);
        browser.session = started["sessionId"].as_str().unwrap().to_owned();
        browser.resize(1440, 900);
        browser
    }

    fn path(&self, path: &str) -> String {
        format!("/session/{}{path}", self.session)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = match method {
            "POST" => body.to_string(),
            _ => String::new(),
        };
        let head = format!("{method} {path} HTTP/1.1\r\nContent-Type: application/json");
        let answer = exchange(&self.address, &head, &body);
        let mut answered = answer.json();
        assert_eq!(answer.status, 200, "{path} {body}: {answered}");
        answered["value"].take()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.request("POST", &self.path(path), body)
    }

    /// Does what only this browser knows.
    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.post("/goog/cdp/execute", &body)
    }

    fn resize(&self, width: u32, height: u32) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
    }

    pub(super) fn open(&self, address: impl Display) {
        self.post("/url", &json!({"url": address.to_string()}));
    }

    /// Opens a part of a story, and waits until its scripts have.
    pub(super) fn open_story(&self, page: &Served, slot: &str, query: &str) {
        self.open(format!("http://{}/story/{slot}{query}", page.address));
        self.wait(IS_READY);
    }

    /// What a script returns; it may wait.
    pub(super) fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    pub(super) fn value(&self, expression: &str) -> Value {
        self.script(&format!("return {expression};"))
    }

    /// Waits until an expression is true of the page, or promises to be.
    pub(super) fn wait(&self, expression: &str) {
        for _ in 0..LOOKS {
            let script = format!("return Promise.resolve({expression}).then(Boolean);");
            if self.script(&script) == true {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        let state =
            self.value("`${location} is ${document.readyState}: ${document.body.innerText}`");
        panic!("never {expression}; {:?}; {state}", self.complaints());
    }

    /// Presses keys, one after the other.
    fn press(&self, keys: impl IntoIterator<Item = char>) {
        let down = keys.into_iter().flat_map(|key| {
            let act = |act: &str| json!({"type": act, "value": key.to_string()});
            [act("keyDown"), act("keyUp")]
        });
        let down: Vec<_> = down.collect();
        let keys = json!({"type": "key", "id": "keys", "actions": down});
        self.post("/actions", &json!({"actions": [keys]}));
    }

    /// Clicks on the first visible button or link with these words.
    fn click(&self, words: &str) {
        let found = format!(
            "[...document.querySelectorAll('button, a[href]')].find((one) => \
             one.checkVisibility() && (one.innerText.trim() === {0} || one.title === {0}))",
            json!(words)
        );
        self.wait(&found);
        self.script(&format!("{found}.click();"));
    }

    /// Fills in a field of the open dialog.
    fn fill(&self, name: &str, text: &str) {
        let field = format!("document.querySelector('dialog [name={name}]')");
        self.wait(&field);
        let text = json!(text);
        self.script(&format!("{field}.value = {text};"));
    }

    /// Complaints on the console: errors, and what the content policy refused.
    pub(super) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({"type": "browser"}));
        let lines = log.as_array().unwrap().iter();
        let bad = lines.filter(|line| line["level"] != "INFO" && line["level"] != "DEBUG");
        bad.map(|line| line["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Writes what is shown to a file, at three quarters of its size.
    fn screenshot(&self, path: &Path) {
        let layout = self.devtools("Page.getLayoutMetrics", &json!({}));
        let shown = &layout["cssVisualViewport"];
        let (width, height) = (&shown["clientWidth"], &shown["clientHeight"]);
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 0.75});
        let image = self.devtools(
            "Page.captureScreenshot",
            &json!({"format": "webp", "quality": 60, "clip": clip}),
        );
        let image = BASE64.decode(image["data"].as_str().unwrap()).unwrap();
        write(path, &image);
    }

    /// What axe-core finds that keeps somebody from using what is shown, if `PLAYHOUSE_AXE` names
    /// its script.
    #[expect(
        clippy::disallowed_methods,
        reason = "the environment says where the script is"
    )]
    fn barriers(&self) -> Vec<String> {
        let Some(script) = std::env::var_os("PLAYHOUSE_AXE") else {
            return Vec::new();
        };
        let script = std::fs::read_to_string(script).unwrap();
        let found = self.script(&format!(
            "{script}; return axe.run().then((found) => found.violations.flatMap((rule) => \
             rule.nodes.map((node) => `${{rule.id}}: ${{node.html}} ${{node.failureSummary}}`)));"
        ));
        let found = found.as_array().unwrap().iter();
        found
            .map(|barrier| barrier.as_str().unwrap().to_owned())
            .collect()
    }

    /// All data that came from the server since the last time: the bodies of answers under `/api`,
    /// and what a stream has sent.
    fn received(&self) -> Vec<(String, Value)> {
        let log = self.post("/se/log", &json!({"type": "performance"}));
        let lines = log.as_array().unwrap().iter().map(|line| {
            serde_json::from_str::<Value>(line["message"].as_str().unwrap()).unwrap()["message"]
                .take()
        });
        let received = lines.filter_map(|line| {
            let about = &line["params"];
            match line["method"].as_str().unwrap() {
                "Network.eventSourceMessageReceived" => {
                    let name = about["eventName"].as_str().unwrap().to_owned();
                    let data = serde_json::from_str(about["data"].as_str().unwrap());
                    Some((name, data.unwrap()))
                }
                "Network.responseReceived" => {
                    let url = about["response"]["url"].as_str().unwrap();
                    let path = url.split_once("/api/")?.1;
                    let path = path.split('?').next().unwrap().to_owned();
                    if path.ends_with("/stream") {
                        return None;
                    }
                    let id = json!({"requestId": about["requestId"]});
                    let body = self.devtools("Network.getResponseBody", &id);
                    let data = serde_json::from_str(body["body"].as_str().unwrap());
                    Some((path, data.unwrap()))
                }
                _ => None,
            }
        });
        received.collect()
    }

    /// The events that the page has, by number, and what it lacks of them as `null`.
    fn events(&self) -> Vec<Value> {
        let events = self.script(
            "return import('/assets/data.js').then(({ events }) => Array.from({ length: \
             events.total }, (_, n) => events.at(n) ?? null));",
        );
        events.as_array().unwrap().clone()
    }
}

/// The texts of the page in English.
fn label(page: &Served, key: &str) -> String {
    let labels = page.get("/api/labels?lang=en").json();
    labels[key].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_stranger_finds_the_way_around_by_keyboard_alone() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save visit --until 6");
    page.wait_for("visit", "stopped");
    browser.open(format!("http://{}/", page.address));
    browser.wait(IS_READY);
    browser.wait("document.querySelectorAll('#told article[aria-posinset]').length > 5");
    assert_eq!(
        browser.value("document.title.includes('Drowned Assize')"),
        true
    );
    assert_eq!(browser.barriers(), Vec::<String>::new());
    let landmarks = "[...document.querySelectorAll('header, main, nav, aside')].filter((one) => \
         one.checkVisibility()).map((one) => one.localName)";
    let landmarks = browser.value(landmarks);
    for landmark in ["header", "nav", "main", "aside"] {
        let names = landmarks.as_array().unwrap();
        assert!(
            names.contains(&json!(landmark)),
            "no {landmark}: {landmarks}"
        );
    }
    let nameless = format!(
        "{REACHABLE}.filter((one) => !(one.innerText.trim() || one.ariaLabel || one.title || \
         one.labels?.length)).map((one) => one.outerHTML)"
    );
    assert_eq!(
        browser.value(&nameless),
        json!([]),
        "controls without a name"
    );

    // Every control of the page comes by the tabulator, and shows that it has the focus. Of the
    // story only the links of the event that is read do.
    let current = "document.querySelector('#told .is-current a:not([tabindex=\"-1\"])')";
    let current = format!("Boolean({current})");
    // A window that has just opened may have no keyboard yet.
    let is_read = (0..LOOKS).any(|_| {
        browser.press(['j']);
        browser.value(&current) == true
    });
    assert!(is_read, "nothing is read");
    browser.script("document.body.focus();");
    browser.script("window.reached = new Set(); window.unseen = [];");
    let count = browser
        .value(&format!("{REACHABLE}.length"))
        .as_u64()
        .unwrap();
    assert!(count > 20, "{count}");
    for _ in 0..count + 10 {
        browser.press([TAB]);
        browser.script(
            "const one = document.activeElement; reached.add(one); const style = \
             getComputedStyle(one); if (style.outlineStyle === 'none' && style.boxShadow === \
             'none') unseen.push(one.outerHTML);",
        );
    }
    let missed =
        format!("{REACHABLE}.filter((one) => !reached.has(one)).map((one) => one.outerHTML)");
    assert_eq!(browser.value(&missed), json!([]));
    let unseen = browser.value("unseen.filter((html) => !html.startsWith('<body'))");
    assert_eq!(unseen, json!([]), "where is the focus?");

    browser.press(['?']);
    browser.wait("document.querySelector('dialog[open] dl.keys')");
    browser.press([ESCAPE]);
    browser.wait("!document.querySelector('dialog')");
    for (key, view) in [
        ('p', "people"),
        ('m', "map"),
        ('w', "audience"),
        ('t', "calls"),
        ('d', "desk"),
    ] {
        browser.press(['g', key]);
        browser.wait(&format!(
            "document.querySelector('.p-{view} h2, .p-{view} table')"
        ));
    }
    browser.press(['g', 's']);
    browser.wait("document.body.dataset.view === 'story'");
    browser.press(['j', 'j', ENTER]);
    browser.wait("location.search.includes('see=event') && document.querySelector('.seen h2')");
    browser.press([ESCAPE]);
    browser.wait("!location.search.includes('see=')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_writer_sees_mistakes_rehearses_and_plays_from_a_scene() {
    let browser = browser();
    let folder = &Dir::new();
    succeed(folder, "new mine --kind talk");
    let file = folder.join("mine/world.ron");
    let world = std::fs::read_to_string(&file).unwrap();
    let page = Served::start(folder, "mine --save tale --paused");
    page.wait_for("tale", "paused");
    browser.open_story(&page, "tale", "?view=desk");
    browser.wait("document.querySelector('.p-desk .muted')");
    write(&file, &world.replacen("profile:", "prophile:", 1));
    browser.wait("document.querySelector('.p-desk .bad')?.innerText.includes('prophile')");
    write(&file, &world);
    browser.wait("document.querySelector('.p-desk .muted')");
    browser.click(&label(&page, "page_rehearse"));
    browser.wait("document.querySelectorAll('.p-desk table').length > 4");
    browser.resize(360, 740);
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 360);
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.click(&label(&page, "page_play_from_here"));
    browser.wait("!location.pathname.endsWith('/tale') && document.querySelector('#told article')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_view_fits_a_narrow_screen_in_dark_and_light() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save narrow --until 6");
    page.wait_for("narrow", "stopped");
    let call = page.api("narrow/calls?from=30&to=31")["calls"][0].clone();
    let (person, call) = (&call["who"], &call["call"]);
    let then = page.api(&format!("narrow/context/{person}?call={call}"));
    let parts = then["parts"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["part"] == "ask"), "{then}");
    assert!(then["cached"].as_u64() > Some(0), "{then}");
    assert_eq!(then["call"], *call);
    assert_eq!(
        page.get(&format!("/api/narrow/context/{person}?call=99999"))
            .status,
        404
    );
    let now = page.api(&format!("narrow/context/{person}"));
    assert!(now["past"][1].as_u64() > Some(0), "{now}");
    let branched = json!({"do": "branch", "turn": 3, "name": "other"});
    page.done("narrow", &branched);
    page.step("other");
    let facts = page.api("narrow/facts");
    let mut facts = facts.as_array().unwrap().iter().filter_map(|fact| {
        let fact = fact["fact"].as_str().unwrap().to_owned();
        let knows = page.api(&format!("narrow/fact/{fact}"))["knows"].clone();
        let mut knows = knows.as_array().unwrap().iter();
        knows.any(|known| known["from"].is_u64()).then_some(fact)
    });
    let fact = facts.next().expect("a fact that somebody told");
    let item = page.api("narrow/items")[0]["name"]
        .as_str()
        .unwrap()
        .replace(' ', "%20");
    let place = page.api("narrow/places")[0]["id"].clone();
    browser.resize(360, 740);
    let (mut papers, mut barriers) = (Vec::new(), Vec::new());
    for scheme in ["dark", "light"] {
        let scheme = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.devtools("Emulation.setEmulatedMedia", &json!({"features": scheme}));
        for query in [
            "".to_owned(),
            "?view=people".to_owned(),
            "?view=map".to_owned(),
            "?view=audience".to_owned(),
            "?view=calls".to_owned(),
            "?view=facts".to_owned(),
            "?view=branches".to_owned(),
            "?view=desk".to_owned(),
            format!("?see=person/{person}"),
            format!("?see=context/{person}"),
            "?see=event/9".to_owned(),
            "?see=call/3".to_owned(),
            format!("?see=context/{person}/{call}"),
            "?view=branches&with=other".to_owned(),
            format!("?see=call/{call}/request"),
            format!("?see=call/{call}/changes"),
            format!("?see=call/{call}/answer"),
            format!("?see=chapters/{person}"),
            format!("?see=fact/{fact}"),
            format!("?see=item/{item}"),
            format!("?see=place/{place}"),
            "?lang=zh".to_owned(),
        ] {
            browser.open_story(&page, "narrow", &query);
            browser.wait("document.querySelector('#told article, .pane > *')");
            let width = browser.value("document.documentElement.scrollWidth");
            assert_eq!(width, 360, "{query} scrolls sideways");
            let found = browser.barriers().into_iter();
            barriers.extend(found.map(|found| format!("{query} {found}")));
        }
        browser.click("阅读");
        browser.wait("document.querySelector('dialog[open] .languages a[lang=en]')");
        let found = browser.barriers().into_iter();
        barriers.extend(found.map(|found| format!("a dialog {found}")));
        for (path, shown) in [
            ("/?lang=en", "li a.row"),
            ("/story/none?lang=en", "a.action"),
        ] {
            browser.open(format!("http://{}{path}", page.address));
            browser.wait(&format!("document.querySelector('{shown}')"));
            let width = browser.value("document.documentElement.scrollWidth");
            // Where the whole page scrolls, its bar takes some.
            assert!(width.as_u64() <= Some(360), "{path} scrolls sideways");
            let found = browser.barriers().into_iter();
            barriers.extend(found.map(|found| format!("{path} {found}")));
        }
        papers.push(browser.value("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(papers[0], papers[1], "dark and light");
    assert_eq!(barriers, Vec::<String>::new());
    // The page of an error is sent with its status, of which the console tells.
    let complaints = browser.complaints();
    assert!(
        complaints.iter().all(|line| line.contains("404")),
        "{complaints:?}"
    );
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_host_decides_on_held_answers_and_changes_the_language() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save held --paused");
    page.wait_for("held", "paused");
    for deed in [json!({"do": "review", "on": true}), json!({"do": "step"})] {
        page.done("held", &deed);
    }
    browser.open_story(&page, "held", "?view=people");
    browser.wait("document.querySelector('form.held textarea')");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.click(&label(&page, "page_reading"));
    browser.wait("document.querySelector('dialog[open] .languages a[lang=zh]')");
    browser.script("document.querySelector('.languages a[lang=zh]').click();");
    browser.wait("document.documentElement.lang === 'zh-Hans'");
    browser.wait(IS_READY);
    browser.wait("document.body.dataset.view === 'people'");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_cell_says_its_rule_to_keys_and_fingers_too() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save cells --until 3");
    page.wait_for("cells", "stopped");
    browser.open_story(&page, "cells", "?view=audience&n=0");
    browser.wait("document.querySelector('.matrix .row .c-y')");
    let told = "document.querySelector('.cell-is').innerText";
    let rule = json!(label(&page, "page_rule"));
    browser.script("document.querySelector('.matrix .row .n a').focus();");
    browser.wait(&format!("{told}.startsWith({rule})"));
    browser.press(['\u{e014}']);
    browser.wait("document.querySelector('.matrix .row .is-told')");
    let first = browser.value(told);
    browser.wait(&format!("/: .*\\(/.test({told})"));
    browser.press(['\u{e014}']);
    browser.wait(&format!("{told} !== {first}"));
    browser.script("[...document.querySelectorAll('.matrix .row .c-y')].at(-1).click();");
    let received = json!(label(&page, "page_cell_y"));
    browser.wait(&format!("{told}.includes({received})"));
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_host_edits_an_answer_and_branches_at_a_choice() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save story --until 6");
    page.wait_for("story", "stopped");
    let calls = &page.list("story/calls?turn=1", "calls");
    let opening = calls.iter().find(|call| call["purpose"] == "kickoff");
    let opening = opening.unwrap();
    browser.open_story(&page, "story", &format!("?see=call/{}", opening["call"]));
    browser.click(&label(&page, "page_edit_answer"));
    let words = "The host wrote <mark>this</mark>.";
    browser.wait("document.querySelector('dialog .ask textarea')");
    browser.script(&format!(
        "const words = document.querySelector('dialog .ask textarea'); words.value = {}; \
         words.form.requestSubmit();",
        json!(words)
    ));
    browser.wait("!location.pathname.endsWith('/story/story')");
    browser.wait(IS_READY);
    let edited = browser.value("document.documentElement.dataset.slot");
    let edited = edited.as_str().unwrap();
    page.wait_for(edited, "paused");
    let told = page.api(&format!("{edited}/events?text=this%3C%2Fmark%3E"));
    let told = &told["events"][0];
    assert_eq!(
        (&told["said"], &told["speaker"]),
        (&json!(words), &opening["who"])
    );
    browser.open_story(&page, edited, &format!("?n={}", told["number"]));
    let is_shown = format!(
        "document.querySelector('#told').innerText.includes({})",
        json!(words)
    );
    browser.wait(&is_shown);

    let events = &page.list("story/events?from=0&to=500&told=1", "events");
    let choice = events
        .iter()
        .find(|event| event["form"] == "choice" && event["turn"] != 1);
    let choice = choice.expect("a choice");
    browser.open_story(&page, "story", &format!("?see=event/{}", choice["number"]));
    browser.click(&label(&page, "page_branch_here"));
    browser.fill("name", "otherwise");
    browser.click(&label(&page, "page_do_it"));
    browser.wait("document.querySelector('a[href^=\"/story/otherwise\"]')");
    let turn = choice["turn"].as_u64().unwrap() - 1;
    assert_eq!(page.wait_for("otherwise", "paused")["turn"], turn);
    let people = page.api("otherwise/people");
    let who = &one(&people, "faction", "hero")["id"];
    let told = json!({"do": "tell", "who": [who], "text": "Somebody lies."});
    page.done("otherwise", &told);
    page.step("otherwise");
    let compared = format!("?view=branches&with=otherwise&of={who}");
    browser.open_story(&page, "story", &compared);
    browser.wait("document.querySelector('.diff .added')?.innerText.includes('Somebody lies.')");
    browser.wait("document.querySelectorAll('.sides .side').length === 2");
    let parted = browser.value("document.querySelector('.p-branches p').innerText");
    assert!(
        parted.as_str().unwrap().contains(&turn.to_string()),
        "{parted}"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_newcomer_finds_secrets_reasons_and_what_else_could_have_happened_by_clicks() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save hour --seed 1 --until 8");
    page.wait_for("hour", "stopped");
    let click = |selector: &str| {
        let found = format!("document.querySelector({})", json!(selector));
        browser.wait(&found);
        browser.script(&format!("{found}.click();"));
    };
    let people = page.api("hour/people");
    let pell = one(&people, "name", "Pell Gantry");
    let pell = page.api(&format!("hour/person/{}", pell["id"]));
    let mut known = pell["knows"].as_array().unwrap().iter();
    let secret = known.find(|known| known["by"].is_null() && known["text"] != "");
    let secret = secret.unwrap();
    let fact = page.api(&format!("hour/fact/{}", secret["fact"].as_str().unwrap()));

    // What is the secret that Pell keeps?
    browser.open_story(&page, "hour", "");
    browser.click("Pell Gantry");
    let summary = format!(
        "[...document.querySelectorAll('#inspector summary')].find((one) => \
         one.innerText.trim() === {})",
        secret["title"]
    );
    browser.wait(&summary);
    browser.script(&format!("{summary}.click();"));
    let words = secret["text"].as_str().unwrap();
    let first = words.split('\n').next().unwrap();
    let is_shown = |text: &str| {
        let text = json!(text);
        format!("document.querySelector('#inspector').innerText.includes({text})")
    };
    browser.wait(&is_shown(first));

    // Who knows it?
    let who = format!("{summary}.parentElement.querySelector('a[href*=\"see=fact\"]')");
    browser.wait(&who);
    browser.script(&format!("{who}.click();"));
    browser.wait("location.search.includes('see=fact')");
    let story = page.api("hour/story");
    for known in fact["knows"].as_array().unwrap() {
        let mut entities = story["entities"].as_array().unwrap().iter();
        let name = entities
            .find(|entity| entity["id"] == known["who"])
            .unwrap();
        browser.wait(&is_shown(name["name"].as_str().unwrap()));
    }

    // Why did Jory say that?
    browser.click("Jory Teasel");
    browser.click(&label(&page, "page_what_it_said"));
    click("#told article.f-speech > a.num");
    browser.wait("location.search.includes('see=event')");
    click("#inspector a[href*=\"see=call\"]");
    browser.wait(&is_shown(&label(&page, "page_question")));
    browser.wait("document.querySelector('#inspector .prose')?.innerText.length > 20");

    // What would have happened otherwise?
    browser.script("history.back();");
    browser.click(&label(&page, "page_branch_here"));
    browser.fill("name", "otherwise");
    browser.fill("seed", "77");
    browser.click(&label(&page, "page_do_it"));
    browser.wait("document.querySelector('a[href^=\"/story/otherwise\"]')");
    page.step("otherwise");
    browser.click(&label(&page, "page_branches"));
    browser.click(&label(&page, "page_compare"));
    browser.wait("document.querySelectorAll('.sides .side').length === 2");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

pub(super) fn file_address(folder: &Path, name: &str) -> String {
    format!("file://{}", folder.join(name).display())
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_report_is_a_whole_page() {
    let browser = browser();
    let folder = &Dir::new();
    for command in [
        "--save short --until 8 -q",
        "branch short other --turn 2",
        "export short --html short.html --calls",
    ] {
        succeed(folder, command);
    }
    browser.open(file_address(folder, "short.html"));
    browser.wait(IS_READY);
    browser.wait("document.querySelector('#side-people').innerText.includes('Odile Marsh')");
    browser.wait("document.querySelector('#told').innerText.includes('The Lamp and Ledger')");
    browser.wait("document.querySelector('#told .front').innerText.includes('It is October.')");
    // The morning is told place by place, though the places played at the same time.
    browser.resize(1440, 6000);
    browser.wait("document.querySelectorAll('#told .where').length > 5");
    let shown = browser.value(
        "[...document.querySelectorAll('#told article')].map((row) => Number(row.dataset.n))",
    );
    let report = std::fs::read_to_string(folder.join("short.html")).unwrap();
    let turns: Vec<Value> = serde_json::from_str(&parts_of(&report)["turns"]).unwrap();
    let turn_of = |n: &Value| {
        turns
            .iter()
            .position(|turn| n.as_u64() < turn["to"].as_u64())
    };
    let heads = browser.value(
        "[...document.querySelectorAll('#told article')].filter((row) => row.querySelector('.where'))
             .map((row) => [Number(row.dataset.n), row.querySelector('.where').innerText])",
    );
    let mut places = BTreeSet::new();
    for head in heads.as_array().unwrap() {
        let place = (turn_of(&head[0]), head[1].to_string());
        assert!(places.insert(place), "{head} twice in a turn: {heads}");
    }
    assert!(!shown.as_array().unwrap().is_sorted_by_key(Value::as_u64));
    let told = browser.value("document.querySelector('#told').innerText");
    // What a search found is shown as it is remembered.
    let lines = told.as_str().unwrap().lines();
    for line in lines.filter(|line| !line.contains("searches memory")) {
        lacks(line, &["lets you know"]);
    }
    browser.resize(1440, 900);
    // What was sent for a call, and the branches, are in the file.
    browser.script("location.hash = 'see=call/5/request'");
    browser.wait("document.querySelectorAll('#inspector .messages li').length > 1");
    browser.script("location.hash = 'view=branches&see=call/20/changes'");
    browser.wait("document.querySelectorAll('.branches tbody tr').length === 2");
    browser.wait("document.querySelector('#inspector .diff, #inspector .empty')");
    browser.script("location.hash = 'view=audience&day=1'");
    browser.wait("document.querySelectorAll('.matrix .c-y').length > 5");
    // People are compressed in it.
    let people: Value = serde_json::from_str(&parts_of(&report)["people"]).unwrap();
    let id = &one(&people, "name", "Odile Marsh")["id"];
    browser.script(&format!("location.hash = 'see=person/{id}'"));
    browser.wait("document.querySelector('#inspector').textContent.includes('best on this coast')");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_report_says_what_the_served_page_does() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save whole --seed 3 --until 10");
    let story = page.wait_for("whole", "stopped");
    succeed(folder, "export whole --html whole.html");
    browser.open(file_address(folder, "whole.html"));
    browser.wait(IS_READY);
    browser.script(
        "const page = document.querySelector('script[type=module]').textContent; \
         const file = new Blob([`${page}\\nexport { get };`], { type: 'text/javascript' }); \
         window.report = import(URL.createObjectURL(file));",
    );
    let in_report = |path: &str, query: Value| {
        let path = json!(path);
        browser.value(&format!("report.then(({{ get }}) => get({path}, {query}))"))
    };
    let count = story["events"].as_u64().unwrap();
    let served = (0..count).step_by(500).flat_map(|from| {
        let part = page.api(&format!("whole/audience?from={from}&to={}", from + 500));
        let columns = part["columns"].clone();
        let rows = part["rows"].as_array().unwrap().clone();
        rows.into_iter().map(move |row| (columns.clone(), row))
    });
    let reported = in_report("audience", json!({"from": 0}));
    let column = |columns: &Value, who: &Value| {
        let mut columns = columns.as_array().unwrap().iter();
        columns.position(|column| column == who).unwrap()
    };
    let mut codes = std::collections::BTreeSet::new();
    for (n, (columns, row)) in served.enumerate() {
        let other = &reported["rows"][n];
        for (index, who) in columns.as_array().unwrap().iter().enumerate() {
            let cell = &row["cells"][index];
            let there = &other["cells"][column(&reported["columns"], who)];
            assert_eq!(cell, there, "event {n}, {who}: {row} {other}");
            codes.insert(cell.as_str().unwrap().to_owned());
        }
    }
    for code in ["y", "e", "o", "l"] {
        assert!(codes.contains(code), "{code} in {codes:?}");
    }
    for n in (0..count).step_by(7) {
        let reported = in_report(&format!("event/{n}"), json!({}));
        let served = page.api(&format!("whole/event/{n}"));
        for missed in served["not_told"].as_array().unwrap() {
            let mut others = reported["not_told"].as_array().unwrap().iter();
            let other = others.find(|other| other["who"] == missed["who"]);
            assert_eq!(other, Some(missed), "event {n}");
        }
    }
    // What each believes of each.
    let people = page.api("whole/people");
    let actors = people.as_array().unwrap().iter();
    let actors: Vec<_> = actors.filter(|person| person["kind"] == "actor").collect();
    let mut believed = 0;
    for (who, about) in actors
        .iter()
        .flat_map(|who| actors.iter().map(move |about| (&who["id"], &about["id"])))
        .filter(|(who, about)| who != about)
    {
        let served = page.api(&format!("whole/believes?who={who}&about={about}"));
        let reported = in_report("believes", json!({"who": who, "about": about}));
        for part in ["knows", "promises", "heard", "bond"] {
            let (served, reported) = (&served[part], &reported[part]);
            assert!(
                includes(reported, served),
                "{who} of {about}: {served} {reported}"
            );
            believed += served.as_array().map_or(0, Vec::len);
        }
    }
    assert!(believed > 20, "{believed}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Whether a value has everything that another has.
fn includes(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(name, part)| whole.get(name).is_some_and(|whole| includes(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            let mut pairs = whole.iter().zip(part);
            whole.len() == part.len() && pairs.all(|(whole, part)| includes(whole, part))
        }
        _ => whole == part,
    }
}

/// The parts of a report, by their ids.
fn parts_of(report: &str) -> BTreeMap<String, String> {
    let parts = report
        .split("<script type=\"application/json\" id=\"")
        .skip(1)
        .map(|part| {
            let (id, rest) = part.split_once("\">").unwrap();
            let (json, _) = rest.split_once("</script>").unwrap();
            (id.replace("&#x2f;", "/"), json.to_owned())
        });
    parts.collect()
}

/// A report of so many events: those of a short one, again and again.
fn prolonged(report: &str, events: usize) -> String {
    let parts = parts_of(report);
    let chunk: Value = serde_json::from_str(&parts["events/0"]).unwrap();
    let mut story: Value = serde_json::from_str(&parts["story"]).unwrap();
    story["events"] = events.into();
    let rows = chunk["rows"].as_array().unwrap();
    let mut long = String::new();
    for from in (0..events).step_by(2_000) {
        let rows = rows.iter().cycle().skip(from % rows.len()).take(2_000);
        let chunk = json!({"shared": chunk["shared"], "rows": rows.collect::<Vec<_>>()});
        let json = chunk.to_string().replace('<', "\\u003c");
        long +=
            &format!("<script type=\"application/json\" id=\"events/{from}\">{json}</script>\n");
    }
    let first = "<script type=\"application/json\"";
    let (before, after) = report.split_once(first).unwrap();
    let after = after.replace(&parts["story"], &story.to_string().replace('<', "\\u003c"));
    // Of two elements with the same id the first counts.
    format!("{before}{long}{first}{after}")
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_report_of_100000_events_opens_at_once_and_scrolls() {
    let browser = browser();
    let folder = &Dir::new();
    for command in ["--save long --until 12 -q", "export long --html short.html"] {
        succeed(folder, command);
    }
    let report = std::fs::read_to_string(folder.join("short.html")).unwrap();
    let long = folder.join("long.html");
    write(&long, &prolonged(&report, 100_000));
    browser.open(file_address(folder, "long.html"));
    browser.wait(IS_READY);
    let opened = browser.value(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()",
    );
    // An idle machine takes a third of a second.
    assert!(
        opened.as_f64() < Some(10_000.0),
        "first paint after {opened} ms"
    );
    // What lies at the end is there as soon as one goes there.
    for place in [99_990, 50_000] {
        browser.script(&format!("location.hash = 'n={place}'"));
        browser.wait(&format!(
            "[...document.querySelectorAll('#told article')]
                 .some((one) => Math.abs(one.dataset.n - {place}) < 50)"
        ));
    }
    browser.script(
        "const told = document.querySelector('#told'); const gaps = []; let last;
         const step = (now) => {
             if (last) gaps.push(now - last);
             last = now;
             told.scrollTop += 120;
             if (gaps.length < 120) requestAnimationFrame(step);
             else window.gaps = gaps.sort((a, b) => a - b);
         };
         requestAnimationFrame(step);",
    );
    browser.wait("window.gaps");
    let gaps = browser.value("[window.gaps[60], window.gaps[114]]");
    let rows = browser.value("document.querySelectorAll('#told article').length");
    writeln!(
        std::io::stdout(),
        "paint {opened} ms, frames {gaps} ms, {rows} rows"
    )
    .unwrap();
    assert!(rows.as_u64() < Some(300), "{rows} rows in the document");
    // Sixty frames a second are 17 ms each; a busy machine gets some more time.
    assert!(gaps[0].as_f64() < Some(100.0), "frames of {gaps} ms");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_page_whose_server_is_killed_goes_on_with_the_next_and_loses_nothing() {
    let browser = browser();
    let folder = &Dir::new();
    let page = Served::start(folder, "--save cut --paused");
    page.step("cut");
    browser.open_story(&page, "cut", "");
    page.done("cut", &json!({"do": "play"}));
    browser.wait("import('/assets/data.js').then(({ state }) => state.story.turn > 4)");
    let port = page.address.split_once(':').unwrap().1.to_owned();
    drop(page);
    browser.wait("document.body.classList.contains('is-lost')");
    browser.wait("document.querySelector('#told .status.warn')");
    let page = Served::start(folder, &format!("cut --port {port}"));
    page.wait_for("cut", "paused");
    browser.wait("document.querySelector('#bar .run.paused')");
    page.step("cut");
    let of = page.api("cut/story")["events"].as_u64().unwrap();
    let has_all =
        format!("import('/assets/data.js').then(({{ events }}) => events.total === {of})");
    browser.wait(&has_all);
    let sent = page.api(&format!("cut/events?from={}", of.saturating_sub(200)));
    let shown = browser.events();
    for event in sent["events"].as_array().unwrap() {
        let n = event["number"].as_u64().unwrap() as usize;
        assert_eq!(shown[n]["text"], event["text"], "event {n}");
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn an_answer_that_is_written_while_the_connection_breaks_is_whole() {
    let browser = browser();
    let folder = &Dir::new();
    succeed(folder, "new mill");
    // One word after the other, for longer than the connection is broken.
    let words: Vec<_> = (0..60).map(|word| format!("the word{word} ")).collect();
    let whole = words.concat();
    let pieces = words.clone();
    serve_model(folder, move |request| match schema_of(request) {
        None => Reply::Pieces(pieces.clone(), Duration::from_millis(100)),
        Some(schema) => {
            let answer = fitting(&schema, &["wait"], &mut || "Nothing.".into());
            Reply::at_once(answer.to_string())
        }
    });
    let page = Served::start(
        folder,
        "mill --save mill --models models.ron --model m --paused",
    );
    page.wait_for("mill", "paused");
    browser.open_story(&page, "mill", "");
    page.done("mill", &json!({"do": "step"}));
    let is_written = |word: usize| {
        let shown = "document.querySelector('#told .is-written')?.innerText";
        browser.wait(&format!("{shown}.includes('word{word} ')"));
        browser.value(shown).as_str().unwrap_or_default().to_owned()
    };
    let shown = is_written(5);
    assert!(!shown.contains("word59"), "it was there at once: {shown}");
    // A connection that comes back gets what was written so far, and what is written next.
    let stream = page.stream("/api/mill/stream", Some("0.0"), "delta");
    let (_, _, first) = stream.last().unwrap();
    assert_eq!(first["whole"], true, "{first}");
    let so_far = first["text"].as_str().unwrap();
    assert!(so_far.starts_with(&words[..5].concat()), "{so_far}");
    browser.script("location.reload();");
    browser.wait(IS_READY);
    let shown = is_written(30);
    has(&shown, &[words[..30].concat().trim()]);
    page.wait_for("mill", "paused");
    let told = format!(
        "document.querySelector('#told').innerText.includes({})",
        json!(whole.trim())
    );
    browser.wait(&told);
    // What is told is no longer shown as being written.
    browser.wait("!document.querySelector('#told .is-written')");
    let segments = page.api("mill/call/0")["segments"].clone();
    let kinds: Vec<_> = segments
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row[0])
        .collect();
    assert_eq!(kinds, ["waiting", "writing"]);
    for key in ["page_by_place", "page_by_person"] {
        browser.open_story(&page, "mill", "?view=calls");
        browser.wait("document.querySelectorAll('.tl-names li').length > 3");
        browser.click(&label(&page, "page_by_place"));
        if key == "page_by_person" {
            browser.click(&label(&page, key));
        }
        let rows = browser.value("document.querySelector('.tl-names').innerText");
        let has_people = rows.as_str().unwrap().contains("Tam Weller");
        assert_eq!(has_people, key == "page_by_person", "{rows}");
    }
}

/// Answers the question that waits for words, with a sentence.
const SAY_SOMETHING: &str = "const words = document.querySelector('#seat .ask textarea'); \
     words.value = '我把影人收好，先坐下来喝一口热茶，听听今晚楼下的动静。'; \
     words.form.requestSubmit();";

/// What a seat answers to what it is asked: a line of its own, or the first option of each choice
/// that must be made; returns what was asked.
const ANSWER: &str = "const ask = document.querySelector('#seat .ask:not([data-answered])'); \
     if (!ask) return null; ask.dataset.answered = '1'; \
     const lines = ['Small and warm.', 'Grandmothers own several.', 'Wind ends it.', 'Never leave \
     children alone beside this.', 'Found near altars.', 'Sailors long for one.', 'It needs a \
     match first.', 'My neighbour broke hers.', 'Dim, yet welcome.', 'Ghost tales want it.']; \
     window.spoken = (window.spoken ?? arguments[0] ?? 0) + 4; \
     const form = ask.querySelector('form'); const one = form.querySelector('.menu button'); \
     const words = form.querySelector('textarea'); \
     if (one) one.click(); else words.value = lines[spoken % lines.length]; \
     form.dispatchEvent(new Event('input')); const asked = ask.textContent; \
     if (form.isConnected) form.requestSubmit(); return asked;";

/// What of a seat that is asked is out of sight, as a script: options, what sends them, and the end
/// of the story, for which there must be room.
const OUT_OF_SIGHT: &str = "const seat = document.querySelector('#seat'); const bad = []; \
     const told = document.querySelector('#told').getBoundingClientRect(); \
     const last = [...document.querySelectorAll('#told .v-body > *')] \
     .filter((one) => one.offsetHeight).at(-1)?.getBoundingClientRect(); \
     if (seat.scrollHeight > seat.clientHeight + 1) bad.push(`the form is ${seat.scrollHeight} of \
     ${seat.clientHeight} high`); \
     if (told.height < 150) bad.push(`the story is ${told.height} high`); \
     if (last && (last.bottom > told.bottom + 2 || last.bottom < told.top + 20)) bad.push('the end \
     of the story'); \
     for (const one of seat.querySelectorAll('.asked, button, select, textarea')) { \
     const box = one.getBoundingClientRect(); if (one.checkVisibility() && (box.left < 0 || \
     box.right > innerWidth || box.bottom > innerHeight || box.top < told.bottom)) \
     bad.push(one.outerHTML.slice(0, 100)); } return bad;";

impl Browser {
    /// Waits until all that a seat is asked is in sight.
    #[track_caller]
    fn wait_for_all_in_sight(&self, when: impl Display) {
        let mut out = Value::Null;
        for _ in 0..1_000 {
            out = self.script(OUT_OF_SIGHT);
            if out == json!([]) {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        panic!("{when}: {out}");
    }
}

/// The sizes at which a seat is looked at: a laptop, and a phone.
const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_whole_turn_is_in_sight_below_the_story_at_every_size() {
    let browser = browser();
    for (world, lang, who) in [
        ("drowned-assize", "en", "Jory\u{a0}Teasel"),
        ("zhaoying-ban", "zh", "沈豆娘"),
    ] {
        let folder = &Dir::new();
        let arguments = format!("{world} --seed 1 --lang {lang} --save seat --seat {who}");
        let page = Served::start(folder, &arguments);
        let address = page.record("seat")["address"].as_str().unwrap().to_owned();
        browser.open(format!("{address}?lang={lang}"));
        browser.wait(IS_READY);
        let mut is_fought = false;
        for turn in 0..60 {
            browser.wait("document.querySelector('#seat .ask:not([data-answered])')");
            for (width, height) in SIZES {
                browser.resize(width, height);
                browser.wait_for_all_in_sight(format!("{lang}, turn {turn}, {width} wide"));
            }
            // What an action needs opens beneath it.
            let acts = browser.value("document.querySelectorAll('#seat .menu button').length");
            for act in 0..acts.as_u64().unwrap() {
                browser.script(&format!(
                    "document.querySelectorAll('#seat .menu button')[{act}].click()"
                ));
                browser.wait_for_all_in_sight(format!("{lang}, turn {turn}, act {act}"));
                browser.script(&format!(
                    "const one = document.querySelectorAll('#seat .menu button')[{act}]; \
                    if (one?.ariaPressed === 'true') one.click()"
                ));
            }
            is_fought |= browser
                .value("document.querySelector('#seat .ask').textContent.includes('→')")
                == true;
            if is_fought {
                break;
            }
            // Whoever waits comes to the next fight soonest.
            browser.script("for (const name of ['wait', '等待']) [...document.querySelectorAll('#seat .menu button')].find((one) => one.textContent === name)?.click()");
            browser.script(ANSWER_REST);
        }
        assert!(is_fought, "{lang}: no fight");
    }
}

/// Fills in what must be, and sends it.
const ANSWER_REST: &str = "const ask = document.querySelector('#seat .ask'); if (!ask) return; \
     ask.dataset.answered = '1'; const form = ask.querySelector('form'); \
     const send = form.querySelector('[type=submit]'); \
     if (send.disabled) form.querySelector('.menu button:not([aria-pressed=true])')?.click(); \
     const words = form.querySelector('textarea'); \
     if (!form.querySelector('.menu')) words.value = 'I wait and see.'; form.dispatchEvent(new Event('input')); \
     form.requestSubmit();";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn four_people_play_undercover_at_four_phones() {
    let phones = phones();
    let folder = &Dir::new();
    let game = "undercover --json --save cards --players 6 --words lantern,candle";
    let seats = ["Agatha", "Bruno", "Clemence", "Dmitri"].map(|name| format!(" --seat {name}"));
    let page = Served::begin(folder, &format!("{game}{}", seats.concat()));
    let players = at_seats(&phones, &page);
    // One of them is asked at once, and all others wait for whoever it is.
    let is_asked = |browser: &Browser| browser.value("Boolean(document.querySelector('.ask'))");
    let mut looks = 0..LOOKS;
    assert!(looks.any(|_| {
        std::thread::sleep(BETWEEN_LOOKS);
        players.iter().any(|(browser, _)| is_asked(browser) == true)
    }));
    for ((browser, _), person) in players.iter().zip(["Anna", "Ben", "Cleo", "Dan"]) {
        browser.script(&format!(
            "const name = document.querySelector('#seat input[name=person]'); \
             if (name) {{ name.value = '{person}'; name.form.requestSubmit(); }}"
        ));
    }
    let waiting = players
        .iter()
        .filter(|(browser, _)| is_asked(browser) == false);
    for (browser, _) in waiting {
        let is_told = "/Waiting for \\w+/.test(document.querySelector('#told').innerText)";
        browser.wait(is_told);
        let plays =
            "/(Anna|Ben|Cleo|Dan) plays \\w+/.test(document.querySelector('#seat').innerText)";
        browser.wait(plays);
    }
    for (browser, _) in &players {
        assert_eq!(browser.barriers(), Vec::<String>::new());
    }
    let mut answers = 0;
    for _ in 0..LOOKS {
        for (number, (browser, _)) in players.iter().enumerate() {
            if is_asked(browser) == true {
                browser.wait_for_all_in_sight(format!("player {number}"));
                let card = "/lantern|candle/.test(document.querySelector('#seat :is(.card, .you)').innerText)";
                assert_eq!(browser.value(card), true);
                let asked =
                    browser.script(&ANSWER.replace("arguments[0] ?? 0", &number.to_string()));
                answers += usize::from(asked.is_string());
            }
        }
        if page.api("cards/story")["run"]["state"] == "finished" {
            break;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    assert_eq!(page.wait_for("cards", "finished")["game"], "undercover");
    assert!(answers >= 4, "{answers}");
    let story = page.api("cards/story");
    let everybody = story["entities"].as_array().unwrap().iter();
    let everybody = everybody.filter(|entity| entity["kind"] == "actor");
    let everybody: Vec<_> = everybody
        .map(|entity| entity["name"].as_str().unwrap())
        .collect();
    for (browser, seat) in &players {
        browser.wait("document.querySelector('#told .status.fin')");
        browser.wait("!document.querySelector('#seat button')");
        // Whoever was voted out sees it, too: who won, and the cards, below what was read so far.
        browser.script("document.querySelector('.pill:not([hidden])')?.click()");
        browser.wait("/won/.test(document.querySelector('#told').innerText)");
        browser.wait(
            "/lantern[^]*candle|candle[^]*lantern/.test(document.querySelector('#told').innerText)",
        );
        let contents = "[...document.querySelectorAll('ol.plain a')].some((one) => \
             / wins? in round \\d\\.$/.test(one.textContent))";
        assert_eq!(browser.value(contents), true);
        let headings = "[...document.querySelectorAll('#told h2.day')].every((one) => \
             /^Round \\d$/.test(one.innerText))";
        assert_eq!(browser.value(headings), true);
        // Nobody dies in a game.
        let fates = "Promise.all([import('/assets/names.js'), import('/assets/data.js')]).then( \
             ([{ fate }, { state }]) => state.entityList.map(fate).filter(Boolean))";
        let fates = browser.value(fates);
        assert!(
            fates.as_array().unwrap().iter().all(|fate| fate == "out"),
            "{fates}"
        );
        assert_ne!(fates, json!([]));
        let unknown = "document.querySelector('#told .speaker .muted')?.innerText";
        assert_eq!(browser.value(unknown), Value::Null, "somebody has no name");
        let name = seat["name"].as_str().unwrap();
        let id = &one(&page.api("cards/people"), "name", name)["id"].clone();
        let feed = &page.list(&format!("cards/events?who={id}"), "events");
        let mut seen = std::collections::BTreeMap::new();
        // The word of the others is known once an event tells it, at the end.
        let dealt = feed[0]["text"].as_str().unwrap();
        let (own, others) = match dealt.contains("lantern") {
            true => ("lantern", "candle"),
            false => ("candle", "lantern"),
        };
        has(dealt, &[own]);
        let of_feed = json!(feed).to_string();
        let mut learned = String::new();
        for (path, data) in browser.received() {
            let of_host = [
                "who", "rule", "audience", "call", "id", "masked", "notes", "withheld",
            ];
            let events = match path.as_str() {
                "events" => data.as_array().unwrap().clone(),
                "cards/events" => data["events"].as_array().unwrap().clone(),
                "labels" => continue,
                "server" | "entities" | "run" | "turn" | "ask" => Vec::new(),
                _ => {
                    assert!(path.starts_with("cards/"), "{path}");
                    Vec::new()
                }
            };
            events
                .iter()
                .for_each(|event| learned += &event.to_string());
            let body = data.to_string();
            assert!(
                !body.contains(others) || learned.contains(others),
                "{path} tells the word of the others: {body}"
            );
            for name in &everybody {
                assert!(
                    !body.contains(name) || of_feed.contains(name),
                    "{path} tells of {name}"
                );
            }
            if path == "run" || path == "cards/story" {
                let of_run = ["seed", "spent", "calls"].map(|member| &data[member]);
                for value in of_run.into_iter().chain([&data["run"]["thinking"]]) {
                    let is_empty = value.is_null() || *value == json!([]) || *value == 0;
                    assert!(is_empty, "{path}: {body}");
                }
            }
            for event in events {
                assert!(
                    of_host.iter().all(|field| event[field].is_null()),
                    "{event}"
                );
                seen.insert(event["number"].as_u64().unwrap(), event["text"].clone());
            }
        }
        let feed: Vec<_> = feed
            .iter()
            .map(|event| {
                let masked = event["masked"].as_array().into_iter().flatten();
                let mut masked = masked.filter(|pair| pair[0] == *id);
                if let Some(pair) = masked.next() {
                    return pair[1].clone();
                }
                // A host is told in the third person.
                let mut event = page.api(&format!("cards/event/{}", event["number"]));
                match event["as_read"].take() {
                    Value::Null => event["text"].take(),
                    text => text,
                }
            })
            .collect();
        let seen: Vec<_> = seen.into_values().collect();
        // Whoever was voted out is shown the rest.
        let is_out = |text: &Value| {
            let left = format!("{name} leaves the table");
            text.as_str().unwrap().contains(&left)
        };
        let out = seen.iter().position(is_out).map_or(seen.len(), |at| at + 1);
        let (while_in, rest) = seen.split_at(out);
        assert_eq!(while_in, &feed[..out], "what reached {}", seat["name"]);
        assert!(feed[out..].iter().all(|text| rest.contains(text)));
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
#[ignore = "writes docs/page, for people to look at"]
fn screenshots() {
    let browser = browser();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/page");
    browser.resize(1280, 800);
    for (world, lang, who) in [
        ("drowned-assize", "en", "Jory Teasel"),
        ("zhaoying-ban", "zh", "沈豆娘"),
    ] {
        let folder = &Dir::new();
        for command in [
            &format!("run {world} --seed 1 --save tide --until 40 --quiet"),
            "branch tide ebb --turn 32 --seed 5",
            "resume ebb --until 38 --quiet",
        ] {
            assert!(run(folder, command).status.success(), "{command}");
        }
        let page = Served::begin(folder, "watch --all --json");
        for (view, query) in views(&page, lang, who) {
            let sign = if query.is_empty() { "?" } else { "&" };
            browser.open_story(&page, "tide", &format!("{query}{sign}lang={lang}"));
            browser.wait("document.querySelector('#told article, .pane > *')");
            browser.wait("document.querySelector('#inspector h2')");
            std::thread::sleep(Duration::from_millis(500));
            browser.screenshot(&docs.join(format!("{view}-{lang}.webp")));
        }
    }
    let folder = &Dir::new();
    let played = "watch zhaoying-ban --seed 1 --json --lang zh --invite 沈豆娘";
    let played = Served::begin(folder, played);
    let invited = played.record("seat");
    let address = invited["address"].as_str().unwrap();
    browser.open(format!("{address}?lang=zh"));
    browser.wait(IS_READY);
    // The first question is answered in words, the next has a menu.
    browser.wait("document.querySelector('#seat .ask textarea')");
    browser.script(SAY_SOMETHING);
    browser.wait("document.querySelector('#seat .ask .menu button')");
    browser.script("document.querySelectorAll('#seat .menu button')[1].click()");
    browser.wait("document.querySelector('#inspector h2')");
    std::thread::sleep(Duration::from_millis(500));
    browser.screenshot(&docs.join("seat-zh.webp"));
}

/// The views of a story that docs/page shows in a language, and their queries.
fn views(page: &Served, lang: &str, who: &str) -> Vec<(&'static str, String)> {
    let events = page.api("tide/events?from=0&kind=whisper");
    let whisper = &events["events"][0]["number"];
    let story = ("story", format!("?n={whisper}&see=event/{whisper}"));
    if lang == "zh" {
        let fact = most_told(page);
        let fact = format!("?view=facts&see=fact/{fact}");
        return vec![story, ("audience", "?view=audience".into()), ("fact", fact)];
    }
    let people = page.api("tide/people");
    let who = &one(&people, "name", who)["id"];
    let calls = page.api(&format!("tide/calls?who={who}"));
    let call = &calls["calls"].as_array().unwrap().last().unwrap()["call"];
    let changes = format!("?view=calls&see=call/{call}/changes");
    vec![
        story,
        ("context", format!("?see=context/{who}")),
        ("changes", changes),
        ("compare", "?view=branches&with=ebb".into()),
    ]
}

/// The fact that most people were told.
fn most_told(page: &Served) -> String {
    let facts = page.api("tide/facts");
    let facts = facts.as_array().unwrap().iter();
    let facts = facts.map(|fact| fact["fact"].as_str().unwrap());
    let told = facts.max_by_key(|fact| {
        let knows = page.api(&format!("tide/fact/{fact}"))["knows"].clone();
        let known = knows.as_array().unwrap().iter();
        known.filter(|known| known["from"].is_u64()).count()
    });
    told.unwrap().to_owned()
}
