//! Which mind answers for which entity.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::answer::Mind;
use super::embedder::Embedder;

/// The alias of the model that an entity prefers. Without it, the run's default mind answers.
#[derive(Component, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MindAlias(pub Arc<str>);

#[derive(Clone)]
#[must_use]
pub struct Minds {
    default: Arc<dyn Mind>,
    by_alias: BTreeMap<String, Arc<dyn Mind>>,
    seats: BTreeMap<Arc<str>, Arc<dyn Mind>>,
    embedder: Option<Arc<dyn Embedder>>,
}

impl<M: Mind + 'static> From<M> for Minds {
    fn from(mind: M) -> Self {
        Self::all(Arc::new(mind))
    }
}

impl Minds {
    pub fn all(default: Arc<dyn Mind>) -> Self {
        Self {
            default,
            by_alias: BTreeMap::new(),
            seats: BTreeMap::new(),
            embedder: None,
        }
    }

    /// Adds a mind that entities can choose by its alias.
    pub fn with_alias(mut self, alias: impl Into<String>, mind: Arc<dyn Mind>) -> Self {
        self.by_alias.insert(alias.into(), mind);
        self
    }

    /// Adds a mind for the entity of this name, whatever it prefers: a person at a seat.
    pub fn with_seat(mut self, entity: impl Into<Arc<str>>, mind: Arc<dyn Mind>) -> Self {
        self.seats.insert(entity.into(), mind);
        self
    }

    /// Lets recall find by vectors of this embedder, too.
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Who makes vectors of texts for recall, if anybody does.
    pub fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref()
    }

    /// The mind of an entity: its seat, else the alias it prefers, else the default.
    pub fn of(&self, entity: &str, alias: Option<&MindAlias>) -> &Arc<dyn Mind> {
        let preferred = || self.by_alias.get(&*alias?.0);
        self.seats
            .get(entity)
            .or_else(preferred)
            .unwrap_or(&self.default)
    }

    /// Whether entities can choose this alias.
    pub fn knows(&self, alias: &str) -> bool {
        self.by_alias.contains_key(alias)
    }
}
