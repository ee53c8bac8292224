//! The settings of a server and a model.

use std::path::PathBuf;
use std::time::Duration;

use playhouse_engine::locale::Language;
use playhouse_engine::mind::MaxDefaults;
use playhouse_engine::reading::OwnMarks;
use playhouse_interop::format::{Api, Format, FormatOptions, Style, SystemPlace, ThinkingPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a server is sent the schema of a reply. If it refuses one mode, the next lower one is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemaMode {
    /// `json_schema` with the reply type's stable schema, and `strict` if the schema meets its
    /// conditions: no additional properties, all properties required.
    Strict,
    /// `json_schema` with the reply type's stable schema, so that a provider that puts it before
    /// the messages can use its prompt cache.
    #[default]
    Stable,
    /// `json_schema` with the schema constrained to what is legal in this ask, the default of a
    /// model file; for servers that turn it into a grammar, which is not part of the cached prompt.
    #[serde(alias = "narrowed")] // Model files of users still say it.
    Constrained,
    /// `json_object`, and the constrained schema as text at the very end of the prompt.
    JsonMode,
    /// No `response_format`; the constrained schema as text at the very end of the prompt.
    Text,
}

impl SchemaMode {
    pub const ALL: [Self; 5] = [
        Self::Strict,
        Self::Stable,
        Self::Constrained,
        Self::JsonMode,
        Self::Text,
    ];

    /// The next lower mode; `None` for the lowest.
    pub fn lower(self) -> Option<Self> {
        match self {
            Self::Strict => Some(Self::Stable),
            Self::Stable | Self::Constrained => Some(Self::JsonMode),
            Self::JsonMode => Some(Self::Text),
            Self::Text => None,
        }
    }
}

/// The member of a request that limits the tokens of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// `max_tokens`, which nearly every server knows.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models require.
    MaxCompletionTokens,
}

impl LimitField {
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How long a server may take, in seconds, and how slow it may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until the first byte. Local models read a long prompt before they write anything.
    pub first_byte: f64,
    /// Between two chunks of the answer, and for all of an error.
    pub between_bytes: f64,
    /// For a whole call: all attempts, and the waits between them.
    pub whole: f64,
    /// The fewest bytes per second, on average over `between_bytes`, once the answer has begun. A
    /// token of a stream takes a hundred bytes or more.
    pub min_rate: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: 180.0,
            between_bytes: 60.0,
            whole: 900.0,
            min_rate: 8.0,
        }
    }
}

/// How often and how long to retry. A call makes a few attempts of its own, for hiccups: waits
/// double from `first_wait` to `longest_wait`, with full jitter; a delay that the server asks for
/// is respected. After that a run waits with `patience`, and says so.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryPolicy {
    pub times: u32,
    /// How many of them may follow attempts that the server may have billed, because it fell silent
    /// or its answer broke off or was unreadable. Budgets reserve the worst case of all of them.
    pub billed: u32,
    /// The maximum wait before the first retry, in seconds.
    pub first_wait: f64,
    /// The maximum wait before any retry, in seconds, unless the server asks for more.
    pub longest_wait: f64,
    /// The maximum of all waits of a call together, in seconds. If a server asks for more, the
    /// call fails at once, and the run waits.
    pub longest_total_wait: f64,
    /// How long a run waits, in seconds, for a server that is overloaded, limits our rate, loads
    /// its model or can't be reached, before it stops.
    pub patience: f64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            times: 4,
            billed: 2,
            first_wait: 0.5,
            longest_wait: 20.0,
            longest_total_wait: 10.0,
            patience: 600.0,
        }
    }
}

/// The instruction at the end of a prompt for servers that accept no schema. `{schema}` is replaced
/// by the schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    rename = "Wording",
    expecting = "struct Wording"
)]
pub struct SchemaInstruction {
    pub en: String,
    pub zh: String,
}

impl Default for SchemaInstruction {
    fn default() -> Self {
        Self {
            en: "Answer with one JSON object and nothing else, no code fence. It must fit this JSON schema:\n{schema}".into(),
            zh: "只回答一个 JSON 对象，不要代码框，也不要任何别的文字。它必须符合这个 JSON Schema：\n{schema}".into(),
        }
    }
}

impl SchemaInstruction {
    /// The instruction for a schema, in the language of the world.
    pub fn with_schema(&self, schema: &str, language: Language) -> String {
        match language {
            Language::En => self.en.replace("{schema}", schema),
            Language::Zh => self.zh.replace("{schema}", schema),
        }
    }
}

/// A provider of models: its server, and what may be sent there.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// The API of the server.
    pub api: Api,
    /// The URL of the server, with or without `/v1`.
    pub base_url: String,
    /// The environment variable that overrides the URL.
    pub base_url_env: Option<String>,
    /// The environment variable for the key.
    pub key_env: Option<String>,
    /// Whether the provider's own server requires a key.
    pub key_required: bool,
    /// The member that limits the tokens of an answer.
    pub limit_field: LimitField,
    /// Whether answers are streamed.
    pub stream: bool,
    /// Whether streamed answers should report their usage (`stream_options.include_usage`).
    pub stream_usage: bool,
    /// Whether neighbouring turns of one role are sent as one message. Some chat templates
    /// (Gemma's, Mistral's) require that roles alternate.
    pub merge_turns: bool,
    /// Whether models accept a system message; otherwise it is sent as the user's. Some chat
    /// templates (Gemma's) refuse one.
    pub system_role: bool,
    /// How the turns of a conversation become messages.
    pub style: Style,
    /// The text before a transcript, see [`Style::History`].
    pub history_header: String,
    /// Whether messages carry the names of their speakers, if the API has a member for it.
    pub names: bool,
    /// Whether text is always sent as a list of parts; some models that accept media require it.
    pub parts: bool,
    /// How models mark the start and the end of their thoughts in the text, if they do it in a way
    /// of their own.
    pub thoughts: Option<(String, String)>,
    /// Which thoughts models are sent back; by default as usual for the API.
    pub thinking: Option<ThinkingPolicy>,
    /// Whether requests of an entity carry a key by which the provider finds its cache (OpenAI's
    /// `prompt_cache_key`).
    pub cache_key: bool,
    /// How the schema of a reply is sent first.
    pub schema: SchemaMode,
    /// Sent only if set.
    pub temperature: Option<f64>,
    /// The maximum number of tokens of an answer.
    pub max_output: u32,
    /// How many tokens a model may think before an answer, beside those of the answer.
    pub thought_tokens: u32,
    /// How many calls of one model may run at once.
    pub width: usize,
    /// The maximum size of an answer in bytes.
    pub longest_answer: usize,
    /// How long the server may take.
    pub timeouts: Timeouts,
    /// A file in PEM with the certificate of the server, or of the authority that signed it. Then
    /// no others are trusted.
    pub ca: Option<PathBuf>,
    /// How often to retry, and how long to wait for the server.
    pub retry: RetryPolicy,
    /// How many asks may end without a usable answer before a run stops.
    pub max_defaults: MaxDefaults,
    /// Whether tools are described in the prompt and called in text.
    #[serde(alias = "tools_in_words")]
    pub prompted_tools: bool,
    /// Members of a request that only this provider knows.
    pub extra: Map<String, Value>,
}

impl Provider {
    /// A server of which only the URL is known.
    pub fn cautious(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            ..Self::default()
        }
    }
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            api: Api::default(),
            base_url: String::new(),
            base_url_env: None,
            key_env: None,
            key_required: false,
            limit_field: LimitField::default(),
            stream: true,
            stream_usage: false,
            merge_turns: false,
            system_role: true,
            style: Style::default(),
            history_header: String::new(),
            names: false,
            parts: false,
            thoughts: None,
            thinking: None,
            cache_key: false,
            schema: SchemaMode::Constrained,
            temperature: None,
            max_output: 4_096,
            thought_tokens: 0,
            width: 8,
            longest_answer: 2_000_000,
            timeouts: Timeouts::default(),
            ca: None,
            retry: RetryPolicy::default(),
            max_defaults: MaxDefaults::default(),
            prompted_tools: false,
            extra: Map::new(),
        }
    }
}

/// What the requests for one model look like.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSettings {
    /// The model's name in requests.
    pub model: String,
    /// The context window in tokens, prompt and answer together; sent to servers that need it.
    pub window: Option<u64>,
    /// The marks that the model sets around its thoughts, beside those that are known.
    pub thoughts: OwnMarks,
    /// The instruction that replaces a schema that can't be sent.
    pub wording: SchemaInstruction,
    /// What may be sent to its server.
    pub provider: Provider,
}

impl ModelSettings {
    /// For a server of which nothing is known: nothing is sent that it might refuse.
    pub fn cautious(model: impl Into<String>) -> Self {
        let schema = SchemaMode::Stable;
        let provider = Provider {
            schema,
            ..Provider::default()
        };
        Self::of(model, provider)
    }

    pub fn of(model: impl Into<String>, provider: Provider) -> Self {
        Self {
            model: model.into(),
            window: None,
            thoughts: OwnMarks::default(),
            wording: SchemaInstruction::default(),
            provider,
        }
    }

    /// Whether `extra` tells the model not to think, in the member of any known server.
    pub(super) fn forbids_thoughts(&self) -> bool {
        let off = [
            ("chat_template_kwargs", "thinking", Value::from(false)),
            ("chat_template_kwargs", "enable_thinking", false.into()),
            ("enable_thinking", "", false.into()),
            ("parameters", "enable_thinking", false.into()),
            ("think", "", false.into()),
            ("thinking", "type", "disabled".into()),
            ("reasoning", "enabled", false.into()),
            ("reasoning", "effort", "none".into()),
            ("reasoning_effort", "", "none".into()),
            ("reasoning_budget", "", 0.into()),
        ];
        off.iter().any(|(member, inner, off)| {
            let value = self
                .provider
                .extra
                .get(*member)
                .and_then(|value| match *inner {
                    "" => Some(value),
                    inner => value.get(inner),
                });
            value == Some(off)
        })
    }

    /// How conversations are written for the model.
    pub(super) fn format(&self) -> Format {
        let provider = &self.provider;
        let mut options = FormatOptions::cautious(provider.api);
        options.history_header = provider.history_header.as_str().into();
        options.names = provider.names;
        options.parts = provider.parts;
        options.merge_roles = provider.merge_turns;
        if !provider.system_role {
            options.system = SystemPlace::User;
        }
        options.thinking = provider.thinking.unwrap_or(options.thinking);
        Format::new(provider.api, provider.style, options)
    }
}

/// Seconds as a duration, clamped to a sensible range.
pub(crate) fn seconds(seconds: f64) -> Duration {
    const MAX: f64 = 1e6;
    let seconds = if seconds.is_nan() { 0.0 } else { seconds };
    Duration::from_secs_f64(seconds.clamp(0.0, MAX))
}
