//! One cheap request to a server, to see what it supports.

use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::context::AgentContext;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::Body;
use playhouse_engine::mind::{AnswerForm, Completion, FailedCall, MindError, Prompt, with_calls};
use playhouse_engine::secrets::redact;
use reqwest::{Method, Request};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::mind::{HttpMind, Received, Shared};
use super::pace::{Deadline, now};
use super::request::request_body;
use super::retry::RetryState;
use super::settings::{RetryPolicy, SchemaMode};

/// The maximum size of a list of models in bytes.
const MAX_LIST_BYTES: usize = 1024 * 1024;

/// How long a list of models may take; it is optional.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// What is known about a model's key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// The server accepted it.
    Accepted,
    /// The server refused it, or the account.
    Refused,
    /// None is set, and the server needs none.
    NotNeeded,
    /// None is set, but the server requires one.
    Missing,
    /// The server did not answer, so nothing is known.
    #[default]
    Untried,
}

/// The result of probing a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ProbeReport {
    /// The alias of the model.
    pub alias: String,
    /// The server's URL, without any key.
    pub server: String,
    /// Whether the server responded at all, even with an error; `None` if nothing was sent.
    pub reachable: Option<bool>,
    pub key: KeyState,
    /// The model that answered, or the one that was requested.
    pub model: String,
    /// Whether the model answered; `None` if nothing was sent.
    pub answers: Option<bool>,
    /// The context window in tokens, according to the server or else to the model file.
    pub window: Option<u64>,
    /// Whether the answer was streamed; `None` if that was not requested, or without an answer.
    pub streaming: Option<bool>,
    /// How the schema is sent; `None` without an answer.
    pub schema: Option<SchemaMode>,
    /// Whether the usage includes cached tokens; `None` without a usage.
    pub cache_fields: Option<bool>,
    /// Milliseconds from the request to the end of the response.
    pub latency_ms: Option<u64>,
    /// What else is worth knowing, as sentences.
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<UiText>,
}

impl ProbeReport {
    /// A report of a model that was not probed yet.
    pub fn untried(alias: &str, server: &str, model: &str) -> Self {
        Self {
            alias: alias.into(),
            server: server.into(),
            model: model.into(),
            ..Self::default()
        }
    }

    pub(super) fn succeeded(&mut self, has_key: bool) {
        self.reachable = Some(true);
        self.answers = Some(true);
        self.key = if has_key {
            KeyState::Accepted
        } else {
            KeyState::NotNeeded
        };
    }

    pub(super) fn failed(&mut self, error: &MindError, has_key: bool) {
        let is_lost = matches!(
            error,
            MindError::Unreachable { .. } | MindError::TimedOut { .. }
        );
        (self.reachable, self.answers) = (Some(!is_lost), Some(false));
        self.key = match error {
            MindError::Denied { .. } if has_key => KeyState::Refused,
            MindError::Denied { .. } => KeyState::Missing,
            _ => KeyState::Untried,
        };
        self.notes.push(error.text());
    }
}

impl HttpMind {
    /// Sends one cheap request with a schema, and one for the list of models.
    pub async fn probe(&self) -> ProbeReport {
        let shared = &*self.shared;
        let (server, info) = (shared.server.endpoint.display_url(), &shared.info);
        let mut report = ProbeReport::untried(&info.alias, &server, &info.model);
        let (listed_window, began) = (self.listed_window().await, now());
        match shared.probe_call(self.schema_mode()).await {
            Ok(received) => {
                report.succeeded(shared.server.key.is_some());
                if let Some(model) = &received.response.model {
                    report.model = redact(model).into_owned();
                }
                let streams = shared.format.model().provider.stream;
                report.streaming = streams.then_some(received.streamed.is_some());
                report.schema = Some(self.schema_mode());
                let usage = received.response.usage;
                report.cache_fields = usage.map(|_| received.response.reports_cached);
                report.latency_ms = u64::try_from(received.latency.as_millis()).ok();
                let answer = received.response.split().text;
                report.notes = notes(&answer, &report, received.retries);
            }
            Err(FailedCall { error, .. }) => {
                report.failed(&error, shared.server.key.is_some());
                let elapsed = u64::try_from(began.elapsed().as_millis());
                report.latency_ms = elapsed.ok().filter(|_| report.reachable == Some(true));
            }
        }
        if let (Some(listed), Some(configured)) = (listed_window, info.window)
            && listed < configured
        {
            let note = text!(mind_probe_smaller_window, configured, listed);
            report.notes.push(note);
        }
        report.window = listed_window.or(info.window);
        report
    }
}

/// An answer, and what of it only an examination wants to know.
#[derive(Clone, Debug)]
pub(crate) struct ExaminedAnswer {
    pub(crate) completion: Completion,
    /// Whether the server told calls of tools from text.
    pub(crate) calls_natively: bool,
    /// The text with the marks of thoughts.
    pub(crate) marked_text: String,
    /// Whether thoughts came in a field of their own.
    pub(crate) has_reasoning_field: bool,
    /// The time from its first bytes to its end, if it was streamed.
    pub(crate) streamed: Option<Duration>,
    /// Whether the usage included a number of cached tokens.
    pub(crate) reports_cached: bool,
    /// How the schema was sent in the end.
    pub(crate) schema: SchemaMode,
}

impl HttpMind {
    /// Asks once, without retries.
    pub(crate) async fn examine(&self, prompt: &Prompt<'_>) -> Result<ExaminedAnswer, FailedCall> {
        let shared = &*self.shared;
        let received = shared.call_once(prompt, self.schema_mode()).await?;
        let text = &received.response.text;
        Ok(ExaminedAnswer {
            calls_natively: !received.response.calls().is_empty(),
            marked_text: text.text().to_owned(),
            has_reasoning_field: !text.reasoning().is_empty(),
            streamed: received.streamed,
            reports_cached: received.response.reports_cached,
            schema: self.schema_mode(),
            completion: with_calls(shared.completion(received), prompt.tools.specs),
        })
    }

    /// The context window according to the server's page of models; `None` if it is not there soon.
    pub(crate) async fn listed_window(&self) -> Option<u64> {
        let window = timeout(LIST_TIMEOUT, self.shared.listed_window()).await;
        window.ok().flatten()
    }

    /// The JSON at a path of the server beside that of its API, or its list of models if the path
    /// is empty; `None` if there is none soon. With a body, it is posted.
    pub(crate) async fn page(&self, path: &str, body: Option<&Value>) -> Option<Value> {
        let shared = &*self.shared;
        let mut request = shared.request_for_models();
        if !path.is_empty() {
            let models = request.url().path().to_owned();
            let api = ["/v1", "/api"].iter().find_map(|api| models.rfind(api));
            let root = models.get(..api.unwrap_or_default()).unwrap_or_default();
            request.url_mut().set_path(&format!("{root}{path}"));
        }
        if let Some(body) = body {
            *request.method_mut() = Method::POST;
            *request.body_mut() = Some(body.to_string().into());
        }
        timeout(LIST_TIMEOUT, shared.page(request)).await.ok()?
    }
}

impl Shared {
    async fn probe_call(&self, mode: SchemaMode) -> Result<Received, FailedCall> {
        let schema = json!({
            "type": "object",
            "properties": {"ready": {"type": "boolean"}},
            "required": ["ready"],
            "additionalProperties": false,
        });
        let stable: Arc<str> = schema.to_string().into();
        let history = AgentContext::new("doctor");
        let question = Body::text("Are you ready? Answer in JSON: {\"ready\": true}");
        let prompt = Prompt {
            form: AnswerForm::Json {
                name: "ready",
                schema: &stable,
                constrained: &schema,
                notes: &Value::Null,
            },
            // Enough for a short thought before the answer.
            max_tokens: 256,
            seed: 0,
            ..Prompt::new("doctor", &history, &question)
        };
        self.call_once(&prompt, mode).await
    }

    /// Asks without retries. A probe should report failures, not hide them.
    async fn call_once(
        &self,
        prompt: &Prompt<'_>,
        mode: SchemaMode,
    ) -> Result<Received, FailedCall> {
        let mut body =
            request_body(prompt, &self.format, mode).map_err(|error| MindError::Unsendable {
                entity: prompt.entity.clone(),
                alias: self.info.alias.as_str().into(),
                reason: error.text(),
            })?;
        let once = RetryPolicy {
            times: 0,
            ..self.server.retry
        };
        self.call(&mut body, mode, RetryState::new(once, 0), None)
            .await
    }

    /// The context window according to the server's page of models.
    async fn listed_window(&self) -> Option<u64> {
        let page = self.page(self.request_for_models()).await?;
        let protocol = self.format.protocol();
        protocol.window(&page, &self.format.model().model)
    }

    /// The JSON that a request gets.
    async fn page(&self, request: Request) -> Option<Value> {
        let deadline = Deadline::new(&self.server.timeouts);
        let mut response = self.send(request, deadline).await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_LIST_BYTES {
                return None;
            }
        }
        serde_json::from_slice(&body).ok()
    }
}

fn notes(answer: &str, report: &ProbeReport, retries: u32) -> Vec<UiText> {
    let answer = serde_json::from_str::<Value>(answer);
    let fits_schema = answer.is_ok_and(|value| value["ready"].is_boolean());
    let is_whole = report.streaming == Some(false);
    let has_usage = report.cache_fields.is_some();
    let notes = [
        (!fits_schema).then(|| text!(mind_probe_schema_ignored)),
        is_whole.then(|| text!(mind_probe_not_streamed)),
        (!has_usage).then(|| text!(mind_probe_no_usage)),
        (retries > 0).then(|| text!(mind_probe_attempts, attempts = retries + 1)),
    ];
    notes.into_iter().flatten().collect()
}
