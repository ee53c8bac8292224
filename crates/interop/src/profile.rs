//! The formats that conversations come in.

use std::fmt;
use std::str::FromStr;

use playhouse_engine::locale::{Argument, Localize, UiText, text};
use thiserror::Error;

macro_rules! profiles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $description:ident;)*) => {
        /// A format of conversations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Profile {
            $($(#[$doc])* $variant,)*
        }

        impl Profile {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, in a few words.
            pub fn description(self) -> UiText {
                match self { $(Self::$variant => text!($description),)* }
            }
        }
    };
}

profiles! {
    /// Our own: an object with a `name` and its `context`, a list of messages with `type` and
    /// `content`.
    Playhouse = "playhouse", dialect_profile_playhouse;
    /// AgentScope for Java as documented: roles in capitals, times as ISO instants, results with
    /// `toolUseId`.
    AgentScope = "agentscope", dialect_profile_agentscope;
    /// AgentScope for Java 1: roles in capitals, times with a space, results with `id`.
    AgentScopeJava1 = "agentscope-java1", dialect_profile_agentscope_java1;
    /// AgentScope for Python 1: roles in lower case, results with the role `system`.
    AgentScopePython1 = "agentscope-python1", dialect_profile_agentscope_python1;
    /// AgentScope for Python 2: `tool_call` and `data` blocks, arguments as text, calls and their
    /// results in one message of the assistant.
    AgentScopePython2 = "agentscope-python2", dialect_profile_agentscope_python2;
    /// LangChain's `messages_to_dict`: objects with `type` and `data`.
    LangChain = "langchain", dialect_profile_langchain;
    /// LangChain's messages dumped one by one: `type` and `content` side by side.
    LangChainFlat = "langchain-flat", dialect_profile_langchain_flat;
    /// A list of messages as OpenAI's chat completions accept them.
    OpenAi = "openai", dialect_profile_openai;
    /// One conversation per line, each an object with `messages`, as OpenAI's fine-tuning accepts
    /// them.
    OpenAiLines = "openai-jsonl", dialect_profile_openai_lines;
    /// What AutoGen and AG2 save. Written as the messages of a model's context: `type`, `content`
    /// and `source`.
    AutoGen = "autogen", dialect_profile_autogen;
    /// Contents with parts, as Gemini's API has them, and saved prompts of Google AI Studio.
    Gemini = "gemini", dialect_profile_gemini;
    /// The items of OpenAI's Responses, requests and answers.
    Responses = "openai-responses", dialect_profile_responses;
    /// Messages and saved threads of Microsoft's Agent Framework.
    AgentFramework = "agent-framework", dialect_profile_agent_framework;
    /// ShareGPT's lists of `from` and `value`, one conversation per line.
    ShareGpt = "sharegpt", dialect_profile_sharegpt;
    /// Chats of SillyTavern: a line of head, then one for each message.
    SillyTavern = "sillytavern", dialect_profile_sillytavern;
}

impl Profile {
    /// The format in which it is written: itself, except for those that are only read, whose
    /// conversations are written as chat messages.
    pub fn written_as(self) -> Self {
        match self {
            Self::Gemini | Self::Responses | Self::AgentFramework => Self::OpenAi,
            written => written,
        }
    }

    /// Those that are written.
    pub fn written() -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|profile| profile.written_as() == *profile)
    }

    /// Whether a document has one JSON value per line.
    pub fn has_lines(self) -> bool {
        matches!(self, Self::OpenAiLines | Self::ShareGpt | Self::SillyTavern)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No profile has this name.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
#[text(
    dialect_unknown_profile,
    known = Argument::list(Profile::ALL.iter().map(|profile| profile.name()))
)]
pub struct UnknownProfile {
    pub name: String,
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        let found = Self::ALL.iter().find(|profile| profile.name() == name);
        found
            .copied()
            .ok_or_else(|| UnknownProfile { name: name.into() })
    }
}
