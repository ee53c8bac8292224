//! Who is where: actors, stages and world agents, their names, factions and places.
//!
//! Every entity of the story has a [`StableId`], a unique [`EntityName`], a [`Kind`] and a
//! conversation of its own. An actor is [`OnStage`]; a stage knows its [`Occupants`] in order of
//! arrival. [`Whereabouts`] answers who is where, who is alive and who is on whose side. Start
//! reading at [`spawn`].

mod gone;
mod name;
mod place;
mod rng;
mod senses;
mod spawn;
mod stage_query;
mod whereabouts;

pub use spawn::stable_id;

pub use gone::{Gone, dismiss};
pub use name::{CastList, EntityName, StableId, check_name, name_by_id};
pub use place::{
    Clock, CurrentStage, Dead, Exits, MEETING, MeetingClock, Occupants, OnStage, Place, WorldTurn,
    turn_number,
};
pub use rng::{StageRng, WorldSeed};
pub use senses::{Sense, Senses};
pub use spawn::{CastError, SpawnSpec, set_system_message, spawn};
pub use stage_query::StageQuery;
pub use whereabouts::Whereabouts;

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::context::AgentContext;

/// Adds what this module needs to a world.
pub fn install(world: &mut World, seed: WorldSeed) {
    world.insert_resource(seed);
    world.init_resource::<CastList>();
    world.init_resource::<CurrentStage>();
    world.init_resource::<Senses>();
    world.init_resource::<MeetingClock>();
    world.init_resource::<WorldTurn>();
}

/// All entities of a kind, in stable order. For setup and for meetings; in a step, use
/// [`StageQuery`] or [`Whereabouts`].
pub fn all_of(world: &World, kind: Kind) -> Vec<Entity> {
    let entities = world.resource::<CastList>().all();
    entities
        .filter(|(_, entity)| world.get::<Kind>(*entity) == Some(&kind))
        .map(|(_, entity)| entity)
        .collect()
}

/// The conversation of every entity, by name, in stable order. As [`all_of`], not for steps.
///
/// ```
/// use playhouse_engine::cast::agents_context;
///
/// let mut tiny = playhouse_engine::testing::tiny();
/// let names: Vec<_> = agents_context(tiny.world()).map(|(name, _)| name).collect();
/// assert_eq!(names, ["Hall", "Ann", "Bob"]);
/// ```
pub fn agents_context(world: &World) -> impl Iterator<Item = (&str, &AgentContext)> {
    let entities = world.resource::<CastList>().all();
    let contexts = entities.filter_map(|(_, entity)| world.get::<AgentContext>(entity));
    contexts.map(|context| (&**context.name(), context))
}

/// The name of an entity; empty if it has none. As [`all_of`], not for steps.
pub fn name_of(world: &World, entity: Entity) -> String {
    let name = world.get::<EntityName>(entity);
    name.map(ToString::to_string).unwrap_or_default()
}

/// The stage that an entity is on, if any. As [`all_of`], not for steps.
pub fn stage_of(world: &World, entity: Entity) -> Option<Entity> {
    world.get::<OnStage>(entity).map(|stage| stage.0)
}

/// As [`stage_of`]; a stage, or an entity on no stage, is its own place.
pub fn place_of(world: &World, entity: Entity) -> Entity {
    stage_of(world, entity).unwrap_or(entity)
}

/// Whether an entity is [`Dead`]. As [`all_of`], not for steps.
pub fn is_dead(world: &World, entity: Entity) -> bool {
    world.get::<Dead>(entity).is_some()
}

/// What an entity of the story is.
#[derive(
    Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[component(immutable)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A character, who is on a stage.
    Actor,
    /// A place where actors meet. It hears what is public there.
    Stage,
    /// A voice of the world that is on no stage.
    WorldAgent,
}

/// The side an actor is on, such as `hero` or `foe`.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Faction(pub Arc<str>);

/// What others see of an entity.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Appearance(pub Arc<str>);
