//! Graphs of speakers, as team files describe them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphFile {
    /// Who speaks first; if empty, everybody without an edge to them.
    pub entry: String,
    pub edges: Vec<EdgeFile>,
}

impl GraphFile {
    /// Who of `names` speaks first.
    pub(crate) fn starts<'a>(&'a self, names: &[&'a str]) -> Vec<&'a str> {
        if !self.entry.is_empty() {
            return vec![&self.entry];
        }
        let has_edge_to = |name: &str| self.edges.iter().any(|edge| edge.to == name);
        let names = names.iter().copied();
        names.filter(|name| !has_edge_to(name)).collect()
    }
}

/// An edge from one speaker to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeFile {
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub when: EdgeCondition,
    /// The group of the edge; by default, all edges to one speaker are a group.
    #[serde(default)]
    pub group: String,
    /// How many edges of the group must be followed.
    #[serde(default)]
    pub activation: Activation,
}

impl EdgeFile {
    /// An edge that is always followed.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self {
            from: from.into(),
            to: to.into(),
            when: EdgeCondition::Always,
            group: String::new(),
            activation: Activation::All,
        }
    }

    /// Puts the edge into a group.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>, activation: Activation) -> Self {
        self.group = group.into();
        self.activation = activation;
        self
    }

    pub(crate) fn group(&self) -> &str {
        if self.group.is_empty() {
            &self.to
        } else {
            &self.group
        }
    }
}

/// When to follow an edge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum EdgeCondition {
    #[default]
    Always,
    /// If the message contains this text.
    Mentions(String),
    /// If the function of this name returns true.
    Function(String),
}

/// How many edges of a group must be followed before their target speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Activation {
    #[default]
    All,
    Any,
}
