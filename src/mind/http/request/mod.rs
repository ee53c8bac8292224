//! Request bodies, assembled from text that was escaped when it was first sent.
//!
//! What is fixed (model, settings) stands first, then the messages, then whatever differs from ask
//! to ask (limits, how the schema travels). So a request begins with the bytes of the one before it
//! up to the end of its history, and a step down the ladder keeps everything up to the last words.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde_json::{Map, Value};

use super::api::{self, Protocol};
use super::request_cache::CachedRequest;
use super::settings::{Dialect, SchemaMode};
use crate::dialect::format::{
    self, Format, MediaError, MediaFiles, MessageWriter, Progress, Written,
};
use crate::message::Digest;
use crate::mind::{Form, Language, Prompt};
use crate::tool::ToolSpec;

/// A dialect made ready for requests.
#[derive(Clone, Debug)]
pub struct RequestForm {
    dialect: Dialect,
    format: Format,
    /// Settings of the dialect's own member for them.
    settings: Map<String, Value>,
    /// What the model file adds beside the messages.
    extra: Map<String, Value>,
}

impl RequestForm {
    /// Makes a dialect ready for requests, with media files from `files`.
    pub fn new(dialect: Dialect, files: Arc<dyn MediaFiles>) -> Self {
        let mut extra = dialect.extra.clone();
        let protocol = api::protocol(dialect.api);
        extra.retain(|name, _| !protocol.own_members().contains(&name.as_str()));
        let given = protocol
            .settings_member()
            .and_then(|name| extra.remove(name));
        let mut form = Self {
            format: dialect.format().with_files(files),
            dialect,
            settings: Map::new(),
            extra,
        };
        form.settings = protocol.settings(&form);
        if let Some(Value::Object(given)) = given {
            form.settings.extend(given);
        }
        form
    }

    /// The dialect it was made from.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    pub(super) fn protocol(&self) -> &'static dyn Protocol {
        api::protocol(self.dialect.api)
    }

    /// Settings of the dialect's own member for them.
    pub(super) fn settings(&self) -> &Map<String, Value> {
        &self.settings
    }

    /// What the model file adds beside the messages.
    pub(super) fn extra(&self) -> &Map<String, Value> {
        &self.extra
    }
}

/// A place in a request up to which the next request of the same conversation has the same bytes.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Of the history.
    pub(super) generation: u64,
    /// How many bytes stand before the messages.
    pub(super) head: usize,
    pub(super) place: format::Mark,
}

/// A request body, and what is needed to say the same with the schema on another step of the
/// ladder.
#[derive(Debug)]
pub struct RequestBody {
    bytes: Bytes,
    /// What stands after the turns.
    asked: Asked,
    /// Where the turns end.
    end: format::Mark,
    entity: Arc<str>,
    mark: Option<Mark>,
}

impl RequestBody {
    /// The body as it is sent; a clone shares its buffer.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Whether the answer is wanted as JSON by a schema that travels on the ladder.
    pub(super) fn wants_json(&self, form: &RequestForm) -> bool {
        self.asked.wanted.is_some() && self.asked.sends_schema(form)
    }

    /// Says the same with the schema on another step of the ladder. Nothing is copied where nobody
    /// else holds the bytes any more.
    pub(super) fn step_to(&mut self, mode: SchemaMode, form: &RequestForm) {
        let bytes = std::mem::take(&mut self.bytes).try_into_mut();
        let mut bytes = bytes.unwrap_or_else(|held| BytesMut::from(&held[..]));
        bytes.truncate(self.end.at);
        self.asked.end(&mut bytes, &self.end.progress, mode, form);
        self.bytes = bytes.freeze();
    }

    /// Whose request it is.
    pub(super) fn entity(&self) -> &Arc<str> {
        &self.entity
    }

    /// How far its bytes serve the next request of the entity, if they do.
    pub(super) fn take_mark(&mut self) -> Option<Mark> {
        self.mark.take()
    }

    /// The bytes, given away when nothing is to be sent any more.
    pub(super) fn take_bytes(&mut self) -> Bytes {
        std::mem::take(&mut self.bytes)
    }
}

/// Assembles the request for a prompt, with the schema on this step of the ladder. Old messages are
/// copied, never escaped again.
///
/// # Errors
/// A media file can't be sent; the error names it.
pub fn request_body(
    prompt: &Prompt<'_>,
    form: &RequestForm,
    mode: SchemaMode,
) -> Result<RequestBody, MediaError> {
    assemble(None, prompt, form, mode)
}

/// Assembles a request in the buffer of an earlier one, and goes on where it can.
pub(super) fn assemble(
    draft: Option<CachedRequest>,
    prompt: &Prompt<'_>,
    form: &RequestForm,
    mode: SchemaMode,
) -> Result<RequestBody, MediaError> {
    let asked = Asked::of(prompt, form);
    let head = form.protocol().head(form, &asked);
    let resumed = draft.map(|draft| draft.resume(prompt.history, &head));
    let (mut bytes, from) = resumed.unwrap_or_default();
    let from = from.unwrap_or_else(|| {
        bytes.clear();
        bytes.reserve(head.len() + about_size(prompt) + asked.most(form));
        bytes.extend_from_slice(head.as_bytes());
        Progress::default()
    });
    let known = from.turns();
    let mut script = MessageWriter::new(&form.format, Some(prompt.entity), bytes, from);
    script.remember(prompt.remembered(known))?;
    script.ask(prompt.asked())?;
    let Written {
        mut bytes,
        progress,
        mark,
        left_out,
    } = script.finish();
    for left_out in &left_out {
        tracing::debug!(entity = %prompt.entity, "a request leaves out {left_out}");
    }
    let at = bytes.len();
    asked.end(&mut bytes, &progress, mode, form);
    let (generation, head) = (prompt.history.generation(), head.len());
    Ok(RequestBody {
        bytes: bytes.freeze(),
        asked,
        end: format::Mark { at, progress },
        entity: Arc::clone(prompt.entity),
        mark: mark.map(|place| Mark {
            generation,
            head,
            place,
        }),
    })
}

/// About the bytes of all turns, a little too many, from figures that are counted already: looking
/// at every old message only for its size would take as long as half of the copying.
fn about_size(prompt: &Prompt<'_>) -> usize {
    const FRAME: usize = "\"},{\"role\":\"assistant\",\"content\":\"".len();
    let history = prompt.history.last_stats();
    let rounds = prompt.rounds.iter().map(|round| round.bytes() as usize);
    let text = history.bytes as usize + prompt.question.full_text().len() + rounds.sum::<usize>();
    let messages = prompt.history.len() + 1 + 2 * prompt.rounds.len();
    // Escaping makes text longer by less than this, most often.
    text + text / 16 + FRAME * messages
}

/// What a request says beside the conversation.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The most tokens of the answer.
    pub(super) limit: u32,
    pub(super) wanted: Option<Wanted>,
    /// The tools that the mind is told of.
    pub(super) specs: Vec<Arc<ToolSpec>>,
    /// Whether it may call them.
    callable: bool,
    /// What requests share that begin alike; for providers that bring those together.
    pub(super) cache_key: Digest,
}

/// The reply that is wanted as JSON.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// The reply's name, of up to 64 ASCII letters, digits, `_` and `-`.
    pub(super) name: String,
    /// The schema of all such replies.
    pub(super) stable: Arc<str>,
    /// The schema of what is legal in this ask.
    pub(super) narrowed: String,
    language: Language,
}

impl Asked {
    fn of(prompt: &Prompt<'_>, form: &RequestForm) -> Self {
        Self {
            limit: prompt.max_tokens.min(form.dialect.max_output),
            wanted: Wanted::of(prompt),
            specs: prompt.tools.specs.to_vec(),
            callable: prompt.tools.callable,
            cache_key: Digest::of(prompt.entity.as_bytes()),
        }
    }

    /// Whether tools are told of that may not be called: earlier requests had them.
    pub(super) fn forbids_tools(&self) -> bool {
        !self.specs.is_empty() && !self.callable
    }

    /// Whether a schema is sent otherwise than in words.
    fn sends_schema(&self, form: &RequestForm) -> bool {
        self.specs.is_empty() || form.protocol().takes_schema_beside_tools(self.callable)
    }

    /// Ends a request behind its turns.
    fn end(&self, out: &mut BytesMut, progress: &Progress, mode: SchemaMode, form: &RequestForm) {
        let mode = match self.sends_schema(form) {
            true => mode,
            false => SchemaMode::Text,
        };
        let protocol = form.protocol();
        let told = self.wanted.as_ref().filter(|_| protocol.tells_schema(mode));
        let words = told.map(|wanted| {
            let words = &form.dialect.wording;
            words.ask_for(&wanted.narrowed, wanted.language)
        });
        form.format.close(out, progress, &words.unwrap_or_default());
        out.extend_from_slice(protocol.ending(form, self, mode).as_bytes());
    }

    /// About the most bytes that it takes to end a request.
    fn most(&self, form: &RequestForm) -> usize {
        const FRAME: usize = 200;
        let words = &form.dialect.wording;
        let schema = self.wanted.as_ref().map_or(0, |wanted| {
            // In words, every quote of the schema is escaped.
            let in_words = wanted.narrowed.len() * 2 + words.en.len().max(words.zh.len());
            in_words.max(wanted.stable.len())
        });
        FRAME + schema
    }
}

impl Wanted {
    fn of(prompt: &Prompt<'_>) -> Option<Self> {
        let Form::Json {
            name,
            schema,
            narrowed,
            ..
        } = prompt.form
        else {
            return None;
        };
        Some(Self {
            name: schema_name(name),
            stable: Arc::clone(schema),
            narrowed: narrowed.to_string(),
            language: prompt.language,
        })
    }
}

/// A name that OpenAI takes for a schema: up to 64 letters, digits, `_` and `-`.
fn schema_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = name.chars().take(64).collect();
    match name.is_empty() {
        true => "reply".into(),
        false => name.replace(|c| !allowed(c), "_"),
    }
}
