//! Spawning entities of the story.

use std::borrow::Cow;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use thiserror::Error;

use super::{CastList, Clock, EntityName, Kind, OnStage, Place, StableId, check_name};
use crate::context::{AgentContext, Chapters};
use crate::locale::{Localize, UiText};
use crate::message::{Body, Role, Text};

/// Why an entity can't be spawned.
#[derive(Debug, Error, PartialEq, Eq, Localize)]
pub enum CastError {
    #[text(cast_name_taken, name)]
    NameTaken(String),
    /// The name is invalid.
    #[text(cast_bad_name)]
    BadName { name: String, reason: UiText },
    /// There is no stage of this name.
    #[text(cast_no_such_stage)]
    NoSuchStage { name: String, stage: String },
    /// The world lacks the engine's resources.
    #[text(cast_no_cast_list)]
    NoCastList,
}

/// An entity of the story to be spawned.
#[derive(Clone, Debug)]
pub struct SpawnSpec {
    pub name: Arc<str>,
    pub kind: Kind,
    /// The beginning of its system message, shared with others: the rules of the world.
    pub rules: Option<Arc<Text>>,
    /// Its own part of the system message. There is none if both parts are empty.
    pub identity: String,
    /// The name of the stage that an actor is on.
    pub stage: Option<Arc<str>>,
}

/// Spawns an entity of the story, with a conversation that starts with its system message. Call it
/// during setup or at a meeting, so that ids don't depend on timing.
///
/// # Errors
/// The name is invalid or taken, or the stage is unknown. The world is unchanged then.
pub fn spawn(world: &mut World, spec: SpawnSpec) -> Result<Entity, CastError> {
    let list = world
        .get_resource::<CastList>()
        .ok_or(CastError::NoCastList)?;
    if let Some(reason) = check_name(&spec.name) {
        let name = spec.name.to_string();
        return Err(CastError::BadName { name, reason });
    }
    if list.by_name(&spec.name).is_some() {
        return Err(CastError::NameTaken(spec.name.to_string()));
    }
    let stage = match &spec.stage {
        Some(stage) => Some(find_stage(world, &spec.name, stage)?),
        None => None,
    };
    let id = world.resource_mut::<CastList>().next_id();
    let mut clock = Clock::default();
    let mut context = AgentContext::new(spec.name.clone());
    if spec.rules.is_some() || !spec.identity.is_empty() {
        let mut body = Body::text(spec.identity).with_id(clock.next_body(id));
        if let Some(rules) = spec.rules {
            body = body.after(rules);
        }
        // An empty context always takes a system message.
        let _ = context.add_system_message(body);
    }
    let name = EntityName(spec.name);
    let mut entity = world.spawn((id, name, spec.kind, clock, context, Chapters::default()));
    match stage {
        Some(stage) => entity.insert(OnStage(stage)),
        None => entity.insert(Place),
    };
    Ok(entity.id())
}

/// Gives an entity another system message, unless it has this one: `rules` that all share, and an
/// identity of its own. An empty one is none. The rest of the conversation stays.
pub fn set_system_message(
    world: &mut World,
    entity: Entity,
    rules: Option<&Arc<Text>>,
    identity: &str,
) {
    let mut found = world.query::<(&StableId, &mut Clock, &mut AgentContext)>();
    let Ok((id, mut clock, mut context)) = found.get_mut(world, entity) else {
        return;
    };
    let first = context
        .entries()
        .first()
        .filter(|entry| entry.role() == Role::System);
    let wanted = format!("{}{identity}", rules.map_or("", |rules| rules.as_str()));
    if *first.map_or_else(Cow::default, |entry| entry.body().full_text()) == *wanted {
        return;
    }
    let mut body = Body::text(identity).with_id(clock.next_body(*id));
    if let Some(rules) = rules {
        body = body.after(rules.clone());
    }
    if first.is_some() && !wanted.is_empty() {
        context.replace_system_message(body);
        return;
    }
    let mut changed = AgentContext::new(context.name().clone());
    if !wanted.is_empty() {
        // An empty context always takes a system message.
        let _ = changed.add_system_message(body);
    }
    let messages = context.messages().map(|held| held.message);
    for message in messages.filter(|message| message.role != Role::System) {
        // Only a system message could be refused.
        let _ = changed.add_message(message);
    }
    *context = changed;
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

/// The id of an entity of the story; 0 if it has none.
pub fn stable_id(world: &World, entity: Entity) -> StableId {
    world
        .get::<StableId>(entity)
        .copied()
        .unwrap_or(StableId(0))
}
