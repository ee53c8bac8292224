//! The mind that sends requests to a server, waits and retries.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::message::TokenUsage;
use playhouse_engine::mind::{
    AnswerStream, Answering, Awaited, Completion, FailedCall, LengthDoubt, Mind, MindError,
    MindInfo, Prompt, with_calls,
};
use playhouse_engine::secrets::Secret;
use playhouse_interop::format::MediaFiles;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Request, Response, Url, Version};
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::failure::{ErrorContext, Failure, SchemaBlame};
use super::pace::{Deadline, Rate, Wait, now};
use super::request::{RequestBody, RequestFormat, request_body};
use super::response_accumulator::{ResponseAccumulator, WantedAnswer};
use super::response_reader::ResponseReader;
use super::retry::RetryState;
use super::settings::{ModelSettings, RetryPolicy, SchemaMode, Timeouts, seconds};
use super::text_stream::TextStream;
use super::tls::trusting;
use crate::http_client::client_builder;

/// How many bytes of an error's body are read.
pub(super) const MAX_ERROR_BYTES: usize = 64 * 1024;
/// How long to wait for the end of a stream after its last event, so that the connection can be
/// used again.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(250);

/// A server, and how patiently to use it.
#[derive(Clone, Debug)]
pub struct ModelServer {
    pub endpoint: Endpoint,
    /// The API key; never shown.
    pub key: Option<Secret>,
    /// The connection timeout of the client in seconds; for error messages.
    pub connect: f64,
    pub timeouts: Timeouts,
    pub retry: RetryPolicy,
    /// The maximum size of an answer in bytes.
    pub longest_answer: usize,
    /// The environment variable with the proxy through which it is reached; for error messages.
    pub proxy: Option<String>,
}

/// Why a mind can't be built.
#[derive(Debug, Error, Localize)]
pub enum HttpMindError {
    /// The HTTP client can't be built; mostly because the system's certificates can't be read.
    #[text(|error| UiText::verbatim(error))]
    Client(#[from] reqwest::Error),
    /// The certificates that the model file names can't be used.
    Certificates(UiText),
    /// The key has characters that a header can't hold.
    #[text(mind_invalid_key)]
    InvalidKey,
}

/// A connection pool for minds. `connect` is the connection timeout in seconds. Servers on this
/// machine (`local`) need a pool of their own, without proxies, and so do those whose certificates
/// are in a file (`ca`).
///
/// # Errors
/// [`HttpMindError::Client`], [`HttpMindError::Certificates`].
pub fn client(connect: f64, local: bool, ca: Option<&Path>) -> Result<Client, HttpMindError> {
    let builder = client_builder().connect_timeout(seconds(connect));
    let builder = if local { builder.no_proxy() } else { builder };
    let config = ca.map(trusting).transpose();
    Ok(match config.map_err(HttpMindError::Certificates)? {
        Some(config) => builder.tls_backend_preconfigured(config),
        None => builder,
    }
    .build()?)
}

/// A model behind a server.
///
/// Dropping the future of an answer closes its connection, so that the server stops too. Clones
/// share their limit of concurrent calls and what they learned about the server.
#[derive(Clone, Debug)]
pub struct HttpMind {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: MindInfo,
    pub(super) format: RequestFormat,
    pub(super) server: ModelServer,
    error_context: ErrorContext,
    client: Client,
    url: Url,
    headers: HeaderMap,
    permits: Semaphore,
    schema: Mutex<SchemaFallback>,
    /// The bytes of the longest request that was answered.
    longest: AtomicUsize,
}

/// How the schema is sent, as far as this run has learned it.
#[derive(Clone, Copy, Debug)]
struct SchemaFallback {
    mode: SchemaMode,
    /// Whether the server accepted a schema in this mode before.
    proven: bool,
}

/// A response and what it took to get it.
pub(super) struct Received {
    pub(super) response: ResponseAccumulator,
    /// The time from its first bytes to its end, if it was streamed.
    pub(super) streamed: Option<Duration>,
    /// The tokens of all attempts.
    pub(super) usage: Option<TokenUsage>,
    pub(super) retries: u32,
    pub(super) latency: Duration,
}

impl HttpMind {
    /// A mind that uses `model` on `server` over connections of `client`. Media files are read from
    /// `files`. At most `info.width` calls run at once.
    ///
    /// # Errors
    /// [`HttpMindError::InvalidKey`].
    pub fn new(
        client: Client,
        server: ModelServer,
        model: ModelSettings,
        info: MindInfo,
        files: Arc<dyn MediaFiles>,
    ) -> Result<Self, HttpMindError> {
        let format = RequestFormat::new(model, files);
        let model = format.model();
        let server_name = format!("{} ({})", info.alias, server.endpoint.display_url());
        let shared = Shared {
            headers: headers(&format, server.key.as_ref())?,
            url: server.endpoint.chat(&model.model, model.provider.stream),
            permits: Semaphore::new(info.width.clamp(1, Semaphore::MAX_PERMITS)),
            schema: Mutex::new(SchemaFallback {
                mode: model.provider.schema,
                proven: false,
            }),
            error_context: ErrorContext {
                server: server_name.into(),
                proxy: server.proxy.clone(),
            },
            format,
            longest: AtomicUsize::new(0),
            info,
            server,
            client,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// How this server is sent a schema, as far as is known.
    pub fn schema_mode(&self) -> SchemaMode {
        self.shared.schema().mode
    }
}

impl Mind for HttpMind {
    fn info(&self) -> &MindInfo {
        &self.shared.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let shared = Arc::clone(&self.shared);
        let mode = shared.schema().mode;
        let mut body = match request_body(prompt, &shared.format, mode) {
            Ok(body) => body,
            Err(error) => {
                let failed = MindError::Unsendable {
                    entity: prompt.entity.clone(),
                    alias: shared.info.alias.as_str().into(),
                    reason: error.text(),
                };
                return Box::pin(std::future::ready(Err(failed.into())));
            }
        };
        let (seed, stream) = (prompt.seed, prompt.stream.cloned());
        let callable = prompt.tools.callable.then_some(prompt.tools.specs);
        let specs = callable.unwrap_or_default().to_vec();
        Box::pin(async move {
            let retries = RetryState::new(shared.server.retry, seed);
            let call = shared.call(&mut body, mode, retries, stream.as_ref());
            let completion = shared.completion(call.await?);
            // Some servers leave calls in the text.
            Ok(if specs.is_empty() {
                completion
            } else {
                with_calls(completion, &specs)
            })
        })
    }

    fn request(&self, prompt: &Prompt<'_>) -> Option<Bytes> {
        let body = request_body(prompt, &self.shared.format, self.schema_mode());
        Some(body.ok()?.bytes().clone())
    }
}

fn headers(format: &RequestFormat, key: Option<&Secret>) -> Result<HeaderMap, HttpMindError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let protocol = format.protocol();
    for (name, value) in protocol.headers(format.model().provider.stream) {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    if let Some(key) = key {
        let (name, value) = protocol.key_header(key.expose());
        let mut value = HeaderValue::try_from(value).map_err(|_| HttpMindError::InvalidKey)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

impl Shared {
    fn schema(&self) -> SchemaFallback {
        *self.schema.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn completion(&self, received: Received) -> Completion {
        let completion = received
            .response
            .into_completion(&self.format.model().model);
        Completion {
            usage: received.usage,
            retries: received.retries,
            latency: received.latency,
            ..completion
        }
    }

    /// Sends a request until there is an answer, or none can be expected. The answer is shown in
    /// `stream` while it arrives.
    pub(super) async fn call(
        &self,
        body: &mut RequestBody,
        mut mode: SchemaMode,
        mut retry_state: RetryState,
        stream: Option<&AnswerStream>,
    ) -> Result<Received, FailedCall> {
        let permit = self.permits.acquire().await;
        let _permit = permit.map_err(|_| MindError::Cancelled)?;
        let (mut usage, mut retries) = (None, 0);
        let deadline = Deadline::new(&self.server.timeouts);
        loop {
            let began = now();
            let failure = match self.attempt(body, deadline, stream).await {
                Ok((response, streamed)) => {
                    if body.sends_schema(&self.format) {
                        self.remember_schema_mode(mode);
                    }
                    self.longest
                        .fetch_max(body.bytes().len(), Ordering::Relaxed);
                    return Ok(Received {
                        usage: sum(usage, response.usage),
                        response,
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
            usage = sum(usage, failure.usage);
            let may_repeat = !failure.billable || retry_state.may_bill_again();
            let lower_mode = self.lower_schema_mode(body, mode, &failure);
            let wait = match lower_mode {
                _ if !may_repeat => None,
                Some(_) => Some(Duration::ZERO),
                None => retry_state.next_wait(failure.retry),
            };
            let Some(wait) = wait.filter(|wait| *wait < deadline.remaining()) else {
                return Err(FailedCall {
                    error: failure.error,
                    usage,
                    retries,
                    latency: began.elapsed(),
                    billable: failure.billable,
                    retry_after: failure.retry.delay(),
                    length_doubt: if self.is_longest(body) {
                        failure.length_doubt
                    } else {
                        LengthDoubt::None
                    },
                });
            };
            if let Some(lower_mode) = lower_mode {
                body.set_schema_mode(lower_mode, &self.format);
                mode = lower_mode;
            }
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// Whether a request is longer than all that were answered.
    fn is_longest(&self, body: &RequestBody) -> bool {
        body.bytes().len() > self.longest.load(Ordering::Relaxed)
    }

    /// The schema mode to retry with at once, if the schema is to blame for a failure.
    fn lower_schema_mode(
        &self,
        body: &RequestBody,
        mode: SchemaMode,
        failure: &Failure,
    ) -> Option<SchemaMode> {
        let known = self.schema();
        let is_to_blame = match failure.schema {
            SchemaBlame::Named => true,
            SchemaBlame::Possible => !(known.proven && known.mode == mode),
            SchemaBlame::None => false,
        };
        let lower = mode.lower();
        lower.filter(|_| is_to_blame && body.sends_schema(&self.format))
    }

    fn remember_schema_mode(&self, mode: SchemaMode) {
        let mut schema = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        *schema = SchemaFallback { mode, proven: true };
    }

    fn request(&self, body: &RequestBody) -> Request {
        let mut request = Request::new(Method::POST, self.url.clone());
        *request.headers_mut() = self.headers.clone();
        *request.body_mut() = Some(body.bytes().clone().into());
        request
    }

    /// A request for information about the server's models.
    pub(super) fn request_for_models(&self) -> Request {
        let url = self.server.endpoint.models(&self.format.model().model);
        let mut request = Request::new(Method::GET, url);
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Sends one request and reads its response; returns also how long that took, if it was
    /// streamed.
    async fn attempt(
        &self,
        body: &RequestBody,
        deadline: Deadline,
        stream: Option<&AnswerStream>,
    ) -> Result<(ResponseAccumulator, Option<Duration>), Failure> {
        let response = self.send(self.request(body), deadline).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response, deadline).await);
        }
        let wanted = body.wanted(&self.format);
        self.read(response, deadline, stream, &wanted).await
    }

    /// Sends a request and waits for the head of its response.
    pub(super) async fn send(
        &self,
        request: Request,
        deadline: Deadline,
    ) -> Result<Response, Failure> {
        let context = &self.error_context;
        let wait = self.wait_for_first_byte(deadline);
        match timeout(wait.time, self.client.execute(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(context.unanswered(error, seconds(self.server.connect))),
            Err(_) => Err(Failure::transient(context.timed_out(wait)).billable()),
        }
    }

    fn wait_for_first_byte(&self, deadline: Deadline) -> Wait {
        deadline.wait(self.server.timeouts.first_byte, Awaited::FirstByte)
    }

    async fn refusal(&self, mut response: Response, deadline: Deadline) -> Failure {
        let between_bytes = self.server.timeouts.between_bytes;
        let wait = deadline.wait(between_bytes, Awaited::NextBytes);
        let mut body = Vec::new();
        // However the body ends, what has arrived is enough.
        let _ = timeout(wait.time, async {
            while body.len() < MAX_ERROR_BYTES
                && let Ok(Some(chunk)) = response.chunk().await
            {
                let room = MAX_ERROR_BYTES - body.len();
                body.extend(chunk.iter().take(room));
            }
        })
        .await;
        let text = String::from_utf8_lossy(&body);
        let context = &self.error_context;
        context.refused(response.status(), response.headers(), &text)
    }

    async fn read(
        &self,
        mut response: Response,
        deadline: Deadline,
        stream: Option<&AnswerStream>,
        wanted: &WantedAnswer<'_>,
    ) -> Result<(ResponseAccumulator, Option<Duration>), Failure> {
        let (context, limit) = (&self.error_context, self.server.longest_answer);
        let timeouts = &self.server.timeouts;
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let marks = &self.format.model().thoughts;
        let mut reader = ResponseReader::new(context, self.format.protocol(), content_type, limit)
            .with_marks(marks.clone());
        let length = response.content_length();
        if length.is_some_and(|length| length > limit as u64) {
            return Err(reader.too_large());
        }
        let text_stream = |stream| TextStream::new(stream, marks.clone(), wanted.calls_tools);
        let mut text_stream = stream.map(text_stream);
        let mut wait = self.wait_for_first_byte(deadline);
        let (mut rate, mut began) = (None, None);
        while !reader.is_done() {
            match timeout(wait.time, response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    began = began.or_else(|| Some(now()));
                    reader.read(&chunk)?;
                    if let Some(text_stream) = &mut text_stream {
                        text_stream.show(reader.text());
                    }
                    if wanted
                        .longest_text
                        .is_some_and(|most| reader.text().len() > most)
                    {
                        reader.cut_off();
                    }
                    if reader.has_begun() && !reader.is_done() {
                        let rate = rate.get_or_insert_with(|| Rate::new(timeouts));
                        if let Some(took) = rate.too_slow_after(chunk.len()) {
                            return Err(reader.broken(context.too_slow(took)));
                        }
                    }
                }
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(reader.broken(context.broke_off(error))),
                Err(_) => return Err(reader.broken(context.timed_out(wait))),
            }
            wait = deadline.wait(timeouts.between_bytes, Awaited::NextBytes);
        }
        let took = began.map(|began| began.elapsed()).unwrap_or_default();
        if reader.is_done() {
            // What comes after the end is not waited for.
            let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
            let _ = timeout(CLOSE_TIMEOUT, rest).await;
        }
        let streamed = reader.is_stream().then_some(took);
        let response = reader.finish(shows_cuts(&response), wanted)?;
        if let Some(text_stream) = text_stream {
            text_stream.finish(&response.split().text);
        }
        Ok((response, streamed))
    }
}

/// Whether the connection shows that a body was cut off. Only a body that ends with its connection
/// doesn't.
fn shows_cuts(response: &Response) -> bool {
    let headers = response.headers();
    response.version() >= Version::HTTP_2
        || headers.contains_key(CONTENT_LENGTH)
        || headers.contains_key("transfer-encoding")
}

fn sum(a: Option<TokenUsage>, b: Option<TokenUsage>) -> Option<TokenUsage> {
    let mut sum = a.or(b)?;
    if let (Some(_), Some(b)) = (a, b) {
        sum += b;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use playhouse_engine::context::AgentContext;
    use playhouse_engine::message::Body;
    use playhouse_interop::format::{Api, NoFiles};

    #[tokio::test]
    async fn a_dropped_call_returns_its_permit() {
        // Nobody accepts, so that the call is never answered.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = ModelServer {
            endpoint: Endpoint::parse(&base, Api::OpenAi).unwrap(),
            key: None,
            connect: 5.0,
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            longest_answer: 10_000,
            proxy: None,
        };
        let client = client(5.0, true, None).unwrap();
        let (model, info) = (ModelSettings::cautious("m"), MindInfo::embedded("m"));
        let mind = HttpMind::new(client, server, model, info, Arc::new(NoFiles)).unwrap();
        let history = AgentContext::new("Mira");
        let call = mind.answer(&Prompt::new(
            "test",
            &history,
            &Body::text("What do you do?"),
        ));
        assert!(timeout(Duration::from_millis(50), call).await.is_err());
        let Shared { permits, info, .. } = &*mind.shared;
        assert_eq!(permits.available_permits(), info.width);
    }
}
