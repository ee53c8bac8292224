//! `gather/64x20`: 64 actors on as many stages are asked at once, in 20 rounds, over loopback from
//! a server that thinks for 50 ms. The server is a process of its own, so that its work is not
//! ours.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use playhouse::engine::Engine;
use playhouse::mind::models::Models;
use playhouse::mind::{Mind, Minds};
use playhouse::testing::journal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::common;

const CALLS: usize = 64;
const ROUNDS: u64 = 20;
const THINKING: Duration = Duration::from_millis(50);
/// The argument that makes this program the server.
pub(crate) const SERVE: &str = "--serve";

/// The server in its process; it ends with this value.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .arg(SERVE)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let out = child.stdout.as_mut().unwrap();
        BufReader::new(out).read_line(&mut port).unwrap();
        let port = port.trim().parse().unwrap();
        Self { child, port }
    }

    fn mind(&self, stream: bool) -> Arc<dyn Mind> {
        let models = format!(
            r#"(
                providers: {{"here": (base_url: "http://127.0.0.1:{}/v1", width: {CALLS}, stream: {stream})}},
                models: {{"m": (provider: "here", model: "m")}},
            )"#,
            self.port
        );
        let models = Models::load(&models, "bench.ron", &|_: &str| None).unwrap();
        models.mind("m").unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed; its port is the only line that it prints.
#[expect(clippy::print_stdout, reason = "the parent reads the port from there")]
pub(crate) async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer_all(stream));
    }
}

/// Answers every request of a connection with the same line.
async fn answer_all(mut stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let words = serde_json::json!({"words": common::line(0, 300)}).to_string();
    let whole = serde_json::json!({
        "model": "m", "choices": [{"message": {"content": words}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    });
    let delta =
        serde_json::json!({"choices": [{"delta": {"content": words}, "finish_reason": "stop"}]});
    let whole = response("application/json", &whole.to_string());
    let pieces = response(
        "text/event-stream",
        &format!("data: {delta}\n\ndata: [DONE]\n\n"),
    );
    while let Some(streams) = next_request(&mut stream).await {
        tokio::time::sleep(THINKING).await;
        let answer = if streams { &pieces } else { &whole };
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn response(kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// Reads one request; tells whether it wants its answer as a stream.
async fn next_request(stream: &mut TcpStream) -> Option<bool> {
    let mut bytes = Vec::with_capacity(64 * 1024);
    let end = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(head_end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break head_end + 4;
        }
    };
    let head = std::str::from_utf8(&bytes[..end]).ok()?.to_lowercase();
    let length = head.split_once("content-length: ")?.1.split_once("\r\n")?.0;
    let whole = end + length.parse::<usize>().ok()?;
    while bytes.len() < whole {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    let body = &bytes[end..];
    Some(
        body.windows(13)
            .take(200)
            .any(|part| part == b"\"stream\":true"),
    )
}

/// Actors on stages of their own, who all had one turn: connections are open.
fn ready(runtime: &Runtime, mind: Arc<dyn Mind>) -> Engine {
    let (mut setup, stages) = common::stages(CALLS, 1);
    common::talking(&mut setup, &stages, 1);
    let mut engine = Engine::new(setup, Minds::all(mind), journal()).unwrap();
    engine.settings.width = CALLS;
    common::play(runtime, &mut engine, 1);
    engine
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let server = Server::start();
    let runtime = common::runtime();
    let mut group = criterion.benchmark_group("gather/64x20");
    group.sample_size(10);
    for stream in [false, true] {
        let name = if stream { "streamed" } else { "whole" };
        let mind = server.mind(stream);
        let mut cheapest = Duration::MAX;
        group.bench_function(format!("a round, {name}"), |bencher| {
            bencher.iter_custom(|rounds| {
                common::average(rounds, ROUNDS, || {
                    let mut engine = ready(&runtime, mind.clone());
                    let before = common::cpu_time();
                    let took = common::timed(|| common::play(&runtime, &mut engine, ROUNDS));
                    let per_call = (common::cpu_time() - before) / (CALLS as u32 * ROUNDS as u32);
                    cheapest = cheapest.min(per_call);
                    took
                })
            });
        });
        eprintln!("gather/64x20: {cheapest:.1?} of processor time a call, {name}");
    }
    group.finish();
}
