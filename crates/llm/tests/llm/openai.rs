//! A tiny server that plays a provider's part: it answers each request with the next of its
//! scripts. What those say is OpenAI's form where nothing else is said.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic and look at the clock"
)]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use playhouse_engine::mind::Mind;
use playhouse_llm::models::Models;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Waits until the test lets it go on.
    Until(Arc<Notify>),
    Close,
    /// Says nothing more and waits until the client goes away.
    Hang,
}

pub(crate) type Script = Vec<Step>;
/// A server that answers by what it is asked.
pub(crate) type Rule = Arc<dyn Fn(&Received) -> Script + Send + Sync>;

pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Value,
    pub(crate) received_at: Instant,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) scripts: Mutex<VecDeque<Script>>,
    /// Played when no script is left.
    pub(crate) always: Mutex<Option<Script>>,
    /// Asked for a script when there is none of the others.
    pub(crate) rule: Mutex<Option<Rule>>,
    pub(crate) received: Mutex<Vec<Received>>,
    pub(crate) connections: AtomicUsize,
    /// Clients that went away while the server was still at it.
    pub(crate) left: AtomicUsize,
    pub(crate) under_way: AtomicUsize,
    pub(crate) most_at_once: AtomicUsize,
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) state: Arc<State>,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        state.scripts.lock().unwrap().extend(scripts);
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { state, port }
    }

    /// A server whose every answer is this one.
    pub(crate) async fn always(script: Script) -> Self {
        let server = Self::start([]).await;
        *server.state.always.lock().unwrap() = Some(script);
        server
    }

    /// A server that answers by what it is asked.
    pub(crate) async fn ruled(rule: impl Fn(&Received) -> Script + Send + Sync + 'static) -> Self {
        let server = Self::start([]).await;
        *server.state.rule.lock().unwrap() = Some(Arc::new(rule));
        server
    }

    pub(crate) fn models(&self, options: &str) -> Models {
        self.models_at(&format!("http://127.0.0.1:{}", self.port), options)
    }

    pub(crate) fn models_at(&self, base: &str, options: &str) -> Models {
        models(base, Some("sk-very-secret"), "test-model", options)
    }

    /// Its models with another key, or none, and another name.
    pub(crate) fn models_as(&self, key: Option<&str>, model: &str) -> Models {
        let base = format!("http://127.0.0.1:{}", self.port);
        models(&base, key, model, "")
    }

    pub(crate) fn mind(&self, options: &str) -> Arc<dyn Mind> {
        self.models(options).mind("m").unwrap()
    }

    pub(crate) fn requests(&self) -> usize {
        self.state.received.lock().unwrap().len()
    }

    pub(crate) fn body(&self, index: usize) -> Value {
        self.state.received.lock().unwrap()[index].body.clone()
    }

    pub(crate) async fn sees_a_client_leave(&self) {
        let has_left = |state: &State| state.left.load(Ordering::SeqCst) > 0;
        self.wait_until(has_left).await;
    }

    pub(crate) async fn receives_a_request(&self) {
        let is_asked = |state: &State| !state.received.lock().unwrap().is_empty();
        self.wait_until(is_asked).await;
    }

    async fn wait_until(&self, holds: impl Fn(&State) -> bool) {
        let waiting = async {
            while !holds(&self.state) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), waiting).await;
        in_time.expect("it happens within a minute");
    }
}

fn models(base: &str, key: Option<&str>, model: &str, options: &str) -> Models {
    let retry = if options.contains("retry:") {
        ""
    } else {
        "retry: (times: 2, first_wait: 0.01, longest_wait: 0.02, longest_total_wait: 1.0),"
    };
    let text = format!(
        r#"(
            providers: {{"test": (
                base_url: "{base}", key_env: "TEST_KEY", {retry}
                {options}
            )}},
            models: {{"m": (provider: "test", model: "{model}", window: 4096)}},
        )"#
    );
    let env = |name: &str| key.filter(|_| name == "TEST_KEY").map(str::to_owned);
    Models::load(&text, "test.ron", &env).unwrap()
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    while let Some(received) = read_request(&mut stream).await {
        let next = state.scripts.lock().unwrap().pop_front();
        let next = next.or_else(|| state.always.lock().unwrap().clone());
        let rule = state.rule.lock().unwrap().clone();
        let script = next.or_else(|| Some(rule?(&received)));
        state.received.lock().unwrap().push(received);
        let under_way = state.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        state.most_at_once.fetch_max(under_way, Ordering::SeqCst);
        let script = script.expect("a script for each request");
        let stays = play(&mut stream, script, &state).await;
        state.under_way.fetch_sub(1, Ordering::SeqCst);
        if !stays {
            return;
        }
    }
}

/// Plays one answer; tells whether the connection is still open.
async fn play(stream: &mut TcpStream, script: Script, state: &State) -> bool {
    for step in script {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    state.left.fetch_add(1, Ordering::SeqCst);
                    return false;
                }
            }
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Until(told) => told.notified().await,
            Step::Close => return false,
            Step::Hang => {
                let mut rest = [0; 64];
                while matches!(stream.read(&mut rest).await, Ok(1..)) {}
                state.left.fetch_add(1, Ordering::SeqCst);
                return false;
            }
        }
    }
    true
}

async fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(head_end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break head_end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length = head.to_lowercase();
    let length = length.split("content-length: ").nth(1);
    let length: usize = length.map_or(0, |rest| {
        rest.split("\r\n").next().unwrap().parse().unwrap()
    });
    while bytes.len() < end + length {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    Some(Received {
        path: head.split(' ').nth(1).unwrap().into(),
        head,
        body: serde_json::from_slice(&bytes[end..]).unwrap_or_default(),
        received_at: Instant::now(),
    })
}

pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Script {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n");
    vec![Step::Send(format!("{head}{body}").into_bytes())]
}

pub(crate) fn error(status: u16, message: &str) -> Script {
    let body = json!({"error": {"message": message}});
    answer(status, "", &body.to_string())
}

/// A whole answer of JSON.
pub(crate) fn whole(body: &Value) -> Script {
    answer(200, "content-type: application/json\r\n", &body.to_string())
}

/// Events that hold these values, as server-sent events.
pub(crate) fn events(values: &[Value]) -> String {
    let events = values.iter().map(|value| format!("data: {value}\n\n"));
    events.collect()
}

pub(crate) fn says(text: &str) -> Script {
    let body = json!({
        "model": "test-model-2", "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}},
    });
    whole(&body)
}

pub(crate) fn chunk(bytes: &[u8]) -> Step {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    Step::Send(framed)
}

pub(crate) const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// A stream of events whose bytes come `at_once` at a time.
pub(crate) fn streams(body: &str, at_once: usize) -> Script {
    comes_in_pieces("text/event-stream", body, at_once)
}

/// A body of this type whose bytes come `at_once` at a time.
pub(crate) fn comes_in_pieces(kind: &str, body: &str, at_once: usize) -> Script {
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n");
    let mut script = vec![Step::Send(head.into_bytes())];
    script.extend(body.as_bytes().chunks(at_once).map(chunk));
    script.push(Step::Send(b"0\r\n\r\n".to_vec()));
    script
}

pub(crate) fn delta(value: Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": value}]}))
}
