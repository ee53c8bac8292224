//! Places: stages, and entities on no stage, each with a clock and message numbers of its own.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::StableId;
use crate::message::BodyId;

/// The number of the place where the whole world meets.
pub const MEETING: StableId = StableId(0);

/// The stage that an actor is on.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[relationship(relationship_target = Occupants)]
pub struct OnStage(pub Entity);

/// The actors on a stage in order of arrival. Absent on an empty stage.
#[derive(Component, Debug, Default)]
#[relationship_target(relationship = OnStage)]
pub struct Occupants(Vec<Entity>);

impl Occupants {
    /// The actors, in order of arrival.
    pub fn in_order(&self) -> &[Entity] {
        &self.0
    }
}

/// Marks an actor that has died or fallen. It neither hears nor speaks until it is revived.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(storage = "SparseSet")]
pub struct Dead;

/// The stages that actors can go to from this one, in the order of the world file.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Exits(pub Vec<StableId>);

/// Marks entities that take steps of their own: stages, and entities on no stage.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(immutable)]
pub struct Place;

/// A place's own time and message numbers.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// The number of steps since the place was created.
    pub time: u64,
    /// The number of the last body that was made here.
    pub last_number: u32,
}

impl Clock {
    /// The id for the next body made at this place.
    pub(crate) fn next_body(&mut self, place: StableId) -> BodyId {
        self.last_number += 1;
        BodyId {
            place: place.0,
            number: self.last_number,
        }
    }
}

/// What the running schedule is for: one place, or the meeting of the whole world.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurrentStage {
    /// All places are at rest and the whole world meets.
    #[default]
    Meeting,
    /// A stage, or an entity on no stage, takes a step.
    Place(Entity),
}

/// The clock of the meeting, which is a place of its own.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct MeetingClock(pub Clock);

/// The number of meetings the world has had; shown to people as the turn.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorldTurn(pub u64);

/// The turn that comes after so many, as people number turns: from 1.
pub fn turn_number(before: u64) -> u64 {
    before.saturating_add(1)
}
