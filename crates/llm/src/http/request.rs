//! Request bodies.
//!
//! What is fixed (model, settings) comes first, then the messages, then what differs from ask to
//! ask (limits, the schema). So a request begins with the bytes of the entity's previous one up to
//! the end of its history, and another schema mode changes nothing before the last instruction.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use playhouse_dialect::format::{
    Checkpoint, Format, MediaError, MediaFiles, MessageWriter, SystemPlace, WriterState, Written,
};
use playhouse_engine::context::AgentContext;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::mind::Prompt;
use serde_json::{Map, Value};
use thiserror::Error;

use super::api::{Protocol, protocol};
use super::request_parts::{AskParts, FixedParts};
use super::response_accumulator::WantedAnswer;
use super::settings::{ModelSettings, SchemaMode};

/// Why a request can't be sent.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.text())]
pub enum RequestError {
    /// Media can't be sent.
    Media(#[from] MediaError),
    /// Neither the conversation nor the question says anything, which every provider refuses.
    Empty,
}

impl Localize for RequestError {
    fn text(&self) -> UiText {
        match self {
            Self::Media(error) => error.text(),
            Self::Empty => text!(mind_nothing_to_send),
        }
    }
}

/// The settings of a model, prepared for requests.
#[derive(Clone, Debug)]
pub struct RequestFormat {
    format: Format,
    fixed: FixedParts,
}

impl RequestFormat {
    /// Prepares the settings of a model. Media files are read from `files`.
    pub fn new(model: ModelSettings, files: Arc<dyn MediaFiles>) -> Self {
        let protocol = protocol(model.api);
        let mut extra = model.extra.clone();
        extra.retain(|name, _| !protocol.own_members().contains(&name.as_str()));
        let settings_member = protocol.settings_member();
        let given = settings_member.and_then(|name| extra.remove(name));
        let mut settings: Map<String, Value> = protocol.settings(&model);
        if let Some(Value::Object(given)) = given {
            settings.extend(given);
        }
        Self {
            format: model.format().with_files(files),
            fixed: FixedParts {
                model,
                settings,
                extra,
            },
        }
    }

    /// The settings of the model.
    pub fn model(&self) -> &ModelSettings {
        &self.fixed.model
    }

    pub(super) fn protocol(&self) -> &'static dyn Protocol {
        protocol(self.fixed.model.api)
    }

    /// The same with the system message as a message of the user, for a conversation that has no
    /// other; `None` if it is within the list already.
    fn with_system_as_user(&self) -> Option<Self> {
        let mut changed = self.clone();
        let place = std::mem::replace(&mut changed.format.options.system, SystemPlace::User);
        (place == SystemPlace::Member).then_some(changed)
    }

    /// Whether a schema is sent other than as an instruction.
    fn sends_schema(&self, parts: &AskParts) -> bool {
        let beside_tools = || self.protocol().accepts_schema_beside_tools(parts.callable);
        parts.tools.is_empty() || beside_tools()
    }

    /// Ends a request after its turns, whose writing stopped at `state`.
    fn end(
        &self,
        bytes: BytesMut,
        state: &WriterState,
        parts: &AskParts,
        mode: SchemaMode,
    ) -> BytesMut {
        let mode = if self.sends_schema(parts) {
            mode
        } else {
            SchemaMode::Text
        };
        let protocol = self.protocol();
        let instructed = parts
            .schema
            .as_ref()
            .filter(|_| protocol.puts_schema_in_prompt(mode));
        let instruction = instructed.map(|schema| {
            let wording = &self.fixed.model.wording;
            wording.with_schema(&schema.constrained, schema.language)
        });
        let writer = MessageWriter::new(&self.format, None, bytes, state.clone());
        let mut bytes = writer.close(&instruction.unwrap_or_default());
        bytes.extend_from_slice(protocol.ending(&self.fixed, parts, mode).as_bytes());
        bytes
    }
}

/// A request body, and what it takes to send the schema in another mode.
#[derive(Debug)]
pub struct RequestBody {
    bytes: Bytes,
    entity: Arc<str>,
    parts: AskParts,
    /// The end of the turns.
    turns_end: Checkpoint,
    /// How far the next request of the entity may have the same bytes.
    shared: Option<SharedBeginning>,
}

/// How far the next request of an entity may have the same bytes.
#[derive(Clone, Debug)]
struct SharedBeginning {
    /// The generation of the history; it changes when old messages do.
    generation: u64,
    /// How many bytes stand before the messages.
    head_len: usize,
    checkpoint: Checkpoint,
}

/// How many bytes twice as many tokens have.
fn longest_text(tokens: u32) -> usize {
    const BYTES_OF_TOKEN: usize = 4;
    (tokens as usize).saturating_mul(2 * BYTES_OF_TOKEN)
}

impl RequestBody {
    /// The body as it is sent; a clone shares its buffer.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Whether the schema of a reply is sent, other than as an instruction because of tools.
    pub(super) fn sends_schema(&self, format: &RequestFormat) -> bool {
        self.parts.schema.is_some() && format.sends_schema(&self.parts)
    }

    /// What is known of its answer.
    pub(super) fn wanted(&self, format: &RequestFormat) -> WantedAnswer<'_> {
        WantedAnswer {
            calls_tools: self.parts.callable && !self.parts.tools.is_empty(),
            schema: self.parts.schema.as_ref().map(|schema| &*schema.stable),
            without_thoughts: format.model().forbids_thoughts(),
            longest_text: Some(longest_text(self.parts.max_tokens)),
        }
    }

    /// Changes how the schema is sent. Nothing is copied unless the bytes are still in use
    /// elsewhere.
    pub(super) fn set_schema_mode(&mut self, mode: SchemaMode, format: &RequestFormat) {
        let bytes = std::mem::take(&mut self.bytes).try_into_mut();
        let mut bytes = bytes.unwrap_or_else(|in_use| BytesMut::from(&in_use[..]));
        bytes.truncate(self.turns_end.len);
        let bytes = format.end(bytes, &self.turns_end.state, &self.parts, mode);
        self.bytes = bytes.freeze();
    }

    pub(super) fn entity(&self) -> &Arc<str> {
        &self.entity
    }

    /// Gives its buffer away for the next request of the entity; `None` if the bytes are still in
    /// use elsewhere, or serve no other request.
    pub(super) fn take_buffer(&mut self) -> Option<RequestBuffer> {
        let bytes = std::mem::take(&mut self.bytes).try_into_mut().ok()?;
        let shared = self.shared.take()?;
        Some(RequestBuffer { bytes, shared })
    }
}

/// The buffer of an earlier request, which the entity's next request may continue.
#[derive(Debug)]
pub(super) struct RequestBuffer {
    pub(super) bytes: BytesMut,
    shared: SharedBeginning,
}

impl RequestBuffer {
    /// The buffer, with what a request with this history and head begins with, and the writer's
    /// state there; empty and `None` if it begins differently.
    fn resume(mut self, history: &AgentContext, head: &str) -> (BytesMut, Option<WriterState>) {
        let SharedBeginning {
            generation,
            head_len,
            checkpoint: Checkpoint { len, state },
        } = self.shared;
        if generation == history.generation()
            && state.turns() <= history.len()
            && self.bytes.get(..head_len) == Some(head.as_bytes())
        {
            self.bytes.truncate(len);
            (self.bytes, Some(state))
        } else {
            self.bytes.clear();
            (self.bytes, None)
        }
    }
}

/// The request for a prompt, with the schema in this mode.
///
/// # Errors
/// A media file can't be sent, or there is nothing to send.
pub fn request_body(
    prompt: &Prompt<'_>,
    format: &RequestFormat,
    mode: SchemaMode,
) -> Result<RequestBody, RequestError> {
    build(None, prompt, format, mode)
}

/// Builds a request, continuing the entity's previous one if it begins with the same bytes.
pub(super) fn build(
    previous: Option<RequestBuffer>,
    prompt: &Prompt<'_>,
    format: &RequestFormat,
    mode: SchemaMode,
) -> Result<RequestBody, RequestError> {
    let parts = AskParts::of(prompt, format.model().max_output);
    let head = format.protocol().head(&format.fixed, &parts);
    let resumed = previous.map(|buffer| buffer.resume(prompt.history, &head));
    let (mut bytes, state) = resumed.unwrap_or_default();
    let state = state.unwrap_or_else(|| {
        // Escaping and the JSON around texts add less than a quarter, usually.
        let text = prompt.history.last_stats().bytes as usize;
        bytes.reserve(head.len() + text + text / 4);
        bytes.extend_from_slice(head.as_bytes());
        WriterState::default()
    });
    let written_turns = state.turns();
    let mut writer = MessageWriter::new(&format.format, Some(prompt.entity), bytes, state);
    writer.write_history(prompt.history_turns(written_turns))?;
    writer.write_question(prompt.question_turns())?;
    if !writer.has_messages() {
        let format = format.with_system_as_user().ok_or(RequestError::Empty)?;
        let mut body = build(None, prompt, &format, mode)?;
        // Once there are messages, the system message goes elsewhere.
        body.shared = None;
        return Ok(body);
    }
    let Written {
        bytes,
        state,
        checkpoint,
        omissions,
    } = writer.finish();
    for omission in &omissions {
        tracing::debug!(entity = %prompt.entity, "a request leaves out {omission}");
    }
    let len = bytes.len();
    let bytes = format.end(bytes, &state, &parts, mode);
    Ok(RequestBody {
        bytes: bytes.freeze(),
        entity: Arc::clone(prompt.entity),
        parts,
        turns_end: Checkpoint { len, state },
        shared: checkpoint.map(|checkpoint| SharedBeginning {
            generation: prompt.history.generation(),
            head_len: head.len(),
            checkpoint,
        }),
    })
}
