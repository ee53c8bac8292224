//! Request bodies.
//!
//! What is fixed (model, settings) comes first, then the messages, then what differs from ask to
//! ask (limits, the schema). So a request begins with the bytes of the entity's previous one up to
//! the end of its history, and another schema mode changes nothing before the last instruction.

use std::sync::Arc;

use bytes::Bytes;
use playhouse_engine::locale::Localize;
use playhouse_engine::mind::Prompt;
use playhouse_interop::format::{
    Format, ListEnd, MediaError, MediaFiles, MessageWriter, SystemPlace, Written,
};
use serde_json::{Map, Value};
use thiserror::Error;

use super::api::{Protocol, protocol};
use super::request_parts::{AskParts, FixedParts};
use super::response_accumulator::WantedAnswer;
use super::settings::{ModelSettings, SchemaMode};

/// Why a request can't be sent.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum RequestError {
    /// Media can't be sent.
    Media(#[from] MediaError),
    /// Neither the conversation nor the question says anything, which every provider refuses.
    #[text(mind_nothing_to_send)]
    Empty,
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
        let protocol = protocol(model.provider.api);
        let mut extra = model.provider.extra.clone();
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

    pub fn model(&self) -> &ModelSettings {
        &self.fixed.model
    }

    pub(super) fn protocol(&self) -> &'static dyn Protocol {
        protocol(self.fixed.model.provider.api)
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

    /// Ends a request after its turns, which end with `end`.
    fn close(&self, turns: Vec<u8>, end: ListEnd, parts: &AskParts, mode: SchemaMode) -> Bytes {
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
        let mut json = end.close(&self.format, turns, &instruction.unwrap_or_default());
        json.extend_from_slice(protocol.ending(&self.fixed, parts, mode).as_bytes());
        json.into()
    }
}

/// A request body, and what it takes to send the schema in another mode.
#[derive(Debug)]
pub struct RequestBody {
    bytes: Bytes,
    parts: AskParts,
    /// How many of the bytes stand before the end of the turns.
    turns_len: usize,
    turns_end: ListEnd,
}

/// How many bytes twice as many tokens have.
fn longest_text(tokens: u32) -> usize {
    const BYTES_OF_TOKEN: usize = 4;
    (tokens as usize).saturating_mul(2 * BYTES_OF_TOKEN)
}

impl RequestBody {
    /// The body as it is sent; clones share it.
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

    /// Changes how the schema is sent.
    pub(super) fn set_schema_mode(&mut self, mode: SchemaMode, format: &RequestFormat) {
        let turns = self.bytes[..self.turns_len].to_vec();
        self.bytes = format.close(turns, self.turns_end.clone(), &self.parts, mode);
    }
}

/// The request for a prompt, with the schema in this mode.
pub fn request_body(
    prompt: &Prompt<'_>,
    format: &RequestFormat,
    mode: SchemaMode,
) -> Result<RequestBody, RequestError> {
    let provider = &format.model().provider;
    let max_output = provider.max_output.saturating_add(provider.thought_tokens);
    let parts = AskParts::of(prompt, max_output);
    let head = format.protocol().head(&format.fixed, &parts);
    let mut json = Vec::with_capacity(head.len() + expected_len(prompt));
    json.extend_from_slice(head.as_bytes());
    let mut writer = MessageWriter::new(&format.format, Some(prompt.entity), json);
    writer.write_history(prompt.history_turns())?;
    writer.write_question(prompt.question_turns())?;
    if !writer.has_messages() {
        let format = format.with_system_as_user().ok_or(RequestError::Empty)?;
        return request_body(prompt, &format, mode);
    }
    let Written {
        json,
        end,
        omissions,
    } = writer.finish();
    for omission in &omissions {
        tracing::debug!(entity = %prompt.entity, "a request leaves out {omission}");
    }
    Ok(RequestBody {
        turns_len: json.len(),
        turns_end: end.clone(),
        bytes: format.close(json, end, &parts, mode),
        parts,
    })
}

/// About how long a request becomes. Too much costs nothing; with too little, all of it is copied
/// once more.
fn expected_len(prompt: &Prompt<'_>) -> usize {
    const AROUND_A_TEXT: usize = 64;
    const QUESTION_AND_SCHEMA: usize = 16 * 1024;
    let text = prompt.history.last_stats().bytes as usize;
    // Escaping adds less than an eighth, usually.
    text + text / 8 + prompt.history.len() * AROUND_A_TEXT + QUESTION_AND_SCHEMA
}
