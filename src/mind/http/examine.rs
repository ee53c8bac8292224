//! One cheap question to a server, to see what it can do.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::mind::{Heard, HttpMind, Shared, now};
use super::request::request_body;
use super::retry::RetryPolicy;
use super::settings::{Retry, SchemaMode};
use crate::context::AgentContext;
use crate::message::Body;
use crate::mind::{FailedCall, Form, Language, MindError, Prompt, Tools};

/// The most bytes of a list of models that are read.
const LONGEST_LIST: usize = 1024 * 1024;

/// How long a list of models may take; it is not needed.
const LIST_PATIENCE: Duration = Duration::from_secs(5);

/// What is known of a model's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// The server took it.
    Accepted,
    /// The server refused it, or its account.
    Refused,
    /// None is set, and the server did without.
    NotNeeded,
    /// None is set, and the server wants one.
    Missing,
    /// The server did not answer, so nothing is known.
    Untried,
}

/// What one cheap question showed of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Examination {
    /// The alias that was examined.
    pub alias: String,
    /// The server's address, without any key.
    pub server: String,
    /// Whether it answered at all, be it with an error.
    pub reachable: bool,
    /// What it made of the key.
    pub key: KeyState,
    /// The model that answered, or the one that was asked for.
    pub model: String,
    /// Whether the model answered.
    pub answers: bool,
    /// Tokens of prompt and answer together: as the server tells, or else as the model file says.
    pub window: Option<u64>,
    /// Whether the answer was streamed; `None` where none were asked for or nothing came.
    pub streaming: Option<bool>,
    /// How the schema travels; `None` where the model did not answer.
    pub schema: Option<SchemaMode>,
    /// Whether its usage tells of cached tokens; `None` where it reported no usage.
    pub cache_fields: Option<bool>,
    /// Milliseconds from the question to the end of the answer.
    pub latency_ms: Option<u64>,
    /// What else is worth knowing, as sentences.
    pub notes: Vec<String>,
}

impl Examination {
    /// What is known before anything was asked: nothing.
    pub fn untried(alias: &str, server: &str, model: &str) -> Self {
        Self {
            alias: alias.into(),
            server: server.into(),
            reachable: false,
            key: KeyState::Untried,
            model: model.into(),
            answers: false,
            window: None,
            streaming: None,
            schema: None,
            cache_fields: None,
            latency_ms: None,
            notes: Vec::new(),
        }
    }
}

impl HttpMind {
    /// Asks the server one cheap question with a schema, and for its list of models.
    pub async fn examine(&self) -> Examination {
        let shared = &*self.shared;
        let (server, info) = (shared.server.endpoint.shown(), &shared.info);
        let mut found = Examination::untried(&info.alias, &server, &info.model);
        found.window = info.window;
        let told = timeout(LIST_PATIENCE, shared.window_told()).await;
        let (told, asked) = (told.ok().flatten(), now());
        match shared.ask_something_cheap(self.schema_mode()).await {
            Ok(heard) => {
                found.reachable = true;
                found.answers = true;
                found.key = match shared.server.key {
                    Some(_) => KeyState::Accepted,
                    None => KeyState::NotNeeded,
                };
                if let Some(model) = &heard.reply.model {
                    found.model.clone_from(model);
                }
                let streams = shared.form.dialect().stream;
                found.streaming = streams.then_some(heard.streamed);
                found.schema = Some(self.schema_mode());
                found.cache_fields = heard.reply.usage.map(|_| heard.reply.tells_cached);
                found.latency_ms = u64::try_from(heard.latency.as_millis()).ok();
                found.notes = notes_on(&heard.reply.words().text, &found, heard.retries);
            }
            Err(FailedCall { error, .. }) => {
                found.reachable = !is_absence(&error);
                found.key = key_after(&error, shared.server.key.is_some());
                found.notes.push(error.to_string());
                let elapsed = u64::try_from(asked.elapsed().as_millis());
                found.latency_ms = elapsed.ok().filter(|_| found.reachable);
            }
        }
        if let (Some(told), Some(assumed)) = (told, shared.info.window)
            && told < assumed
        {
            let note = format!("The model file says {assumed} tokens; the server has {told}.");
            found.notes.push(note);
        }
        found.window = told.or(found.window);
        found
    }
}

impl Shared {
    async fn ask_something_cheap(&self, mode: SchemaMode) -> Result<Heard, FailedCall> {
        let schema = json!({
            "type": "object",
            "properties": {"ready": {"type": "boolean"}},
            "required": ["ready"],
            "additionalProperties": false,
        });
        let stable: Arc<str> = schema.to_string().into();
        let question = Body::text("Are you ready? Answer in JSON: {\"ready\": true}");
        let prompt = Prompt {
            entity: &"doctor".into(),
            purpose: "doctor",
            number: 1,
            language: Language::En,
            history: &AgentContext::new("doctor"),
            question: &question,
            ask_short: false,
            rounds: &[],
            tools: Tools::NONE,
            form: Form::Json {
                name: "ready",
                schema: &stable,
                narrowed: &schema,
                notes: &Value::Null,
            },
            // Enough for a short thought before the answer.
            max_tokens: 256,
            seed: 0,
            stream: None,
        };
        let body = request_body(&prompt, &self.form, mode);
        let mut body = body.map_err(|error| MindError::Unsendable {
            alias: self.info.alias.clone(),
            reason: error.to_string(),
        })?;
        // Who asks how a server is wants to know of its failures.
        let once = Retry {
            times: 0,
            ..self.server.retry
        };
        self.ask(&mut body, mode, RetryPolicy::new(once, 0), None)
            .await
    }

    /// The window, as the server's page on its models tells it.
    async fn window_told(&self) -> Option<u64> {
        let mut response = self.send(self.request_for_models()).await.ok()?;
        let mut body = Vec::new();
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() > LONGEST_LIST {
                return None;
            }
        }
        let list: Value = serde_json::from_slice(&body).ok()?;
        self.form
            .protocol()
            .window(&list, &self.form.dialect().model)
    }
}

/// Whether the error means that nobody answered.
fn is_absence(error: &MindError) -> bool {
    matches!(
        error,
        MindError::Unreachable { .. } | MindError::Silent { .. }
    )
}

fn key_after(error: &MindError, has_key: bool) -> KeyState {
    match (error, has_key) {
        (MindError::Denied { .. }, true) => KeyState::Refused,
        (MindError::Denied { .. }, false) => KeyState::Missing,
        _ => KeyState::Untried,
    }
}

fn notes_on(text: &str, found: &Examination, retries: u32) -> Vec<String> {
    let ready = serde_json::from_str::<Value>(text).is_ok_and(|value| value["ready"].is_boolean());
    let notes = [
        (!ready).then(|| "The answer did not fit the schema; answers will need repair.".to_owned()),
        (found.streaming == Some(false))
            .then(|| "A stream was asked for, and the answer came whole.".to_owned()),
        (found.cache_fields.is_none())
            .then(|| "No usage was reported; tokens and cost will be estimates.".to_owned()),
        (retries > 0).then(|| format!("It took {} attempts.", retries + 1)),
    ];
    notes.into_iter().flatten().collect()
}
