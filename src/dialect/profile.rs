//! The formats that conversations come in.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

macro_rules! profiles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $what:literal;)*) => {
        /// A format of conversations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Profile {
            $($(#[$doc])* $variant,)*
        }

        impl Profile {
            /// Every profile.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, in a few words.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}

profiles! {
    /// Our own: an object with a `name` and its `context`, a list of messages with `type` and
    /// `content`.
    Playhouse = "playhouse", "this program's own format";
    /// AgentScope for Java as documented: roles in capitals, times as ISO instants, results with
    /// `toolUseId`.
    AgentScope = "agentscope", "AgentScope as documented";
    /// AgentScope for Java 1: roles in capitals, times with a space, results with `id`.
    AgentScopeJava1 = "agentscope-java1", "AgentScope for Java 1";
    /// AgentScope for Python 1: roles in lower case, results with the role `system`.
    AgentScopePython1 = "agentscope-python1", "AgentScope for Python 1";
    /// AgentScope for Python 2: `tool_call` and `data` blocks, arguments as text, calls and their
    /// results in one message of the assistant.
    AgentScopePython2 = "agentscope-python2", "AgentScope for Python 2";
    /// LangChain's `messages_to_dict`: objects with `type` and `data`.
    LangChain = "langchain", "LangChain, as written by messages_to_dict";
    /// LangChain's messages dumped one by one: `type` and `content` side by side.
    LangChainFlat = "langchain-flat", "LangChain messages, dumped one by one";
    /// A list of messages as OpenAI's chat completions accept them.
    OpenAi = "openai", "OpenAI chat messages";
    /// One conversation per line, each an object with `messages`, as OpenAI's fine-tuning accepts
    /// them.
    OpenAiLines = "openai-jsonl", "OpenAI chat conversations, one per line";
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No profile has this name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown profile '{name}'; expected one of: {}", all_names())]
pub struct UnknownProfile {
    /// The name.
    pub name: String,
}

fn all_names() -> String {
    let names: Vec<_> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    names.join(", ")
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        let found = Self::ALL.iter().find(|profile| profile.name() == name);
        found.copied().ok_or_else(|| UnknownProfile { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_found_by_its_name() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(*profile));
        }
        let error = "yaml".parse::<Profile>().unwrap_err().to_string();
        assert!(error.contains("langchain-flat"), "{error}");
    }
}
