//! How near scenes, options and endings came to coming about: which parts of their conditions were
//! missing whenever they were asked about. Only rehearsals keep it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{EntityName, is_dead, stage_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::{Condition, entities_of};
use super::scene::Scene;

/// What comes about if its condition holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlotPoint {
    Scene(String),
    Option { scene: String, option: String },
    Ending(String),
}

impl PlotPoint {
    /// The id of a scene or an ending, `scene=option` of an option.
    pub fn name(&self) -> String {
        match self {
            Self::Scene(id) | Self::Ending(id) => id.clone(),
            Self::Option { scene, option } => format!("{scene}={option}"),
        }
    }
}

/// What was missing of a plot point in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// The parts of its condition that held at least once when it was asked about, by number.
    pub held: BTreeSet<usize>,
    /// The parts that were missing when the fewest were.
    pub nearest: BTreeSet<usize>,
    /// Where the people were then whom a missing part needs, by its number; `None` if they were
    /// nowhere any more.
    pub elsewhere: BTreeMap<usize, Vec<Whereabout>>,
    /// What came about instead when none was missing.
    pub instead: BTreeSet<String>,
    /// Whether at the end it lacked nothing but a time that had passed.
    pub is_late: bool,
}

/// Somebody, and the place where it was.
pub type Whereabout = (String, Option<String>);

/// What was missing of each plot point that was asked about.
#[derive(Resource, Debug, Default)]
pub struct Nearness(Mutex<BTreeMap<PlotPoint, Missing>>);

impl Nearness {
    /// Notes what of the parts of a condition is missing now, if that is kept: each part, and
    /// whether it holds. `instead` is what comes about at this moment.
    pub(crate) fn note<'a>(
        world: &World,
        point: PlotPoint,
        parts: impl IntoIterator<Item = (&'a Condition, bool)>,
        instead: Option<&str>,
    ) {
        let Some(Self(points)) = world.get_resource::<Self>() else {
            return;
        };
        let (parts, holds): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let holds = |number: &usize| holds.get(*number) == Some(&true);
        let (held, missing): (BTreeSet<_>, BTreeSet<_>) = (0..parts.len()).partition(holds);
        let mut points = points.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !points.contains_key(&point);
        let known = points.entry(point).or_default();
        known.held.extend(held);
        if missing.is_empty() {
            known.instead.extend(instead.map(str::to_owned));
        }
        // At another time everything may be missing: what counts is the time for which it was
        // meant.
        let distance = |missing: &BTreeSet<usize>| {
            let missing_parts = missing.iter().filter_map(|number| parts.get(*number));
            let at_other_time = missing_parts.filter(|part| part.is_about_time());
            (at_other_time.count(), missing.len())
        };
        if is_new || distance(&missing) < distance(&known.nearest) {
            let parts = missing
                .iter()
                .filter_map(|number| Some((*number, parts.get(*number)?.whereabouts(world))));
            known.elsewhere = parts.filter(|(_, people)| !people.is_empty()).collect();
            known.nearest = missing;
        }
    }

    /// Notes at the end of the story which scenes would open if another hour came.
    pub(crate) fn note_late(world: &World, scenes: &[Scene]) {
        let Some(Self(points)) = world.get_resource::<Self>() else {
            return;
        };
        let mut points = points.lock().unwrap_or_else(PoisonError::into_inner);
        for scene in scenes {
            let Some(known) = points.get_mut(&PlotPoint::Scene(scene.id.clone())) else {
                continue;
            };
            let parts = scene.when.required_now(world, &scene.id);
            let is_met = parts.enumerate().all(|(number, (part, holds))| {
                holds || (part.is_about_time() && known.held.contains(&number))
            });
            known.is_late = is_met && scene.is_attended(world);
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
    /// Whether it only says when.
    fn is_about_time(&self) -> bool {
        matches!(
            self,
            Self::Day(_) | Self::Now(_) | Self::Round(_) | Self::Hour(_)
        )
    }

    /// Where those are whom it wants to be somewhere.
    fn whereabouts(&self, world: &World) -> Vec<Whereabout> {
        let names = match self {
            Self::At(who, _) => std::slice::from_ref(who),
            Self::Together(names) => names.as_slice(),
            _ => return Vec::new(),
        };
        let entities = names.iter().flat_map(|name| entities_of(world, name));
        let name = |entity| {
            let name = world.get::<EntityName>(entity);
            name.map(|name| name.to_string())
        };
        let found = entities.filter_map(|entity| {
            let living = Some(entity).filter(|entity| !is_dead(world, *entity));
            let place = living.and_then(|entity| stage_of(world, entity));
            Some((name(entity)?, place.and_then(name)))
        });
        found.collect()
    }

    /// The parts that must all hold, each with whether it does.
    pub(crate) fn required_now<'a, 'w>(
        &'a self,
        world: &'w World,
        key: &str,
    ) -> impl Iterator<Item = (&'a Self, bool)> + use<'a, 'w> {
        let required = self.required(key).into_iter();
        required.map(move |(part, key)| (part, part.holds(world, &key)))
    }

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
