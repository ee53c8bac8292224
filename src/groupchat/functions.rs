//! Functions that a user of the library gives to teams, by the names under which team files ask for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::message::{ChatMessage, FunctionCall, FunctionResult};
use super::termination::Predicate;
use crate::context::AgentContext;
use crate::message::Role;

/// What a function may know of a conversation: what the stage heard.
#[derive(Clone, Copy)]
pub struct Talk<'a> {
    pub(super) heard: &'a AgentContext,
    pub(super) last: &'a [ChatMessage],
}

impl<'a> Talk<'a> {
    /// Everything that was said to all, as speaker and words, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (String, String)> + use<'a> {
        let heard = self.heard.entries().iter();
        let told = heard.filter(|entry| entry.role() == Role::Human);
        told.filter_map(|entry| {
            let speaker = entry.body().sender()?.to_string();
            let text = super::perspective::words(entry.body());
            Some((speaker, text))
        })
    }

    /// What was said since somebody was last chosen.
    pub fn last(&self) -> &'a [ChatMessage] {
        self.last
    }
}

/// Picks who speaks next, or nobody.
pub type Picker = Arc<dyn Fn(Talk<'_>) -> Option<String> + Send + Sync>;
/// Says who may be picked.
pub type Candidates = Arc<dyn Fn(Talk<'_>) -> Vec<String> + Send + Sync>;
/// Says whether an edge of a graph is walked after a message.
pub type EdgeCondition = Arc<dyn Fn(&ChatMessage) -> bool + Send + Sync>;

/// Puts a call of a tool and its result into words, where the results are the answer.
pub type Summary = Arc<dyn Fn(&FunctionCall, &FunctionResult) -> String + Send + Sync>;

/// The functions that a user of the library gives to teams. They must be pure: a replay calls them
/// again.
#[derive(Clone, Default)]
pub struct Functions {
    /// Those that end a conversation.
    pub ends: BTreeMap<String, Predicate>,
    /// Those that pick who speaks next.
    pub pickers: BTreeMap<String, Picker>,
    /// Those that say who may be picked.
    pub candidates: BTreeMap<String, Candidates>,
    /// Those that say whether an edge of a graph is walked.
    pub edges: BTreeMap<String, EdgeCondition>,
    /// Those that put results of tools into words.
    pub summaries: BTreeMap<String, Summary>,
}

impl Functions {
    /// With a function that ends a conversation.
    #[must_use]
    pub fn ending(
        mut self,
        name: &str,
        predicate: impl Fn(&[ChatMessage]) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.ends.insert(name.into(), Arc::new(predicate));
        self
    }

    /// With a function that picks who speaks next.
    #[must_use]
    pub fn picking(
        mut self,
        name: &str,
        picker: impl Fn(Talk<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.pickers.insert(name.into(), Arc::new(picker));
        self
    }

    /// With a function that says who may be picked.
    #[must_use]
    pub fn allowing(
        mut self,
        name: &str,
        candidates: impl Fn(Talk<'_>) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.candidates.insert(name.into(), Arc::new(candidates));
        self
    }

    /// With a function that puts results of tools into words.
    #[must_use]
    pub fn summing_up(
        mut self,
        name: &str,
        summary: impl Fn(&FunctionCall, &FunctionResult) -> String + Send + Sync + 'static,
    ) -> Self {
        self.summaries.insert(name.into(), Arc::new(summary));
        self
    }

    /// With a condition for edges of graphs.
    #[must_use]
    pub fn walking(
        mut self,
        name: &str,
        condition: impl Fn(&ChatMessage) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.edges.insert(name.into(), Arc::new(condition));
        self
    }
}
