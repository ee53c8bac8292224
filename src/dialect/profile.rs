//! The forms that conversations come in.

use std::fmt;
use std::str::FromStr;

macro_rules! profiles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $what:literal;)*) => {
        /// A form of conversations. Its name is the word that commands and cases use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Profile {
            $($(#[$doc])* $variant,)*
        }

        impl Profile {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word that names it.
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
    /// Ours: an object of a `name` and its `context`, a list of messages with `type` and `content`.
    Playhouse = "playhouse", "this program's interchange form";
    /// AgentScope for Java as its documentation has it: roles in capitals, times as ISO instants,
    /// results with `toolUseId`.
    AgentScope = "agentscope", "AgentScope as documented";
    /// What AgentScope for Java 1 writes: roles in capitals, times with a space, results with `id`.
    AgentScopeJava1 = "agentscope-java1", "AgentScope for Java 1";
    /// What AgentScope for Python 1 writes: small roles, results under the role `system`.
    AgentScopePython1 = "agentscope-python1", "AgentScope for Python 1";
    /// What AgentScope for Python 2 writes: `tool_call` and `data` blocks, arguments as text, calls
    /// and their results in one message of the assistant.
    AgentScopePython2 = "agentscope-python2", "AgentScope for Python 2";
    /// What `messages_to_dict` of LangChain writes: objects of `type` and `data`.
    LangChain = "langchain", "LangChain, as messages_to_dict writes it";
    /// LangChain's messages dumped one by one: `type` and `content` beside each other.
    LangChainFlat = "langchain-flat", "LangChain messages dumped one by one";
    /// A list of messages as OpenAI's chat completions take them.
    OpenAi = "openai", "OpenAI chat messages";
    /// One conversation a line, each an object of `messages`, as OpenAI's fine-tuning takes them.
    OpenAiLines = "openai-jsonl", "OpenAI chat conversations, one a line";
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|profile| profile.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|profile| profile.name()).collect();
            format!("'{name}' is no profile; use one of {}", names.join(", "))
        })
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
        let error = "yaml".parse::<Profile>().unwrap_err();
        assert!(error.contains("langchain-flat"), "{error}");
    }
}
