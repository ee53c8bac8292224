//! Functions that a user of the library provides, by the names that team files use.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::context::AgentContext;
use playhouse_engine::message::Role;

use super::message::{ChatMessage, FunctionCall, FunctionResult};
use super::perspective::text_without_speaker;

/// What a function sees of a conversation: what was said to everybody.
#[derive(Clone, Copy)]
pub struct ConversationView<'a> {
    pub(super) context: &'a AgentContext,
    pub(super) delta: &'a [ChatMessage],
}

impl<'a> ConversationView<'a> {
    /// The speaker and text of each message, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (String, String)> + use<'a> {
        let entries = self.context.entries().iter();
        let heard = entries.filter(|entry| entry.role() == Role::Human);
        heard.filter_map(|entry| {
            let speaker = entry.body().sender()?.to_string();
            Some((speaker, text_without_speaker(entry.body())))
        })
    }

    /// The messages since a speaker was last selected.
    pub fn delta(&self) -> &'a [ChatMessage] {
        self.delta
    }
}

/// Whether the messages since its last call end the run.
pub(super) type TerminationFunction = Arc<dyn Fn(&[ChatMessage]) -> bool + Send + Sync>;
/// Selects the next speaker; `None` if it has no preference.
pub(super) type SelectorFunction =
    Arc<dyn Fn(ConversationView<'_>) -> Option<String> + Send + Sync>;
/// The participants that may be selected.
pub(super) type CandidateFunction = Arc<dyn Fn(ConversationView<'_>) -> Vec<String> + Send + Sync>;
/// Whether to follow an edge of a graph after a message.
pub(super) type EdgeFunction = Arc<dyn Fn(&ChatMessage) -> bool + Send + Sync>;
/// Formats a tool call and its result for a tool call summary.
pub(super) type ToolCallFormatter =
    Arc<dyn Fn(&FunctionCall, &FunctionResult) -> String + Send + Sync>;

/// Functions for the teams of a game, by name. They must be pure: a replay calls them again.
#[derive(Clone, Default)]
#[must_use]
pub struct Functions {
    pub(super) terminations: BTreeMap<String, TerminationFunction>,
    pub(super) selectors: BTreeMap<String, SelectorFunction>,
    pub(super) candidates: BTreeMap<String, CandidateFunction>,
    pub(super) edge_conditions: BTreeMap<String, EdgeFunction>,
    pub(super) tool_call_formatters: BTreeMap<String, ToolCallFormatter>,
}

impl Functions {
    /// Adds a function that ends a run; it gets the messages since its last call.
    pub fn with_termination(
        mut self,
        name: &str,
        function: impl Fn(&[ChatMessage]) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.terminations.insert(name.into(), Arc::new(function));
        self
    }

    /// Adds a function that selects the next speaker; `None` leaves it to the model, or ends the
    /// run if there is none.
    pub fn with_selector(
        mut self,
        name: &str,
        function: impl Fn(ConversationView<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.selectors.insert(name.into(), Arc::new(function));
        self
    }

    /// Adds a function that returns who may be selected.
    pub fn with_candidates(
        mut self,
        name: &str,
        function: impl Fn(ConversationView<'_>) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.candidates.insert(name.into(), Arc::new(function));
        self
    }

    /// Adds a function that formats a tool call and its result for a tool call summary.
    pub fn with_tool_call_formatter(
        mut self,
        name: &str,
        function: impl Fn(&FunctionCall, &FunctionResult) -> String + Send + Sync + 'static,
    ) -> Self {
        let function = Arc::new(function);
        self.tool_call_formatters.insert(name.into(), function);
        self
    }

    /// Adds a condition for edges of graphs.
    pub fn with_edge_condition(
        mut self,
        name: &str,
        function: impl Fn(&ChatMessage) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.edge_conditions.insert(name.into(), Arc::new(function));
        self
    }
}
