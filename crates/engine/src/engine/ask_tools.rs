//! The tools of an open ask.

use std::sync::Arc;

use crate::message::Digest;
use crate::mind::Tools;
use crate::tool::ToolSpec;

/// The tools of an open ask.
#[derive(Clone, Debug, Default)]
pub(super) struct AskTools {
    /// What the mind is told of them.
    specs: Vec<Arc<ToolSpec>>,
    /// The name of each in the toolbox.
    names: Vec<Arc<str>>,
    /// How to call them in words, for a mind that takes tools no other way.
    pub(super) instructions: Option<Arc<str>>,
    /// The maximum number of rounds in which the mind may call them.
    pub(super) max_rounds: u32,
    /// Of what the world says about them; `None` without tools.
    pub(super) digest: Option<Digest>,
}

impl AskTools {
    /// No tools yet, for this many rounds.
    pub(super) fn new(max_rounds: u32) -> Self {
        Self {
            max_rounds,
            ..Self::default()
        }
    }

    /// Adds a tool once, by its name in the toolbox.
    pub(super) fn add(&mut self, name: Arc<str>, spec: Arc<ToolSpec>) {
        if !self.names.contains(&name) {
            self.specs.push(spec);
            self.names.push(name);
        }
    }

    /// What the mind is told of them.
    pub(super) fn specs(&self) -> &[Arc<ToolSpec>] {
        &self.specs
    }

    /// The tools as a prompt shows them after this many rounds.
    pub(super) fn after(&self, rounds: usize) -> Tools<'_> {
        Tools {
            specs: &self.specs,
            callable: !self.specs.is_empty() && (rounds as u64) < u64::from(self.max_rounds),
            instructions: self.instructions.as_deref(),
        }
    }

    /// The name in the toolbox of the tool that a mind calls by this name.
    pub(super) fn name_of(&self, wire_name: &str) -> Option<&Arc<str>> {
        let mut specs = self.specs.iter();
        let index = specs.position(|spec| spec.name() == wire_name)?;
        self.names.get(index)
    }
}
