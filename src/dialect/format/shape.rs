//! What a provider wants to be sent, and how the turns of a conversation become its messages.

use serde::{Deserialize, Serialize};

/// Whose interface a model is behind, and so which form its messages have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Chat completions as OpenAI defined them and most servers know them.
    /// <https://platform.openai.com/docs/api-reference/chat>
    #[default]
    OpenAi,
    /// OpenAI's form with `reasoning_content` and without media. <https://api-docs.deepseek.com>
    DeepSeek,
    /// Messages with content blocks. <https://platform.claude.com/docs/en/api/messages>
    Anthropic,
    /// Contents with parts. <https://ai.google.dev/api/generate-content>
    Gemini,
    /// OpenAI's form with media of its own. <https://help.aliyun.com/zh/model-studio/>
    DashScope,
    /// OpenAI's form with arguments as objects and a list of images.
    /// <https://github.com/ollama/ollama/blob/main/docs/api.md>
    Ollama,
}

impl Api {
    /// Every interface.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::DeepSeek,
        Self::Anthropic,
        Self::Gemini,
        Self::DashScope,
        Self::Ollama,
    ];
}

/// How the turns of a conversation become messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Roles as they are.
    AsStored,
    /// One's own turns are the assistant's, all others the user's. In the context of an entity,
    /// where its own turns are ai messages already, that changes nothing.
    #[default]
    Perspective,
    /// What everybody said, oneself included, is told to the user in one text between `<history>`
    /// and `</history>`, each turn on a line of its own that begins with `Name: `.
    History,
    /// What everybody said, oneself included, is told to the user turn by turn, each beginning with
    /// `[Name]: `.
    Brackets,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 4] = [
        Self::AsStored,
        Self::Perspective,
        Self::History,
        Self::Brackets,
    ];

    /// Whether turns are told with the names of their speakers, and none is the assistant's.
    pub(super) fn is_told(self) -> bool {
        matches!(self, Self::History | Self::Brackets)
    }
}

/// What stands for the words of a message that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWords {
    /// `null`.
    Null,
    /// `[]`.
    List,
    /// `""`; what every server takes. llama-cpp-python fails on `null`.
    Text,
}

/// Under which name the result of a tool names its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultName {
    /// Under none.
    None,
    /// `name`.
    Name,
    /// `tool_name`, as Ollama has it.
    ToolName,
}

/// Whether a model is sent back what it thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// Never.
    Never,
    /// Only in the rounds of the open question, while it calls tools: what Anthropic and DeepSeek
    /// insist on while thinking.
    Rounds,
    /// Wherever it is known.
    Always,
}

/// Where the rules stand that open a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlace {
    /// The first message, of role system.
    Message,
    /// A member of its own beside the messages.
    Member,
    /// The first message of the user.
    User,
}

/// The details in which messages of one provider may differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Whether messages carry the name of their speaker, where the form has a place for it:
    /// OpenAI's and DeepSeek's.
    pub names: bool,
    /// Whether words are always a list of parts, in forms that know both.
    pub parts: bool,
    /// What stands for the words of a message that only calls tools.
    pub no_words: NoWords,
    /// Where the result of a tool names its tool.
    pub result_name: ResultName,
    /// Which thoughts are sent back.
    pub thinking: Thinking,
    /// Whether thoughts are sent back that no provider signed.
    pub unsigned_thinking: bool,
    /// Whether media that the form can't carry are told of in words, so that the mind knows of
    /// them.
    pub tell_lost_media: bool,
    /// Whether neighbours of one role become one message. Some chat templates (Gemma's, Mistral's)
    /// insist that roles take turns.
    pub merge: bool,
    /// Where the shared prefix rules stand.
    pub system: SystemPlace,
    /// Words that stand once, before the first history.
    pub header: Box<str>,
    /// What begins a history.
    pub history_begin: Box<str>,
    /// What ends one, on a new line.
    pub history_end: Box<str>,
    /// Whether the places are marked up to which a prompt is the same as before (Anthropic's
    /// `cache_control`).
    pub cache_marks: bool,
}

impl Shape {
    /// What AgentScope for Python 1 sends, whose outcomes are known.
    pub fn observed(api: Api) -> Self {
        use Api::{Anthropic, DashScope, DeepSeek, Gemini, Ollama, OpenAi};
        Self {
            names: api == OpenAi,
            parts: api == OpenAi,
            no_words: match api {
                DashScope => NoWords::List,
                OpenAi | DeepSeek | Anthropic | Gemini | Ollama => NoWords::Null,
            },
            result_name: ResultName::Name,
            thinking: match api {
                DeepSeek | Anthropic => Thinking::Always,
                OpenAi | Gemini | DashScope | Ollama => Thinking::Never,
            },
            unsigned_thinking: true,
            tell_lost_media: false,
            merge: false,
            system: match api {
                Anthropic => SystemPlace::Member,
                Gemini => SystemPlace::User,
                OpenAi | DeepSeek | DashScope | Ollama => SystemPlace::Message,
            },
            header: Box::default(),
            history_begin: match api {
                Gemini => "<history>".into(),
                OpenAi | DeepSeek | Anthropic | DashScope | Ollama => "<history>\n".into(),
            },
            history_end: "</history>".into(),
            cache_marks: false,
        }
    }

    /// What every server of this form takes: nothing that any is known to refuse.
    pub fn cautious(api: Api) -> Self {
        use Api::{Anthropic, DashScope, DeepSeek, Gemini, Ollama, OpenAi};
        Self {
            names: false,
            parts: false,
            no_words: NoWords::Text,
            result_name: match api {
                Ollama => ResultName::ToolName,
                DashScope => ResultName::Name,
                OpenAi | DeepSeek | Anthropic | Gemini => ResultName::None,
            },
            thinking: match api {
                DeepSeek | Anthropic => Thinking::Rounds,
                OpenAi | Gemini | DashScope | Ollama => Thinking::Never,
            },
            // It refuses a thought that it did not sign; others sign none.
            unsigned_thinking: api != Anthropic,
            tell_lost_media: true,
            system: match api {
                Anthropic | Gemini => SystemPlace::Member,
                OpenAi | DeepSeek | DashScope | Ollama => SystemPlace::Message,
            },
            history_begin: "<history>\n".into(),
            cache_marks: api == Anthropic,
            ..Self::observed(api)
        }
    }
}
