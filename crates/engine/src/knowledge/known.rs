//! What one entity knows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

/// The day of the story, from 1; 0 before the first. A game that has days sets it.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Today(pub u32);

/// How an entity came to know a fact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Known {
    /// From whom; `None` if it was known at the start, read, or found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
    /// The type of the event that taught it, such as `speak`; empty at the start.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub by: Arc<str>,
    /// The id of that event, as `why` takes it; empty at the start.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub event: Arc<str>,
    pub turn: u64,
    pub day: u32,
    /// Who has told it again since, by name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub again: BTreeSet<Arc<str>>,
    /// The events by which it was told to this one, or by this one to others.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tellings: BTreeSet<Arc<str>>,
}

impl Known {
    /// Whether both were there when it was told, so that each knows that the other knows it.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        !self.tellings.is_disjoint(&other.tellings)
    }

    /// Everybody who has told it, first and again.
    pub fn told_by(&self) -> impl Iterator<Item = &Arc<str>> {
        self.from.iter().chain(&self.again)
    }
}

/// What an entity knows, by the id of the fact. It only grows, and only by events.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Knowledge(BTreeMap<Arc<str>, Known>);

impl Knowledge {
    /// Knowledge of these facts from the start.
    pub fn at_start<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let known = ids.into_iter().map(|id| (id.into(), Known::default()));
        Self(known.collect())
    }

    pub fn knows(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How a fact came to be known.
    pub fn get(&self, id: &str) -> Option<&Known> {
        self.0.get(id)
    }

    /// All that is known, by id.
    pub fn all(&self) -> impl Iterator<Item = (&Arc<str>, &Known)> {
        self.0.iter()
    }

    /// Adds a fact unless it is known already; returns whether it is new. Of one that is known, it
    /// is noted who tells it again.
    pub fn learn(&mut self, id: &Arc<str>, known: &Known) -> bool {
        if let Some(old) = self.0.get_mut(id) {
            if old.from != known.from {
                old.again.extend(known.from.clone());
            }
            return false;
        }
        self.0.insert(id.clone(), known.clone());
        true
    }

    /// Notes of a fact that is known that this event told it, too.
    pub(crate) fn share(&mut self, id: &str, event: &Arc<str>) {
        if let Some(known) = self.0.get_mut(id) {
            known.tellings.insert(event.clone());
        }
    }
}
