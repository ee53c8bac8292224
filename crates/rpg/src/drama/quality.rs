//! Qualities: named numbers of the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::world_data::prose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named number of the world, such as how far a lamp has burned down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Quality {
    /// Its unique short name.
    pub id: String,
    /// What it measures, as minds read it; if it is empty, they read the id.
    pub title: String,
    /// The highest value; the lowest is 0.
    pub max: i32,
    /// Its value at the start.
    pub start: i32,
    /// Whether nobody is told when it changes.
    pub hidden: bool,
    /// Whether what an actor tries may raise and lower it.
    pub attempts: bool,
    /// What everybody is told when it reaches a value.
    pub steps: Vec<QualityStep>,
}

impl Quality {
    /// What minds read for it.
    pub fn shown(&self) -> &str {
        if self.title.is_empty() {
            &self.id
        } else {
            &self.title
        }
    }
}

/// What everybody is told when a quality reaches a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QualityStep {
    /// The value that is reached.
    pub at: i32,
    /// What everybody is told.
    #[serde(deserialize_with = "prose")]
    pub text: String,
}

/// The values of the world's qualities by id. They change at meetings only.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Qualities(pub BTreeMap<Arc<str>, i32>);

impl Qualities {
    /// The values with which a story begins.
    pub fn at_start(qualities: &[Quality]) -> Self {
        let values = qualities.iter().map(|quality| {
            let value = quality.start.clamp(0, quality.max.max(0));
            (quality.id.as_str().into(), value)
        });
        Self(values.collect())
    }

    /// The value of a quality; 0 if it has none.
    pub fn value(&self, id: &str) -> i32 {
        self.0.get(id).copied().unwrap_or_default()
    }

    /// Changes a quality within its bounds; returns the old and the new value.
    pub fn change(&mut self, quality: &Quality, by: i32) -> (i32, i32) {
        let value = self.0.entry(quality.id.as_str().into()).or_default();
        let before = *value;
        *value = value.saturating_add(by).clamp(0, quality.max.max(0));
        (before, *value)
    }
}
