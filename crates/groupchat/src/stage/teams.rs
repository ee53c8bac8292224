//! The teams of a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;

use crate::functions::Functions;
use crate::message::MessageFactory;
use crate::team::TeamFile;

/// The teams of a world, by name, and what they use. Not saved: the game provides it.
#[derive(Resource, Clone)]
pub(crate) struct Teams {
    pub(crate) outermost: Arc<TeamFile>,
    pub(crate) functions: Functions,
    pub(crate) factory: MessageFactory,
    /// All teams with the name of their outer team.
    by_name: Arc<BTreeMap<String, (Arc<TeamFile>, Option<String>)>>,
}

impl Teams {
    pub(crate) fn new(outermost: TeamFile) -> Self {
        let mut by_name = BTreeMap::new();
        for outer in outermost.nested() {
            for inner in &outer.teams {
                let entry = (Arc::new(inner.clone()), Some(outer.name.clone()));
                by_name.insert(inner.name.clone(), entry);
            }
        }
        let outermost = Arc::new(outermost);
        by_name.insert(outermost.name.clone(), (outermost.clone(), None));
        Self {
            outermost,
            functions: Functions::default(),
            factory: MessageFactory::new(),
            by_name: Arc::new(by_name),
        }
    }

    pub(super) fn team(&self, name: &str) -> Option<&Arc<TeamFile>> {
        self.by_name.get(name).map(|(team, _)| team)
    }

    /// The team around an inner team.
    pub(super) fn outer(&self, inner: &str) -> Option<&Arc<TeamFile>> {
        let (_, outer) = self.by_name.get(inner)?;
        self.team(outer.as_deref()?)
    }
}
