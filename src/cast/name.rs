//! Names and stable numbers, and the list that finds entities by them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use serde::{Deserialize, Serialize};

/// A number that an entity keeps through saves, loads and replays. Order by it wherever order matters.
#[derive(
    Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[component(immutable, on_insert = list_id, on_discard = unlist_id)]
#[serde(transparent)]
pub struct StableId(pub u32);

impl std::fmt::Display for StableId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The unique, readable name of an entity, in any language.
#[derive(Component, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[component(immutable, on_insert = list_name, on_discard = unlist_name)]
pub struct EntityName(pub Arc<str>);

impl std::fmt::Display for EntityName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Finds entities by name and by stable number. Kept right by hooks.
#[derive(Resource, Clone, Debug, Default)]
pub struct CastList {
    names: BTreeMap<Arc<str>, Entity>,
    ids: BTreeMap<StableId, Entity>,
    last_id: u32,
}

impl CastList {
    /// The entity of this name.
    pub fn by_name(&self, name: &str) -> Option<Entity> {
        self.names.get(name).copied()
    }

    /// The entity of this number.
    pub fn by_id(&self, id: StableId) -> Option<Entity> {
        self.ids.get(&id).copied()
    }

    /// All entities in order of their numbers.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (StableId, Entity)> {
        self.ids.iter().map(|(id, entity)| (*id, *entity))
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.keys()
    }

    /// The number given last; numbers are never given twice.
    pub fn last_id(&self) -> u32 {
        self.last_id
    }

    /// The number for a newcomer.
    pub(super) fn next_id(&mut self) -> StableId {
        self.last_id += 1;
        StableId(self.last_id)
    }

    /// Lets numbering go on from a saved world's last number.
    pub(crate) fn resume_after(&mut self, last_id: u32) {
        self.last_id = self.last_id.max(last_id);
    }
}

/// Says what is wrong with a name: empty, longer than 64 characters, or holding control characters.
pub fn check_name(name: &str) -> Option<String> {
    let length = name.chars().count();
    if name.trim().is_empty() {
        Some("a name must not be empty".into())
    } else if length > 64 {
        Some(format!(
            "a name has at most 64 characters; this one has {length}"
        ))
    } else if name.chars().any(char::is_control) {
        Some("a name must not hold control characters".into())
    } else if name.trim() != name {
        Some("a name must not begin or end with a space".into())
    } else {
        None
    }
}

// Hooks also run in worlds without the engine's resources, such as those of unit tests.

fn list_name(mut world: DeferredWorld, context: HookContext) {
    let name = world.get::<EntityName>(context.entity).cloned();
    if let (Some(name), Some(mut list)) = (name, world.get_resource_mut::<CastList>()) {
        list.names.insert(name.0, context.entity);
    }
}

fn unlist_name(mut world: DeferredWorld, context: HookContext) {
    let name = world.get::<EntityName>(context.entity).cloned();
    if let (Some(name), Some(mut list)) = (name, world.get_resource_mut::<CastList>()) {
        list.names.remove(&name.0);
    }
}

fn list_id(mut world: DeferredWorld, context: HookContext) {
    let id = world.get::<StableId>(context.entity).copied();
    if let (Some(id), Some(mut list)) = (id, world.get_resource_mut::<CastList>()) {
        list.ids.insert(id, context.entity);
        list.resume_after(id.0);
    }
}

fn unlist_id(mut world: DeferredWorld, context: HookContext) {
    let id = world.get::<StableId>(context.entity).copied();
    if let (Some(id), Some(mut list)) = (id, world.get_resource_mut::<CastList>()) {
        list.ids.remove(&id);
    }
}
