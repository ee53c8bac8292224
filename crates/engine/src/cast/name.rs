//! Names and stable numbers, and the list that finds entities by them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Gone;
use crate::locale::{UiText, text};
use crate::wording::is_invisible;

/// A number that an entity keeps through saves, loads and replays. Sort by it wherever order
/// matters.
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

/// Finds entities by name and by stable number. Kept up to date by hooks.
#[derive(Resource, Clone, Debug, Default)]
pub struct CastList {
    names: IndexMap<Arc<str>, Entity, FixedState>,
    ids: BTreeMap<StableId, Entity>,
    gone: BTreeMap<StableId, Entity>,
    last_id: u32,
}

impl CastList {
    pub fn by_name(&self, name: &str) -> Option<Entity> {
        self.names.get(name).copied()
    }

    pub fn by_id(&self, id: StableId) -> Option<Entity> {
        self.ids.get(&id).copied()
    }

    /// As [`Self::by_id`], whether it is in the story or gone.
    pub fn ever(&self, id: StableId) -> Option<Entity> {
        self.by_id(id).or_else(|| self.gone.get(&id).copied())
    }

    /// All entities that are in the story, in order of their numbers.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (StableId, Entity)> {
        self.ids.iter().map(|(id, entity)| (*id, *entity))
    }

    /// As [`Self::all`], with those who have left the story.
    pub fn everybody(&self) -> Vec<(StableId, Entity)> {
        let gone = self.gone.iter().map(|(id, entity)| (*id, *entity));
        let mut everybody: Vec<_> = self.all().chain(gone).collect();
        everybody.sort_unstable_by_key(|(id, _)| *id);
        everybody
    }

    /// In no particular order.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.keys()
    }

    /// The last number that was given. No number is given twice.
    pub fn last_id(&self) -> u32 {
        self.last_id
    }

    /// The number for a new entity.
    pub(super) fn next_id(&mut self) -> StableId {
        self.last_id += 1;
        StableId(self.last_id)
    }

    /// An entity has left the story.
    pub(super) fn dismiss(&mut self, entity: Entity) {
        self.names.retain(|_, named| *named != entity);
        let left = self.ids.extract_if(.., |_, listed| *listed == entity);
        self.gone.extend(left);
    }

    /// Continues numbering after the last number of a saved world.
    pub(crate) fn resume_after(&mut self, last_id: u32) {
        self.last_id = self.last_id.max(last_id);
    }
}

/// The maximum number of characters of a name.
const MAX_NAME: usize = 64;

/// The name of an entity that is in the world, by its stable number.
pub fn name_by_id(world: &World, id: u32) -> Option<Arc<str>> {
    let entity = world.get_resource::<CastList>()?.by_id(StableId(id))?;
    Some(world.get::<EntityName>(entity)?.0.clone())
}

/// What is wrong with a name: it is empty, longer than 64 characters, contains control characters
/// or others that nobody sees, or has spaces around it. `None` if nothing is.
pub fn check_name(name: &str) -> Option<UiText> {
    let length = name.chars().count();
    if name.trim().is_empty() {
        Some(text!(cast_name_empty))
    } else if length > MAX_NAME {
        Some(text!(cast_name_too_long, max = MAX_NAME, length))
    } else if name.chars().any(is_hidden) {
        Some(text!(cast_name_control))
    } else if name.trim() != name {
        Some(text!(cast_name_spaces))
    } else {
        None
    }
}

/// Whether a character could hide something in a name, or make two names look alike. Joiners and
/// variation selectors belong to how some scripts are written.
fn is_hidden(char: char) -> bool {
    let is_part_of_script = matches!(char, '\u{200c}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    char.is_control() || (is_invisible(char) && !is_part_of_script)
}

// Hooks also run in worlds without the engine's resources, such as those of unit tests.

fn list_name(mut world: DeferredWorld, context: HookContext) {
    let is_gone = world.get::<Gone>(context.entity).is_some();
    let name = world.get::<EntityName>(context.entity).cloned();
    if let (Some(name), Some(mut list)) = (name, world.get_resource_mut::<CastList>())
        && !is_gone
    {
        list.names.insert(name.0, context.entity);
    }
}

fn unlist_name(mut world: DeferredWorld, context: HookContext) {
    let name = world.get::<EntityName>(context.entity).cloned();
    if let (Some(name), Some(mut list)) = (name, world.get_resource_mut::<CastList>())
        && list.by_name(&name.0) == Some(context.entity)
    {
        list.names.swap_remove(&name.0);
    }
}

fn list_id(mut world: DeferredWorld, context: HookContext) {
    let is_gone = world.get::<Gone>(context.entity).is_some();
    let id = world.get::<StableId>(context.entity).copied();
    if let (Some(id), Some(mut list)) = (id, world.get_resource_mut::<CastList>()) {
        let listed = if is_gone {
            &mut list.gone
        } else {
            &mut list.ids
        };
        listed.insert(id, context.entity);
        list.resume_after(id.0);
    }
}

fn unlist_id(mut world: DeferredWorld, context: HookContext) {
    let id = world.get::<StableId>(context.entity).copied();
    if let (Some(id), Some(mut list)) = (id, world.get_resource_mut::<CastList>()) {
        list.ids.remove(&id);
        list.gone.remove(&id);
    }
}
