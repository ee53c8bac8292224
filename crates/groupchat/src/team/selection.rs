//! How the next speaker is selected.

use indexmap::IndexMap;
use playhouse_engine::context::View;
use serde::{Deserialize, Serialize};

use super::graph_file::GraphFile;

/// How the next speaker is selected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Selection {
    #[default]
    RoundRobin,
    /// The team's own model selects.
    Selector {
        /// The prompt; a default prompt if empty. May contain `{roles}`, `{participants}` and
        /// `{history}`, which stands for the conversation; without it, the messages come before.
        #[serde(default)]
        prompt: String,
        /// Whether a participant may speak twice in a row.
        #[serde(default)]
        repeats: bool,
        #[serde(default = "three")]
        attempts: u32,
        /// The name of a function that selects; if it returns `None`, the model selects.
        #[serde(default)]
        function: String,
        /// The name of a function that returns the candidates.
        #[serde(default)]
        candidates: String,
    },
    /// Each speaker hands over to the next.
    Swarm,
    Random {
        /// Whether a participant may speak twice in a row.
        #[serde(default)]
        repeats: bool,
    },
    Manual {
        /// Who; the user if empty.
        #[serde(default)]
        by: String,
    },
    /// A function selects; `None` ends the run.
    Function(String),
    /// Along the edges of a graph.
    Graph(GraphFile),
    /// The team's own model keeps a ledger: it plans, tracks progress and concludes; subtasks are
    /// assigned by code.
    Ledger {
        /// The number of rounds without progress before it plans again.
        #[serde(default = "three")]
        max_stalls: u32,
        /// How often it may plan again.
        #[serde(default = "three")]
        max_replans: u32,
    },
}

pub(crate) const MANAGERS: [&str; 6] = [
    "RoundRobinGroupChatManager",
    "SelectorGroupChatManager",
    "SwarmGroupChatManager",
    "GraphManager",
    "MagenticOneOrchestrator",
    "GroupChatManager",
];

/// Stands for the conversation in the prompt of a selector.
const HISTORY: &str = "{history}";

fn three() -> u32 {
    3
}

impl Selection {
    pub fn selector() -> Self {
        Self::Selector {
            prompt: String::new(),
            repeats: false,
            attempts: three(),
            function: String::new(),
            candidates: String::new(),
        }
    }

    /// What the team's own model is shown of the conversation: nothing where its prompt holds it.
    pub(crate) fn view(&self) -> View {
        match self {
            Self::Selector { prompt, .. } if prompt.contains(HISTORY) => View::Last(0),
            _ => View::Whole,
        }
    }

    /// Whether the team's own model is asked.
    pub(crate) fn asks_model(&self) -> bool {
        matches!(self, Self::Selector { .. } | Self::Ledger { .. })
    }

    /// The name of the group chat manager in AutoGen's saved states.
    pub(crate) fn manager(&self) -> &'static str {
        match self {
            Self::RoundRobin => "RoundRobinGroupChatManager",
            Self::Selector { .. } => "SelectorGroupChatManager",
            Self::Swarm => "SwarmGroupChatManager",
            Self::Graph(_) => "GraphManager",
            Self::Ledger { .. } => "MagenticOneOrchestrator",
            Self::Random { .. } | Self::Manual { .. } | Self::Function(_) => "GroupChatManager",
        }
    }
}

/// Who may speak after whom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Transitions {
    #[default]
    Free,
    /// After each name, only these. Nobody may speak after a participant that is not listed,
    /// anybody after others.
    Allowed(IndexMap<String, Vec<String>>),
    /// After each name, none of these.
    Disallowed(IndexMap<String, Vec<String>>),
}

impl Transitions {
    /// Anybody after anybody, but only `repeaters` twice in a row.
    pub fn repeating(names: &[&str], repeaters: &[&str]) -> Self {
        let rows = names.iter().map(|name| {
            let next = names.iter().filter(|next| *next != name);
            let own = repeaters.contains(name).then_some(name);
            let next = next.chain(own).map(ToString::to_string);
            ((*name).to_owned(), next.collect())
        });
        Self::Allowed(rows.collect())
    }

    /// Who of `participants` may speak after `speaker`.
    pub(crate) fn after<'a>(&self, speaker: &str, participants: &[&'a str]) -> Vec<&'a str> {
        let is_listed = |map: &IndexMap<String, Vec<String>>, name: &str| {
            let next = map.get(speaker)?;
            Some(next.iter().any(|listed| listed == name))
        };
        let is_participant = participants.contains(&speaker);
        let may_speak = |name: &&&str| match self {
            Self::Free => true,
            Self::Allowed(map) => is_listed(map, name).unwrap_or(!is_participant),
            Self::Disallowed(map) => !is_listed(map, name).unwrap_or(false),
        };
        participants.iter().filter(may_speak).copied().collect()
    }

    /// All names in the table.
    pub(super) fn names(&self) -> Vec<&str> {
        let map = match self {
            Self::Free => return Vec::new(),
            Self::Allowed(map) | Self::Disallowed(map) => map,
        };
        let rows = map.iter();
        let names = rows.flat_map(|(name, next)| std::iter::once(name).chain(next));
        names.map(String::as_str).collect()
    }
}
