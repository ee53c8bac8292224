//! How the messages of each provider differ.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::media::{MediaFiles, NoFiles};

/// A provider's API, which determines the JSON of its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Chat completions as OpenAI defined them and most servers implement them.
    /// <https://platform.openai.com/docs/api-reference/chat>
    #[default]
    OpenAi,
    /// OpenAI's messages with `reasoning_content` and without media.
    /// <https://api-docs.deepseek.com>
    DeepSeek,
    /// Messages with content blocks. <https://platform.claude.com/docs/en/api/messages>
    Anthropic,
    /// Contents with parts. <https://ai.google.dev/api/generate-content>
    Gemini,
    /// OpenAI's messages with other media parts. <https://help.aliyun.com/zh/model-studio/>
    DashScope,
    /// OpenAI's messages with arguments as objects and a list of images.
    /// <https://github.com/ollama/ollama/blob/main/docs/api.md>
    Ollama,
}

impl Api {
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::DeepSeek,
        Self::Anthropic,
        Self::Gemini,
        Self::DashScope,
        Self::Ollama,
    ];

    /// Its name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::DeepSeek => "deepseek",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::DashScope => "dashscope",
            Self::Ollama => "ollama",
        }
    }
}

/// How the turns of a conversation become messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Roles stay as they are.
    AsStored,
    /// An entity's own turns are the assistant's, all others the user's. In the entity's own
    /// context, where its turns are ai messages already, this changes nothing.
    #[default]
    Perspective,
    /// A transcript in one user message: all turns, one's own included, between `<history>` and
    /// `</history>`, each on a line of its own that begins with `Name: `.
    History,
    /// A transcript in user messages: one message for each turn, one's own included, which begins
    /// with `[Name]: `.
    Brackets,
}

impl Style {
    pub const ALL: [Self; 4] = [
        Self::AsStored,
        Self::Perspective,
        Self::History,
        Self::Brackets,
    ];

    /// Whether turns are quoted with the names of their speakers, and none is the assistant's.
    pub(super) fn is_transcript(self) -> bool {
        matches!(self, Self::History | Self::Brackets)
    }
}

/// The content of a message that has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyContent {
    Null,
    List,
    /// `""`, which every server accepts. llama-cpp-python fails on `null`.
    Text,
}

/// The member of a tool result that holds the tool's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolNameField {
    None,
    Name,
    /// `tool_name`, as Ollama expects it.
    ToolName,
}

/// Which of its earlier thoughts a model is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingPolicy {
    Never,
    /// Those of the open question, while the model calls tools. Anthropic and DeepSeek require it.
    Rounds,
    /// All that are known.
    Always,
}

/// Where the system message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlace {
    /// The first message, with the role system.
    Message,
    /// A member of the request beside the messages.
    Member,
    /// The first message of the user.
    User,
}

/// The details in which the messages of one provider may differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatOptions {
    /// Whether messages carry the name of their speaker, if the API has a member for it (OpenAI and
    /// DeepSeek).
    pub names: bool,
    /// Whether text is always a list of parts, if the API accepts both forms.
    pub parts: bool,
    /// The content of a message that only calls tools.
    pub empty_content: EmptyContent,
    /// Where a tool result names its tool.
    pub tool_name_field: ToolNameField,
    /// Which thoughts are sent back.
    pub thinking: ThinkingPolicy,
    /// Whether thoughts without a provider's signature are sent back.
    pub unsigned_thinking: bool,
    /// Whether media that can't be sent are replaced by a short text, such as `[video: rain.mp4]`.
    pub describe_omitted_media: bool,
    /// Whether neighbouring messages of one role are merged. Some chat templates (Gemma's,
    /// Mistral's) require that roles alternate.
    pub merge_roles: bool,
    /// Where the system message goes.
    pub system: SystemPlace,
    /// Text before the first transcript.
    pub history_header: Box<str>,
    /// What begins a transcript of style [`Style::History`].
    pub history_begin: Box<str>,
    /// What ends it, on a new line.
    pub history_end: Box<str>,
    /// Whether to set cache breakpoints (Anthropic's `cache_control`) where prompts share a prefix.
    pub cache_breakpoints: bool,
}

impl FormatOptions {
    /// The options of AgentScope for Python 1, as its formatters were observed to write.
    pub fn observed(api: Api) -> Self {
        use Api::{Anthropic, DashScope, DeepSeek, Gemini, OpenAi};
        Self {
            names: api == OpenAi,
            parts: api == OpenAi,
            empty_content: match api {
                DashScope => EmptyContent::List,
                _ => EmptyContent::Null,
            },
            tool_name_field: ToolNameField::Name,
            thinking: match api {
                DeepSeek | Anthropic => ThinkingPolicy::Always,
                _ => ThinkingPolicy::Never,
            },
            unsigned_thinking: true,
            describe_omitted_media: false,
            merge_roles: false,
            system: match api {
                Anthropic => SystemPlace::Member,
                Gemini => SystemPlace::User,
                _ => SystemPlace::Message,
            },
            history_header: Box::default(),
            history_begin: match api {
                Gemini => "<history>".into(),
                _ => "<history>\n".into(),
            },
            history_end: "</history>".into(),
            cache_breakpoints: false,
        }
    }

    /// Options that every server with this API accepts: nothing that any is known to refuse.
    pub fn cautious(api: Api) -> Self {
        use Api::{Anthropic, DashScope, DeepSeek, Gemini, Ollama};
        Self {
            names: false,
            parts: false,
            empty_content: EmptyContent::Text,
            tool_name_field: match api {
                Ollama => ToolNameField::ToolName,
                DashScope => ToolNameField::Name,
                _ => ToolNameField::None,
            },
            thinking: match api {
                DeepSeek | Anthropic => ThinkingPolicy::Rounds,
                _ => ThinkingPolicy::Never,
            },
            // Anthropic refuses a thought that it did not sign; others sign none.
            unsigned_thinking: api != Anthropic,
            describe_omitted_media: true,
            system: match api {
                Anthropic | Gemini => SystemPlace::Member,
                _ => SystemPlace::Message,
            },
            history_begin: "<history>\n".into(),
            cache_breakpoints: api == Anthropic,
            ..Self::observed(api)
        }
    }
}

/// How conversations are written for a model.
#[derive(Clone, Debug)]
pub struct Format {
    pub api: Api,
    /// How turns become messages.
    pub style: Style,
    pub options: FormatOptions,
    /// Where media files are read.
    pub files: Arc<dyn MediaFiles>,
}

impl Format {
    /// A format without media files.
    pub fn new(api: Api, style: Style, options: FormatOptions) -> Self {
        Self {
            api,
            style,
            options,
            files: Arc::new(NoFiles),
        }
    }

    /// The same format, reading media files from `files`.
    #[must_use]
    pub fn with_files(self, files: Arc<dyn MediaFiles>) -> Self {
        Self { files, ..self }
    }
}
