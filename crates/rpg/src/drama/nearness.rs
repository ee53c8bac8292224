//! How near scenes, options and endings came to coming about: which parts of their conditions were
//! missing whenever they were asked about. Only rehearsals keep it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::condition::Condition;

/// What comes about if its condition holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlotPoint {
    Scene(String),
    Option { scene: String, option: String },
    Ending(String),
}

/// What was missing of a plot point in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Missing {
    /// The parts of its condition that held at least once when it was asked about, by number.
    pub held: BTreeSet<usize>,
    /// The parts that were missing when the fewest were.
    pub nearest: BTreeSet<usize>,
    /// What came about instead when none was missing.
    pub instead: BTreeSet<String>,
}

/// What was missing of each plot point that was asked about.
#[derive(Resource, Debug, Default)]
pub struct Nearness(Mutex<BTreeMap<PlotPoint, Missing>>);

impl Nearness {
    /// Notes what of the parts of a condition is missing now, if that is kept. `instead` is what
    /// comes about at this moment.
    pub(crate) fn note(
        world: &World,
        point: PlotPoint,
        parts: &[(&Condition, String)],
        instead: Option<&str>,
    ) {
        let Some(Self(points)) = world.get_resource::<Self>() else {
            return;
        };
        let holds = |number: &usize| {
            parts
                .get(*number)
                .is_some_and(|(part, key)| part.holds(world, key))
        };
        let (held, missing): (BTreeSet<_>, BTreeSet<_>) = (0..parts.len()).partition(holds);
        let mut points = points.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !points.contains_key(&point);
        let known = points.entry(point).or_default();
        known.held.extend(held);
        if missing.is_empty() {
            known.instead.extend(instead.map(str::to_owned));
        }
        if is_new || missing.len() < known.nearest.len() {
            known.nearest = missing;
        }
    }

    pub(crate) fn take(world: &World) -> BTreeMap<PlotPoint, Missing> {
        let Some(Self(points)) = world.get_resource::<Self>() else {
            return BTreeMap::new();
        };
        std::mem::take(&mut *points.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Condition {
    /// The parts that must all hold, each with its key for [`Self::holds`].
    pub fn required(&self, key: &str) -> Vec<(&Self, String)> {
        match self {
            Self::Always => Vec::new(),
            Self::All(parts) => {
                let parts = parts.iter().enumerate();
                let required =
                    parts.map(|(number, part)| part.required(&format!("{key}/{number}")));
                required.flatten().collect()
            }
            part => vec![(part, key.to_owned())],
        }
    }
}
