//! The mind that asks a server, waits, tries again and steps down.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Request, Response, Url, Version, redirect};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::failure::{ErrorContext, Failure, SchemaBlame};
use super::reply::Reply;
use super::request::{RequestBody, RequestForm};
use super::request_cache::RequestCache;
use super::response_reader::ResponseReader;
use super::retry::RetryPolicy;
use super::settings::{Dialect, Retry, SchemaMode, Timeouts, seconds};
use super::spoken_pieces::SpokenPieces;
use crate::dialect::format::MediaFiles;
use crate::message::TokenUsage;
use crate::mind::{
    AnswerStream, Answering, Completion, FailedCall, Mind, MindError, MindInfo, Prompt,
};

/// The most bytes of an error's body that are read.
const LONGEST_ERROR: usize = 64 * 1024;
/// How long a stream may stay open after it said that it is over, so that its connection can be
/// used again.
const FAREWELL: Duration = Duration::from_millis(250);

/// Where a model is asked, and how patiently.
#[derive(Clone, Debug)]
pub struct Server {
    /// Where it listens.
    pub endpoint: Endpoint,
    /// What opens it; never shown.
    pub key: Option<SecretString>,
    /// Seconds to wait for a connection, as the client was built; for error texts.
    pub connect: f64,
    /// How long silence may last.
    pub timeouts: Timeouts,
    /// How often to try again.
    pub retry: Retry,
    /// The most bytes of an answer.
    pub longest_answer: usize,
}

/// A connection pool for minds. One serves all servers outside; another, without proxies, those on
/// this machine.
///
/// # Errors
/// The system's certificates can't be read.
pub fn client(connect: f64, local: bool) -> Result<Client, String> {
    let builder = Client::builder()
        .connect_timeout(seconds(connect))
        .redirect(redirect::Policy::none())
        .user_agent(concat!("playhouse/", env!("CARGO_PKG_VERSION")));
    let builder = if local { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| error.to_string())
}

/// A model behind a server.
///
/// Dropping the future of an answer closes its connection, so that the server stops too. Clones of
/// this mind share their limit of calls and what they learned of the server.
#[derive(Clone, Debug)]
pub struct HttpMind {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: MindInfo,
    pub(super) form: RequestForm,
    pub(super) server: Server,
    pub(super) witness: ErrorContext,
    pub(super) client: Client,
    /// Where the model is asked.
    chat: Url,
    headers: HeaderMap,
    width: Semaphore,
    ladder: Mutex<SchemaFallback>,
    drafts: RequestCache,
}

/// How the schema travels, as far as this run has learned it.
#[derive(Clone, Copy, Debug)]
struct SchemaFallback {
    mode: SchemaMode,
    /// Whether the server took a schema in this mode before.
    proven: bool,
}

/// An answer and what it took to get it.
pub(super) struct Heard {
    pub(super) reply: Reply,
    pub(super) streamed: bool,
    pub(super) spent: Option<TokenUsage>,
    pub(super) retries: u32,
    pub(super) latency: Duration,
}

impl HttpMind {
    /// A mind that asks `server` for `dialect.model` over connections of `client`, and sends media
    /// files from `files`. At most `info.width` calls are under way at once.
    ///
    /// # Errors
    /// The key holds characters that can't be sent.
    pub fn new(
        client: Client,
        server: Server,
        dialect: Dialect,
        info: MindInfo,
        files: Arc<dyn MediaFiles>,
    ) -> Result<Self, String> {
        let form = RequestForm::new(dialect, files);
        let dialect = form.dialect();
        let shared = Shared {
            headers: headers(&form, server.key.as_ref())?,
            chat: server.endpoint.chat(&dialect.model, dialect.stream),
            width: Semaphore::new(info.width.clamp(1, Semaphore::MAX_PERMITS)),
            ladder: Mutex::new(SchemaFallback {
                mode: dialect.schema,
                proven: false,
            }),
            witness: ErrorContext {
                server: format!("'{}' at {}", info.alias, server.endpoint.shown()),
                key: server.key.clone(),
            },
            form,
            drafts: RequestCache::default(),
            info,
            server,
            client,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// How the schema travels to this server, as far as is known.
    pub fn schema_mode(&self) -> SchemaMode {
        self.shared.ladder().mode
    }
}

impl Mind for HttpMind {
    fn info(&self) -> &MindInfo {
        &self.shared.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let shared = Arc::clone(&self.shared);
        let mode = shared.ladder().mode;
        let body = match shared.drafts.request(prompt, &shared.form, mode) {
            Ok(body) => body,
            Err(error) => {
                let failed = MindError::Unsendable {
                    alias: shared.info.alias.clone(),
                    reason: error.to_string(),
                };
                return Box::pin(std::future::ready(Err(failed.into())));
            }
        };
        let mut lent = Lent { body, shared };
        let (seed, stream) = (prompt.seed, prompt.stream.cloned());
        Box::pin(async move {
            let Lent { body, shared } = &mut lent;
            let patience = RetryPolicy::new(shared.server.retry, seed);
            let heard = shared.ask(body, mode, patience, stream.as_ref()).await?;
            Ok(shared.completion(heard))
        })
    }
}

/// A request under way. When its call is over, or dropped, its buffer goes back to the drafts.
struct Lent {
    body: RequestBody,
    shared: Arc<Shared>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.shared.drafts.take_back(&mut self.body);
    }
}

fn headers(form: &RequestForm, key: Option<&SecretString>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let protocol = form.protocol();
    for (name, value) in protocol.headers(form.dialect().stream) {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    if let Some(key) = key {
        let (name, value) = protocol.key(key.expose_secret());
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| "the key holds characters that can't be sent".to_owned())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

#[expect(
    clippy::disallowed_methods,
    reason = "latency is shown to people and never reaches the world"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}

impl Shared {
    fn ladder(&self) -> SchemaFallback {
        *self.ladder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn completion(&self, heard: Heard) -> Completion {
        Completion {
            usage: heard.spent,
            retries: heard.retries,
            latency: heard.latency,
            ..heard.reply.into_completion(&self.form.dialect().model)
        }
    }

    /// Asks until there is an answer, or none is to be hoped for. What is said of it on the way is
    /// shown in stream.
    pub(super) async fn ask(
        &self,
        body: &mut RequestBody,
        mut mode: SchemaMode,
        mut patience: RetryPolicy,
        stream: Option<&AnswerStream>,
    ) -> Result<Heard, FailedCall> {
        let permit = self.width.acquire().await;
        let _permit = permit.map_err(|_| MindError::Cancelled)?;
        let (mut spent, mut retries) = (None, 0);
        loop {
            let began = now();
            let failure = match self.attempt(body, stream).await {
                Ok((reply, streamed)) => {
                    if body.wants_json(&self.form) {
                        self.learn(mode);
                    }
                    return Ok(Heard {
                        spent: sum(spent, reply.usage),
                        reply,
                        streamed,
                        retries,
                        latency: began.elapsed(),
                    });
                }
                Err(failure) => failure,
            };
            tracing::debug!(model = %self.info.alias, retries, error = %failure.error, "an attempt failed");
            if let Some(stream) = stream {
                stream.retract();
            }
            spent = sum(spent, failure.usage);
            let affordable = !failure.billable || patience.may_pay_again();
            let lower = self.step_down(body, mode, &failure);
            let wait = match lower {
                _ if !affordable => None,
                Some(_) => Some(Duration::ZERO),
                None => patience.next_wait(failure.again),
            };
            let Some(wait) = wait else {
                return Err(FailedCall {
                    error: failure.error,
                    usage: spent,
                    retries,
                    latency: began.elapsed(),
                });
            };
            if let Some(lower) = lower {
                body.step_to(lower, &self.form);
                mode = lower;
            }
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// Whether to ask again at once with the schema one step lower.
    fn step_down(
        &self,
        body: &RequestBody,
        mode: SchemaMode,
        failure: &Failure,
    ) -> Option<SchemaMode> {
        let ladder = self.ladder();
        let took_it_before = ladder.proven && ladder.mode == mode;
        let blamed = match failure.schema {
            SchemaBlame::Named => true,
            SchemaBlame::Possible => !took_it_before,
            SchemaBlame::None => false,
        };
        mode.lower()
            .filter(|_| blamed && body.wants_json(&self.form))
    }

    /// Remembers that the server takes a schema in this mode.
    fn learn(&self, mode: SchemaMode) {
        let mut ladder = self.ladder.lock().unwrap_or_else(PoisonError::into_inner);
        *ladder = SchemaFallback { mode, proven: true };
    }

    /// A request with this body, whose buffer it shares.
    fn request(&self, body: &RequestBody) -> Request {
        let mut request = Request::new(Method::POST, self.chat.clone());
        *request.headers_mut() = self.headers.clone();
        *request.body_mut() = Some(body.bytes().clone().into());
        request
    }

    /// A request for what the server tells about its models.
    pub(super) fn request_for_models(&self) -> Request {
        let mut request = Request::new(
            Method::GET,
            self.server.endpoint.models(&self.form.dialect().model),
        );
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Sends one request and reads its answer; tells whether it came in stream.
    async fn attempt(
        &self,
        body: &RequestBody,
        stream: Option<&AnswerStream>,
    ) -> Result<(Reply, bool), Failure> {
        let response = self.send(self.request(body)).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let read = self.read(response, stream).await;
        read.map_err(Failure::billable)
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(&self, request: Request) -> Result<Response, Failure> {
        let first_byte = seconds(self.server.timeouts.first_byte);
        let answered = timeout(first_byte, self.client.execute(request)).await;
        let silent = |_| Failure::passing(self.witness.silent(first_byte, "the first byte"));
        let answered = answered.map_err(|late| silent(late).billable())?;
        answered.map_err(|error| self.witness.unanswered(error, seconds(self.server.connect)))
    }

    async fn refusal(&self, mut response: Response) -> Failure {
        let pause = seconds(self.server.timeouts.between_bytes);
        let mut body = Vec::new();
        // However the body ends, what came of it tells what we need.
        while body.len() < LONGEST_ERROR
            && let Ok(Ok(Some(bytes))) = timeout(pause, response.chunk()).await
        {
            body.extend_from_slice(&bytes);
        }
        let text = String::from_utf8_lossy(&body);
        (self.witness).refused(response.status(), response.headers(), &text)
    }

    async fn read(
        &self,
        mut response: Response,
        stream: Option<&AnswerStream>,
    ) -> Result<(Reply, bool), Failure> {
        let limit = self.server.longest_answer;
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default();
        let protocol = self.form.protocol();
        let mut intake = ResponseReader::new(&self.witness, protocol, content_type, limit);
        if response
            .content_length()
            .is_some_and(|length| length > limit as u64)
        {
            return Err(intake.too_great());
        }
        let mut spoken = stream.map(SpokenPieces::new);
        let pause = seconds(self.server.timeouts.between_bytes);
        let mut wait = seconds(self.server.timeouts.first_byte);
        let mut waiting_for = "the first byte";
        loop {
            match timeout(wait, response.chunk()).await {
                Ok(Ok(Some(bytes))) => {
                    intake.take(&bytes)?;
                    if let Some(spoken) = &mut spoken {
                        spoken.show(intake.words());
                    }
                }
                Ok(Ok(None)) => break,
                _ if intake.is_done() => break,
                Ok(Err(error)) => {
                    let reason = format!("the answer broke off: {}", error.without_url());
                    return Err(intake.broken(self.witness.unreadable(&reason)));
                }
                Err(_) => return Err(intake.broken(self.witness.silent(wait, waiting_for))),
            }
            (wait, waiting_for) = match intake.is_done() {
                true => (FAREWELL, "the end"),
                false => (pause, "the next byte"),
            };
        }
        let streamed = intake.is_stream();
        let reply = intake.finish(shows_cuts(&response))?;
        if let Some(spoken) = spoken {
            spoken.finish(&reply.words().text);
        }
        Ok((reply, streamed))
    }
}

/// Whether the connection tells a whole body from one that was cut: only a body that ends with its
/// connection doesn't.
fn shows_cuts(response: &Response) -> bool {
    let headers = response.headers();
    response.version() >= Version::HTTP_2
        || headers.contains_key(CONTENT_LENGTH)
        || headers.contains_key("transfer-encoding")
}

fn sum(one: Option<TokenUsage>, other: Option<TokenUsage>) -> Option<TokenUsage> {
    let mut both = one.or(other)?;
    if let (Some(_), Some(other)) = (one, other) {
        both += other;
    }
    Some(both)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::context::AgentContext;
    use crate::dialect::format::{Api, NoFiles};
    use crate::message::{Body, Tags};
    use crate::mind::{Form, Language, Tools};

    /// A mind whose server reads so many bytes of each request, then answers or, without words,
    /// hangs.
    async fn mind(words: Option<&'static str>) -> HttpMind {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut bytes = vec![0; 1 << 20];
                    let mut read = String::new();
                    while let Ok(many @ 1..) = stream.read(&mut bytes).await {
                        read.push_str(&String::from_utf8_lossy(&bytes[..many]));
                        if let (true, Some(words)) = (read.ends_with('}'), words) {
                            let body = format!(
                                "{{\"choices\":[{{\"message\":{{\"content\":\"{words}\"}}}}]}}"
                            );
                            let head = format!(
                                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                                body.len()
                            );
                            stream
                                .write_all(format!("{head}{body}").as_bytes())
                                .await
                                .unwrap();
                            read.clear();
                        }
                    }
                });
            }
        });
        let server = Server {
            endpoint: Endpoint::parse(&base, Api::OpenAi).unwrap(),
            key: None,
            connect: 5.0,
            timeouts: Timeouts::default(),
            retry: Retry::default(),
            longest_answer: 10_000,
        };
        let client = client(5.0, true).unwrap();
        let (dialect, info) = (Dialect::cautious("m"), MindInfo::embedded("m"));
        HttpMind::new(client, server, dialect, info, Arc::new(NoFiles)).unwrap()
    }

    fn answering(mind: &HttpMind, history: &AgentContext) -> Answering {
        mind.answer(&Prompt {
            entity: &"Mira".into(),
            purpose: "test",
            number: 1,
            language: Language::En,
            history,
            question: &Body::text("What do you do?"),
            ask_short: false,
            rounds: &[],
            tools: Tools::NONE,
            form: Form::Prose {
                notes: &Value::Null,
            },
            max_tokens: 100,
            seed: 3,
            stream: None,
        })
    }

    fn long_history() -> AgentContext {
        let mut history = AgentContext::new("Mira");
        for _ in 0..1_000 {
            history.add_human_message("It rains. ".repeat(30), Tags::new());
        }
        history
    }

    #[tokio::test]
    async fn the_buffer_of_a_request_comes_back_and_serves_the_next_one() {
        let mind = mind(Some("Yes.")).await;
        let mut history = long_history();
        history.stats();
        let mut buffers = Vec::new();
        for _ in 0..4 {
            answering(&mind, &history).await.unwrap();
            history.add_human_message("It rains.", Tags::new());
            buffers.push(mind.shared.drafts.buffer_of("Mira").unwrap());
        }
        // It may have had to grow once.
        buffers.dedup();
        assert!(buffers.len() <= 2, "{buffers:?}");
    }

    #[tokio::test]
    async fn a_call_that_is_given_up_leaves_nothing_wrong_behind() {
        let hangs = mind(None).await;
        let history = long_history();
        let call = answering(&hangs, &history);
        assert!(timeout(Duration::from_millis(50), call).await.is_err());
        // One that never began gives its buffer back at once.
        drop(answering(&hangs, &history));
        assert!(hangs.shared.drafts.buffer_of("Mira").is_some());
        assert_eq!(
            hangs.shared.width.available_permits(),
            hangs.shared.info.width
        );
    }
}
