//! What is settled about a server and a model before the first request.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::dialect::format::{Api, Format, Shape, Style, Thinking};
use crate::mind::Language;

/// How a reply's schema travels to a server. The variants are a ladder: what a server refuses is
/// asked again one step lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaMode {
    /// `json_schema` with the reply type's stable schema and `strict`, where the schema meets what
    /// strict asks for: no additional properties, all properties required.
    Strict,
    /// `json_schema` with the reply type's stable schema, so that a provider that puts it before
    /// the messages still finds its cache.
    #[default]
    Stable,
    /// `json_schema` with the schema narrowed to what is legal in this ask; for servers that make a
    /// grammar of it, which is no part of the cached prompt.
    Narrowed,
    /// `json_object`, and the narrowed schema as text at the very end of the prompt.
    JsonMode,
    /// No `response_format`; the narrowed schema as text at the very end of the prompt.
    Text,
}

impl SchemaMode {
    /// The next step down; `None` on the lowest.
    pub fn lower(self) -> Option<Self> {
        match self {
            Self::Strict => Some(Self::Stable),
            Self::Stable | Self::Narrowed => Some(Self::JsonMode),
            Self::JsonMode => Some(Self::Text),
            Self::Text => None,
        }
    }
}

/// Under which name a server takes the most tokens of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// `max_tokens`; what nearly every server knows.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`; what OpenAI's reasoning models insist on.
    MaxCompletionTokens,
}

impl LimitField {
    /// The member's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How long silence may last, in seconds. There is no limit on the whole: a slow model that keeps
/// talking is never cut off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until the server answers at all. Local models read a long prompt before they say anything.
    pub first_byte: f64,
    /// Between two pieces of the answer.
    pub between_bytes: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: 180.0,
            between_bytes: 60.0,
        }
    }
}

/// How often and how long to try again. Waits double from `first_wait` to `longest_wait`, with full
/// jitter; a server that names its own delay gets it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// How many more attempts after the first.
    pub times: u32,
    /// How many of them after attempts that the server may have billed: it fell silent, or its
    /// answer was cut or unreadable. Budgets and caps reserve as many worst cases.
    pub billed: u32,
    /// The most seconds to wait before the second attempt.
    pub first_wait: f64,
    /// The most seconds of one wait that we choose ourselves.
    pub longest_wait: f64,
    /// Seconds of waiting in all; a server that asks for more is given up at once.
    pub patience: f64,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            times: 4,
            billed: 2,
            first_wait: 0.5,
            longest_wait: 20.0,
            patience: 120.0,
        }
    }
}

/// What a mind reads at the end of a prompt where a server takes no schema. `{schema}` stands for
/// it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wording {
    /// In English worlds.
    pub en: String,
    /// In Chinese worlds.
    pub zh: String,
}

impl Default for Wording {
    fn default() -> Self {
        Self {
            en: "Answer with one JSON object and nothing else, no code fence. It must fit this JSON schema:\n{schema}".into(),
            zh: "只回答一个 JSON 对象，不要代码框，也不要任何别的文字。它必须符合这个 JSON Schema：\n{schema}".into(),
        }
    }
}

impl Wording {
    /// The words for a schema in a world of this language.
    pub fn ask_for(&self, schema: &str, language: Language) -> String {
        match language {
            Language::En => self.en.replace("{schema}", schema),
            Language::Zh => self.zh.replace("{schema}", schema),
        }
    }
}

/// What one model of one server is sent, and in which form.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialect {
    /// Whose interface it is behind.
    pub api: Api,
    /// How the turns of a conversation become messages.
    pub style: Style,
    /// Words before a conversation that is told as a history.
    pub history_header: String,
    /// Whether messages carry the names of their speakers, where the interface has a place for
    /// them.
    pub names: bool,
    /// Whether words are always sent as a list of parts; models that take media may insist.
    pub parts: bool,
    /// Which thoughts the model is sent back, where that is not as usual behind its interface.
    pub thinking: Option<Thinking>,
    /// Whether requests of an entity carry a key by which the provider finds its cache (OpenAI's
    /// `prompt_cache_key`).
    pub cache_key: bool,
    /// Tokens of prompt and answer together; told to servers that must know.
    pub window: Option<u64>,
    /// The model's name in requests.
    pub model: String,
    /// The name of the limit of answer tokens.
    pub limit_field: LimitField,
    /// The most tokens of an answer, whatever an ask allows.
    pub max_output: u32,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// Whether a streamed answer is asked to report its usage (`stream_options.include_usage`).
    pub stream_usage: bool,
    /// Sent only where set.
    pub temperature: Option<f64>,
    /// Whether turns of one role that follow each other are sent as one message; some chat
    /// templates (Gemma's, Mistral's) insist that roles take turns.
    pub merge_turns: bool,
    /// On which step of the ladder to begin.
    pub schema: SchemaMode,
    /// What stands in for a schema that can't be sent.
    pub wording: Wording,
    /// Members that only this server knows, merged into every request.
    pub extra: Map<String, Value>,
}

impl Dialect {
    /// A server of which nothing is known: it is sent nothing that it might refuse.
    pub fn cautious(model: impl Into<String>) -> Self {
        Self {
            api: Api::OpenAi,
            style: Style::default(),
            history_header: String::new(),
            names: false,
            parts: false,
            thinking: None,
            cache_key: false,
            window: None,
            model: model.into(),
            limit_field: LimitField::default(),
            max_output: 1024,
            stream: true,
            stream_usage: false,
            temperature: None,
            merge_turns: false,
            schema: SchemaMode::default(),
            wording: Wording::default(),
            extra: Map::new(),
        }
    }

    /// How conversations are written for it.
    pub(super) fn format(&self) -> Format {
        let mut shape = Shape::cautious(self.api);
        shape.header = self.history_header.as_str().into();
        shape.names = self.names;
        shape.parts = self.parts;
        shape.merge = self.merge_turns;
        shape.thinking = self.thinking.unwrap_or(shape.thinking);
        Format::new(self.api, self.style, shape)
    }
}

/// Seconds as a duration; negative and absurd numbers become the nearest sensible one.
pub(super) fn seconds(seconds: f64) -> Duration {
    const LONGEST: f64 = 1e6;
    Duration::from_secs_f64(match seconds.is_nan() {
        true => 0.0,
        false => seconds.clamp(0.0, LONGEST),
    })
}
