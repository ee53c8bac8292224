//! Servers that fail in the middle of a story, as the program meets them: what can't be asked is
//! asked again, and nothing of the failure is in the story.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::model_server::{Reply, fitting, schema_of, serve, write_model};
use super::{command, err, exits, has, in_one_line, journal, lacks, out, run, succeed, write};

/// A server that answers by what it is asked, and fails when it is told to.
#[derive(Clone, Default)]
struct Flaky(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    answered: Vec<String>,
    sent: usize,
    /// From which request on it fails.
    fails_from: Option<From>,
    failure: Option<Failure>,
    has_failed: bool,
}

type Failure = Arc<dyn Fn() -> Reply + Send + Sync>;

#[derive(Clone, Copy)]
enum From {
    Request(usize),
    /// The first request for an answer of this kind, after so many of them.
    Kind(&'static str, usize),
    /// Requests for JSON that hold these words, and no others.
    Words(&'static str),
}

impl Flaky {
    fn reply(&self, request: &Value) -> Reply {
        let mut state = self.0.lock().unwrap();
        state.sent += 1;
        let kind = &request["response_format"]["json_schema"]["name"];
        let before = |kind: &str| {
            let name = format!("\"name\":\"{kind}\"");
            let answered = state.answered.iter();
            answered.filter(|request| request.contains(&name)).count()
        };
        state.has_failed |= match state.fails_from {
            Some(From::Request(number)) => state.sent > number,
            Some(From::Kind(wanted, after)) => kind == wanted && before(wanted) >= after,
            Some(From::Words(_)) | None => false,
        };
        let is_meant = matches!(state.fails_from, Some(From::Words(words))
            if kind.is_string() && request.to_string().contains(words));
        if (state.has_failed || is_meant)
            && let Some(failure) = &state.failure
        {
            return failure();
        }
        state.answered.push(request.to_string());
        drop(state);
        let Some(schema) = schema_of(request) else {
            return Reply::at_once("It rains on the mill, and the wheel turns.");
        };
        let mut text = || "I wait and listen to the water.".to_owned();
        let wanted = ["wait", "speak", "cards"];
        Reply::at_once(fitting(&schema, &wanted, &mut text).to_string())
    }

    fn fail(&self, from: From, failure: impl Fn() -> Reply + Send + Sync + 'static) {
        let mut state = self.0.lock().unwrap();
        state.fails_from = Some(from);
        state.failure = Some(Arc::new(failure));
    }

    fn recover(&self) {
        let mut state = self.0.lock().unwrap();
        (state.fails_from, state.has_failed) = (None, false);
    }

    /// The requests that were answered, in an order that no timing changes.
    fn answered(&self) -> Vec<String> {
        let mut answered = self.0.lock().unwrap().answered.clone();
        answered.sort();
        answered
    }
}

/// A folder with a small world and a model `m`.
fn mill(settings: &str) -> (tempfile::TempDir, Flaky) {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), "new mill");
    let flaky = Flaky::default();
    let server = flaky.clone();
    let port = serve(move |request| server.reply(request));
    write_model(folder.path(), port, settings);
    (folder, flaky)
}

fn play(folder: &Path) -> Output {
    run(
        folder,
        "run mill --models models.ron --model m --seed 1 --save s",
    )
}

fn resume(folder: &Path) -> Output {
    run(folder, "resume s --models models.ron --model m")
}

/// The story so far, as its journal has it: every outcome.
fn outcomes(folder: &Path) -> Vec<String> {
    let journal = journal(folder, "s");
    let lines = journal.lines().filter(|line| line.contains("\"outcome\""));
    lines.map(str::to_owned).collect()
}

fn error(status: u16, headers: &'static str, code: &str, message: &str) -> Reply {
    let error = json!({"message": message, "type": code, "code": code});
    Reply::Raw(status, headers, json!({ "error": error }).to_string())
}

const AT_ONCE: &str = "retry: (times: 0, patience: 0)";

#[test]
fn a_story_is_the_same_to_the_byte_of_every_request_after_any_outage() {
    let (folder, steady) = mill(AT_ONCE);
    let whole = play(folder.path());
    assert_eq!(whole.status.code(), Some(0), "{}", err(&whole));
    let wanted = steady.answered();
    let is_fight = |request: &&String| request.contains("\"name\":\"fight_choice\"");
    assert!(wanted.iter().filter(is_fight).count() > 2);
    let no_credits = || {
        let error = json!({"error": {"message": "No credits left.", "code": 402}});
        Reply::Raw(200, "", error.to_string())
    };
    let overloaded = || {
        let error = "{\"error\": {\"message\": \"overloaded\", \"code\": 503}}";
        let event = format!("event: error\ndata: {error}\n\n");
        Reply::Raw(200, "content-type: text/event-stream\r\n", event)
    };
    let wait = "retry-after: 3600\r\n";
    let error = |status, headers, code: &'static str, message: &'static str| -> Failure {
        Arc::new(move || error(status, headers, code, message))
    };
    let fight = |after| From::Kind("fight_choice", after);
    let cases: [(From, Failure, &str); 9] = [
        (
            From::Request(14),
            error(429, "", "insufficient_quota", "Your balance is used up."),
            "the account has no money",
        ),
        (
            From::Request(0),
            error(401, "", "invalid_api_key", "This key was revoked."),
            "which variable holds the key",
        ),
        (
            From::Request(14),
            error(404, "", "model_not_found", "This model has been retired."),
            "correct `base_url` or `model`",
        ),
        (
            fight(2),
            error(429, "", "throttled", "Too many requests."),
            "limits our rate",
        ),
        (
            From::Request(14),
            error(429, wait, "rate_limit", "Slow down."),
            "limits our rate",
        ),
        (
            fight(1),
            error(503, "", "unavailable", "The model is being loaded."),
            "being loaded",
        ),
        (
            From::Request(1),
            Arc::new(no_credits),
            "the account has no money",
        ),
        (From::Request(14), Arc::new(overloaded), "overloaded"),
        (
            fight(0),
            Arc::new(|| Reply::Raw(500, "", "{}".into())),
            "failed (500)",
        ),
    ];
    for (from, failure, says) in cases {
        let (folder, flaky) = mill(AT_ONCE);
        let folder = folder.path();
        flaky.fail(from, move || failure());
        let stopped = play(folder);
        let said = err(&stopped);
        assert_eq!(stopped.status.code(), Some(5), "{says}: {said}");
        let line = in_one_line(&said);
        has(&line, &[says, "could not be asked"]);
        has(&line, &["playhouse resume s"]);
        let recorded = outcomes(folder);
        assert_eq!(recorded.len(), flaky.answered().len(), "{says}");
        assert!(!recorded.iter().any(|line| line.contains("\"failed\"")));
        let again = resume(folder);
        assert_eq!(again.status.code(), Some(5), "{says}: {}", err(&again));
        assert_eq!(outcomes(folder), recorded, "an outage wears nothing down");
        flaky.recover();
        let resumed = resume(folder);
        assert_eq!(resumed.status.code(), Some(0), "{says}: {}", err(&resumed));
        assert!(flaky.answered() == wanted, "{says}");
    }
}

#[test]
fn a_server_that_loads_its_model_is_waited_for() {
    let (folder, flaky) = mill("retry: (times: 0, patience: 60)");
    flaky.fail(From::Request(0), || {
        error(
            503,
            "retry-after-ms: 20\r\n",
            "unavailable",
            "Loading model",
        )
    });
    let server = flaky.clone();
    let recovering = std::thread::spawn(move || {
        while server.0.lock().unwrap().sent < 4 {
            std::thread::yield_now();
        }
        server.recover();
    });
    let played = play(folder.path());
    recovering.join().unwrap();
    assert_eq!(played.status.code(), Some(0), "{}", err(&played));
    let said = in_one_line(&err(&played));
    assert_eq!(said.matches("Waiting for m to answer").count(), 1, "{said}");
    has(&said, &["Loading model", "answers again"]);
    let recorded = outcomes(folder.path());
    assert!(!recorded.iter().any(|line| line.contains("\"failed\"")));
}

#[test]
fn a_model_that_writes_rubbish_stops_the_story_and_refusals_are_named() {
    let cases: [(fn() -> Reply, &str); 5] = [
        (
            || Reply::at_once("tas|> zerod exbar/? "),
            "“tas|> zerod exbar/?”",
        ),
        (|| Reply::at_once(""), "was empty"),
        (
            || {
                Reply::at_once(
                    "I'm sorry, but I can't continue this roleplay. I'd be glad to help with something else.",
                )
            },
            "the model refused",
        ),
        (
            || {
                let message = json!({"role": "assistant", "content": null, "refusal": "I can't help with that."});
                let answer = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
                Reply::Raw(200, "", answer.to_string())
            },
            "the model refused: “I can't help with that.”",
        ),
        (
            || {
                Reply::Raw(
                    403,
                    "",
                    json!({"error": {"message": "the input was flagged: violence", "code": 403}})
                        .to_string(),
                )
            },
            "flagged: violence",
        ),
    ];
    for (failure, says) in cases {
        let (folder, flaky) = mill(AT_ONCE);
        let folder = folder.path();
        flaky.fail(From::Request(8), failure);
        let stopped = play(folder);
        let said = err(&stopped);
        let line = in_one_line(&said);
        assert_eq!(stopped.status.code(), Some(5), "{line}");
        has(&line, &[says, "gave no usable answer to"]);
        let sent = flaky.0.lock().unwrap().sent;
        // Ten asks, three times each, and those that were under way or may be prose.
        assert!(sent <= 8 + 3 * 12 + 20, "{sent}");
        let timeline = out(&succeed(folder, "show s --view calls --json"));
        if says.contains("refused") {
            has(&timeline, &["the model refused"]);
            let cost = out(&succeed(folder, "show s --view costs"));
            has(&cost, &["refusals"]);
        }
        flaky.recover();
        let resumed = resume(folder);
        assert_eq!(resumed.status.code(), Some(0), "{}", err(&resumed));
    }
}

#[test]
fn how_many_defaults_are_too_many_can_be_said() {
    let (folder, flaky) = mill(AT_ONCE);
    flaky.fail(From::Request(8), || Reply::at_once("zerod"));
    let line = "run mill --models models.ron --model m --seed 1 --save s --max-defaults 0";
    exits(folder.path(), line, 5);
    let recorded = outcomes(folder.path());
    assert!(!recorded.iter().any(|line| line.contains("\"failed\"")));
}

fn events(folder: &Path, slot: &str) -> Vec<String> {
    let told = out(&succeed(folder, &format!("replay {slot} --json")));
    let events = told
        .lines()
        .filter(|line| line.contains("\"record\":\"event\""));
    events.map(str::to_owned).collect()
}

#[test]
fn default_answers_show_and_are_asked_for_again_in_a_branch() {
    const OF_TAM: &str = "The baker's son, twenty";
    let (clean, steady) = mill(AT_ONCE);
    assert_eq!(play(clean.path()).status.code(), Some(0));
    let none = out(&succeed(clean.path(), "branch s --retry"));
    has(&none, &["no default answers"]);
    assert!(!clean.path().join("saves/s-2").exists());
    let (folder, flaky) = mill(AT_ONCE);
    let folder = folder.path();
    flaky.fail(From::Words(OF_TAM), || Reply::at_once("zerod"));
    let line = "run mill --models models.ron --model m --seed 1 --save s --max-defaults 99";
    let played = succeed(folder, line);
    let (told, said) = (out(&played), err(&played));
    let said = in_one_line(&said);
    has(&told, &["The program answered for Tam Weller"]);
    has(
        &said,
        &[
            "instead of a model: Tam Weller: ",
            "playhouse branch s --models models.ron --retry",
        ],
    );
    let context = out(&run(folder, "show s 'Tam Weller' --view json"));
    assert!(context.contains("I hesitate") && !context.contains("zerod"));
    lacks(&context, &["\\\"option\\\":\\\"\\\""]);
    #[cfg(feature = "page")]
    {
        succeed(folder, "export s --html s.html");
        let page = std::fs::read_to_string(folder.join("s.html")).unwrap();
        assert!(page.contains("The program answered for Tam Weller: "));
    }
    flaky.recover();
    let before = flaky.0.lock().unwrap().sent;
    let retried = out(&succeed(folder, "branch s --retry"));
    has(&retried, &["playhouse resume s-2"]);
    assert_eq!(flaky.0.lock().unwrap().sent, before);
    succeed(folder, "resume s-2 --models models.ron --model m");
    assert_eq!(events(folder, "s-2"), events(clean.path(), "s"));
    let asked = flaky.0.lock().unwrap().sent - before;
    assert!(asked < steady.answered().len(), "what was answered is used");
}

/// A proxy that brings every connection to one port, whatever it is asked for; returns its own.
fn socks_proxy(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((client, _)) = listener.accept() {
            // A program that has ended reads no answer.
            std::thread::spawn(move || connect(client, port));
        }
    });
    own
}

/// Speaks SOCKS 5, as RFC 1928 has it, and then passes on what both sides say.
fn connect(mut client: TcpStream, port: u16) -> std::io::Result<()> {
    let mut head = [0; 2];
    client.read_exact(&mut head)?;
    client.read_exact(&mut vec![0; head[1].into()])?;
    client.write_all(&[5, 0])?;
    let mut request = [0; 4];
    client.read_exact(&mut request)?;
    let length = match request[3] {
        1 => 4,
        4 => 16,
        _ => {
            let mut length = [0];
            client.read_exact(&mut length)?;
            length[0].into()
        }
    };
    client.read_exact(&mut vec![0; length + 2])?;
    client.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0])?;
    let mut server = TcpStream::connect(("127.0.0.1", port))?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    std::io::copy(&mut server, &mut client).map(|_| ())
}

#[test]
fn a_server_is_reached_through_a_proxy_which_errors_name() {
    let (folder, flaky) = mill(AT_ONCE);
    let folder = folder.path();
    let server = flaky.clone();
    let port = serve(move |request| server.reply(request));
    let model = r#"(models: {"m": (provider: "openai", model: "x", schema: constrained,
        base_url: "http://elsewhere.invalid/v1", retry: (times: 0, patience: 0))})"#;
    write(&folder.join("models.ron"), model);
    let play = |proxy: u16| {
        let line = "run mill --models models.ron --model m --seed 1 --until 1 -q";
        let mut command = command(folder, line);
        command.env("ALL_PROXY", format!("socks5h://127.0.0.1:{proxy}"));
        command.output().unwrap()
    };
    let played = play(socks_proxy(port));
    assert_eq!(played.status.code(), Some(0), "{}", err(&played));
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let refused = play(nobody.port());
    assert_eq!(refused.status.code(), Some(5), "{}", err(&refused));
    let said = in_one_line(&err(&refused));
    has(&said, &["the proxy in ALL_PROXY"]);
}
