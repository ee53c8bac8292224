//! A story that the program serves, and requests to it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::{has, playhouse};

/// A story on a page, and its process.
pub(super) struct Served {
    program: Child,
    pub(super) address: String,
    /// What the program printed.
    pub(super) records: Vec<Value>,
    /// Sent with every request.
    pub(super) cookie: String,
    /// The slots whose stories are read.
    read: Mutex<BTreeSet<String>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The slot that it names.
    #[track_caller]
    pub(super) fn slot(&self) -> String {
        self.json()["slot"].as_str().unwrap().to_owned()
    }

    /// The header that sends back the cookie that it sets.
    #[track_caller]
    pub(super) fn cookie(&self) -> String {
        let mut lines = self.head.lines();
        let cookie = lines.find_map(|line| line.strip_prefix("set-cookie: "));
        format!("\r\nCookie: {}", cookie.unwrap().split(';').next().unwrap())
    }
}

/// What a look finds, once it finds something; `None` if it never does.
pub(super) fn await_some<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    (0..6_000).find_map(|_| {
        let found = look();
        if found.is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        found
    })
}

#[track_caller]
pub(super) fn each(list: &Value) -> std::slice::Iter<'_, Value> {
    list.as_array().unwrap().iter()
}

/// The first of a list whose member is this.
#[track_caller]
pub(super) fn one<'v>(list: &'v Value, member: &str, is: &str) -> &'v Value {
    each(list).find(|one| one[member] == is).unwrap()
}

/// Whether a story offers a deed.
pub(super) fn can(story: &Value, deed: &str) -> bool {
    each(&story["can"]).any(|can| can == deed)
}

/// An answer to what a seat is asked: these words, and the last option of each choice.
pub(super) fn any_answer(asked: &Value, words: &str) -> Value {
    let number = &asked["number"];
    if asked["fields"].is_array() {
        return json!({"number": number, "form": filled(&asked["fields"], words)});
    }
    let options = asked["options"].as_array();
    match options.and_then(|options| options.last()) {
        Some(option) => json!({"number": number, "option": option["value"]}),
        None => json!({"number": number, "text": words}),
    }
}

fn filled(fields: &Value, words: &str) -> Value {
    let fields = each(fields).map(|field| {
        let given = match each(&field["options"]).last() {
            None => json!(words),
            Some(option) => {
                let number: u32 = option["value"].as_str().unwrap().parse().unwrap();
                json!([{"option": number, "fields": filled(&option["fields"], words)}])
            }
        };
        (field["name"].as_str().unwrap().to_owned(), given)
    });
    Value::Object(fields.collect())
}

/// Sends a request; the head ends without a line break.
fn send(address: &str, head: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(600)))
        .unwrap();
    let length = body.len();
    let text = format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

fn answer(address: &str, head: &str, body: &str) -> Answer {
    let head = format!("{head}\r\nConnection: close");
    let mut stream = BufReader::new(send(address, &head, body));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).unwrap() > 0 {}
    let length = head.lines().find_map(|line| {
        let (name, length) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| length.trim().parse().unwrap())
    });
    let mut body = String::new();
    // Not everybody closes a connection when it is asked to.
    let mut rest = stream.take(length.unwrap_or(u64::MAX));
    rest.read_to_string(&mut body).unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head,
        body,
    }
}

/// The status of the answer to a request.
pub(super) fn bare(address: &str, head: &str, body: &str) -> u16 {
    answer(address, head, body).status
}

/// The answer of any server to a request whose head lacks the host alone.
pub(super) fn exchange(address: &str, head: &str, body: &str) -> Answer {
    answer(address, &format!("{head}\r\nHost: {address}"), body)
}

impl Served {
    pub(super) fn start(folder: &Path, arguments: &str) -> Self {
        Self::begin(folder, &format!("watch --json {arguments}"))
    }

    /// The program with a command that serves a page.
    pub(super) fn begin(folder: &Path, arguments: &str) -> Self {
        // A name with a space has another one here.
        let words = arguments.split(' ').map(|word| word.replace('\u{a0}', " "));
        let mut program = playhouse(folder)
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let invited = ["--invite", "--seat"].map(|option| arguments.matches(option).count());
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let mut records: Vec<Value> = Vec::new();
        let has_address = |record: &&Value| !record["address"].is_null();
        while records.iter().filter(has_address).count() <= invited.iter().sum() {
            records.push(serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap());
        }
        let page = records.iter().find(|record| record["record"] == "page");
        let page = page.unwrap()["address"].as_str().unwrap().to_owned();
        let mut served = Self {
            address: page.split('/').nth(2).unwrap().to_owned(),
            program,
            records,
            cookie: String::new(),
            read: Mutex::default(),
        };
        if page.contains("/enter/") {
            served.cookie = served.enter(&page);
        }
        served
    }

    /// The record of this kind that the program printed.
    pub(super) fn record(&self, kind: &str) -> &Value {
        let mut records = self.records.iter();
        records.find(|record| record["record"] == kind).unwrap()
    }

    /// Opens an address with a token; returns the header of its cookie.
    pub(super) fn enter(&self, address: &str) -> String {
        let path = address.split_once(&self.address).unwrap().1;
        let answer = self.get(path);
        // A redirect would lose the cookie after a click on another site.
        assert_eq!(answer.status, 200, "{}", answer.body);
        has(&answer.body, &["http-equiv=\"refresh\""]);
        let head = answer.head.to_lowercase();
        has(&head, &["httponly; samesite=strict"]);
        answer.cookie()
    }

    /// Is whoever was invited to the first seat from now on; returns the cookie of before.
    pub(super) fn sit(&mut self) -> String {
        let address = self.record("seat")["address"].as_str().unwrap();
        let own = self.enter(address);
        std::mem::replace(&mut self.cookie, own)
    }

    pub(super) fn send(&self, head: &str, body: &str) -> TcpStream {
        send(&self.address, &format!("{head}{}", self.cookie), body)
    }

    pub(super) fn ask(&self, head: &str, body: &str) -> Answer {
        let head = format!("{head}{}", self.cookie);
        answer(&self.address, &head, body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}", self.address);
        self.ask(&head, "")
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nX-Playhouse: 1\r\nContent-Type: application/json",
            self.address
        );
        self.ask(&head, &body.to_string())
    }

    /// Does something in a story, which must be possible.
    #[track_caller]
    pub(super) fn done(&self, slot: &str, deed: &Value) -> Answer {
        let done = self.post(&format!("/api/{slot}/do"), deed);
        assert_eq!(done.status, 200, "{deed}: {}", done.body);
        done
    }

    /// The list in a member of what an address answers.
    pub(super) fn list(&self, path: &str, member: &str) -> Vec<Value> {
        self.api(path)[member].as_array().unwrap().clone()
    }

    /// What an address answers once its story is read.
    pub(super) fn api(&self, path: &str) -> Value {
        let slot = path.split('/').next().unwrap_or_default();
        let story = format!("/api/{slot}/story");
        while !self.read.lock().unwrap().contains(slot) {
            let answer = self.get(&story);
            if answer.status == 200 && answer.json()["run"]["state"] == "reading" {
                std::thread::sleep(Duration::from_millis(20));
            } else {
                self.read.lock().unwrap().insert(slot.to_owned());
            }
        }
        let answer = self.get(&format!("/api/{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Waits until a story's run is in a state.
    #[track_caller]
    pub(super) fn wait_for(&self, slot: &str, state: &str) -> Value {
        self.wait_until(slot, |story| story["run"]["state"] == state)
    }

    /// Waits until something of a story holds.
    #[track_caller]
    pub(super) fn wait_until(&self, slot: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let story = || self.api(&format!("{slot}/story"));
        let held = await_some(|| Some(story()).filter(&holds));
        held.unwrap_or_else(|| panic!("it never holds: {}", story()["run"]))
    }

    /// Waits until a story is paused after a turn.
    #[track_caller]
    pub(super) fn wait_for_turn(&self, slot: &str, turn: u64) {
        self.wait_until(slot, |story| {
            story["run"]["state"] == "paused" && story["turn"] == turn
        });
    }

    /// The question that a seat is asked, once it is.
    #[track_caller]
    pub(super) fn asked_at(&self, slot: &str) -> Value {
        let open = || self.api(&format!("{slot}/seat"))["open"].take();
        await_some(|| Some(open()).filter(|open| !open.is_null())).unwrap()
    }

    /// Plays one turn of a paused story.
    pub(super) fn step(&self, slot: &str) {
        let next = self.wait_for(slot, "paused")["turn"].as_u64().unwrap() + 1;
        self.done(slot, &json!({"do": "step", "by": "turn"}));
        self.wait_for_turn(slot, next);
    }

    /// The events of a stream after an id, until one of this name has come.
    pub(super) fn stream(
        &self,
        path: &str,
        last: Option<&str>,
        until: &str,
    ) -> Vec<(String, String, Value)> {
        let last = last.map_or(String::new(), |id| format!("\r\nLast-Event-ID: {id}"));
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}{last}", self.address);
        let lines = BufReader::new(self.send(&head, "")).lines();
        let mut events = Vec::new();
        let (mut id, mut name) = (String::new(), String::new());
        for line in lines {
            let line = line.unwrap();
            match line.split_once(": ") {
                Some(("id", text)) => id = text.to_owned(),
                Some(("event", text)) => name = text.to_owned(),
                Some(("data", text)) => {
                    let data = serde_json::from_str(text).unwrap();
                    events.push((id.clone(), name.clone(), data));
                    if name == until {
                        break;
                    }
                }
                _ => {}
            }
        }
        events
    }
}
