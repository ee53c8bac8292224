//! The progress of a run through a graph of speakers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::functions::Functions;
use super::message::ChatMessage;
use super::team::{Activation, EdgeCondition, EdgeFile, GraphFile};

/// Who speaks next in a graph, and which edges were followed. Saved with the world, so that a run
/// can continue in the middle of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GraphFlow {
    /// Whether the graph was entered and is not complete.
    is_started: bool,
    /// Who speaks in the next wave, in order.
    ready: Vec<String>,
    /// The indices of the edges that were followed since their group was last complete.
    followed: Vec<usize>,
}

impl GraphFlow {
    /// Who speaks in the next wave; empty if the graph is complete, or nobody can continue.
    pub(super) fn next_wave(&mut self, graph: &GraphFile, names: &[&str]) -> Vec<String> {
        if !self.is_started {
            self.is_started = true;
            self.followed.clear();
            let starts = graph.starts(names).into_iter();
            self.ready = starts.map(str::to_owned).collect();
        }
        std::mem::take(&mut self.ready)
    }

    /// Follows the edges from a speaker whose condition its message meets.
    pub(super) fn follow(
        &mut self,
        graph: &GraphFile,
        speaker: &str,
        message: &ChatMessage,
        functions: &Functions,
    ) {
        for (index, edge) in graph.edges.iter().enumerate() {
            if edge.from == speaker && is_met(&edge.when, message, functions) {
                if !self.followed.contains(&index) {
                    self.followed.push(index);
                }
                self.activate(graph, edge);
            }
        }
    }

    /// Makes the target of an edge ready if the edge completes its group.
    fn activate(&mut self, graph: &GraphFile, edge: &EdgeFile) {
        let edges = graph.edges.iter().enumerate();
        let group: Vec<usize> = edges
            .filter(|(_, other)| other.to == edge.to && other.group() == edge.group())
            .map(|(index, _)| index)
            .collect();
        let is_complete = match edge.activation {
            Activation::Any => true,
            Activation::All => {
                let followed: BTreeSet<_> = self.followed.iter().collect();
                group.iter().all(|index| followed.contains(index))
            }
        };
        if is_complete {
            // A group is sorted.
            self.followed
                .retain(|index| group.binary_search(index).is_err());
            if !self.ready.contains(&edge.to) {
                self.ready.push(edge.to.clone());
            }
        }
    }

    /// Whether nobody is left to speak.
    pub(super) fn is_over(&self) -> bool {
        self.is_started && self.ready.is_empty()
    }

    /// Ends the run, so that the next one starts over. Returns who still waited for others.
    pub(super) fn end(&mut self, graph: &GraphFile) -> Vec<String> {
        let mut waiting: Vec<String> = Vec::new();
        for index in &self.followed {
            if let Some(edge) = graph.edges.get(*index)
                && !waiting.contains(&edge.to)
            {
                waiting.push(edge.to.clone());
            }
        }
        *self = Self::default();
        waiting
    }

    /// Puts back those of a wave that could not speak, before those whom the others made ready.
    pub(super) fn put_back(&mut self, mut wave: Vec<String>) {
        self.ready.retain(|name| !wave.contains(name));
        wave.append(&mut self.ready);
        self.ready = wave;
    }
}

fn is_met(rule: &EdgeCondition, message: &ChatMessage, functions: &Functions) -> bool {
    match rule {
        EdgeCondition::Always => true,
        EdgeCondition::Mentions(text) => message.to_model_text().contains(text.as_str()),
        EdgeCondition::Function(name) => {
            let condition = functions.edge_conditions.get(name);
            condition.is_some_and(|condition| condition(message))
        }
    }
}
