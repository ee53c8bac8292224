//! Entering and leaving the cast.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use thiserror::Error;

use super::{CastList, Clock, EntityName, Kind, OnStage, Place, StableId, check_name};
use crate::context::{AgentContext, Chapters};
use crate::message::{Body, Text};

/// Why somebody can't enter the cast.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CastError {
    /// The name is in use.
    #[error("the name '{0}' is taken; names are unique over actors, stages and world agents")]
    NameTaken(String),
    /// The name can't be a name.
    #[error("'{name}' can't be a name: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The stage to stand on is unknown or no stage.
    #[error("'{name}' can't stand on '{stage}': there is no stage of that name")]
    NoSuchStage {
        /// Who.
        name: String,
        /// The name given for the stage.
        stage: String,
    },
    /// The world lacks the engine's resources.
    #[error("the world has no cast list; add the engine's plugin before spawning")]
    NoCastList,
}

/// Somebody or something about to enter the cast.
#[derive(Clone, Debug)]
pub struct SpawnSpec {
    /// Its unique name.
    pub name: Arc<str>,
    /// What it is.
    pub kind: Kind,
    /// The first part of its system message, shared with others: the rules of the world.
    pub rules: Option<Arc<Text>>,
    /// Its own part of the system message; nothing is added where both parts are empty.
    pub identity: String,
    /// The name of the stage an actor stands on.
    pub stage: Option<Arc<str>>,
}

/// Brings a newcomer into the world, with a conversation that its system message opens. Call it
/// while setting up or at a meeting, so that numbers don't depend on timing.
///
/// # Errors
/// The name is bad or taken, or the stage is unknown; the world is then as it was.
pub fn spawn(world: &mut World, newcomer: SpawnSpec) -> Result<Entity, CastError> {
    let list = world
        .get_resource::<CastList>()
        .ok_or(CastError::NoCastList)?;
    if let Some(reason) = check_name(&newcomer.name) {
        let name = newcomer.name.to_string();
        return Err(CastError::BadName { name, reason });
    }
    if list.by_name(&newcomer.name).is_some() {
        return Err(CastError::NameTaken(newcomer.name.to_string()));
    }
    let stage = match &newcomer.stage {
        Some(stage) => Some(find_stage(world, &newcomer.name, stage)?),
        None => None,
    };
    let id = world.resource_mut::<CastList>().next_id();
    let mut clock = Clock::default();
    let mut context = AgentContext::new(newcomer.name.clone());
    if newcomer.rules.is_some() || !newcomer.identity.is_empty() {
        let mut body = Body::text(newcomer.identity).with_id(clock.next_body(id));
        if let Some(rules) = newcomer.rules {
            body = body.after(rules);
        }
        // An empty context always takes a system message.
        let _ = context.add_system_message(body);
    }
    let name = EntityName(newcomer.name);
    let mut entity = world.spawn((id, name, newcomer.kind, clock, context, Chapters::default()));
    match stage {
        Some(stage) => entity.insert(OnStage(stage)),
        None => entity.insert(Place),
    };
    Ok(entity.id())
}

/// Takes an entity out of the world. Its name is free again; its number is never given again. Actors
/// on a stage that goes stay in the world, on no stage.
pub fn despawn(world: &mut World, entity: Entity) -> bool {
    world.despawn(entity)
}

fn find_stage(world: &World, name: &str, stage: &str) -> Result<Entity, CastError> {
    let found = world.resource::<CastList>().by_name(stage);
    found
        .filter(|entity| world.get::<Kind>(*entity) == Some(&Kind::Stage))
        .ok_or_else(|| CastError::NoSuchStage {
            name: name.to_owned(),
            stage: stage.to_owned(),
        })
}

/// The number of an entity, for worlds in which every entity of the story has one.
pub(crate) fn stable_id(world: &World, entity: Entity) -> StableId {
    world
        .get::<StableId>(entity)
        .copied()
        .unwrap_or(StableId(0))
}
