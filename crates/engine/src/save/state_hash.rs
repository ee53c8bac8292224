//! A hash of everything that is saved of a place, which replays compare.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::change_detection::Tick;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::*;

use super::registry::SaveRegistry;
use crate::cast::{CastList, Clock, Dead, EntityName, Occupants, Place};
use crate::context::{AgentContext, Chapters};
use crate::message::Digest;
use crate::parallel;

/// Longer components are hashed by their digests.
const MAX_INLINE: usize = 128;

/// What was hashed of the components of each entity in a place, by their index in the registry. It
/// is used again as long as the component does not change.
#[derive(Resource, Default)]
struct Hashed(EntityHashMap<Vec<Option<Written>>>);

#[derive(Default)]
struct Written {
    /// When it last changed.
    changed: Tick,
    /// Its bytes, or their digest.
    bytes: Vec<u8>,
}

/// An entity, and what was hashed of its components.
type Seen<'w> = (EntityRef<'w>, Vec<Option<Written>>);

fn add_components((entity, seen): &mut Seen, registry: &SaveRegistry, bytes: &mut Vec<u8>) {
    seen.resize_with(registry.components.len(), || None);
    for ((name, io), seen) in registry.components.iter().zip(seen) {
        let Some(changed) = (io.changed)(*entity) else {
            *seen = None;
            continue;
        };
        bytes.extend_from_slice(name.as_bytes());
        if let Some(seen) = seen.as_ref().filter(|seen| seen.changed == changed) {
            bytes.extend_from_slice(&seen.bytes);
            continue;
        }
        let start = bytes.len();
        (io.pack)(*entity, bytes);
        if bytes.len() - start > MAX_INLINE {
            let digest = Digest::of(&bytes[start..]);
            bytes.truncate(start);
            bytes.extend_from_slice(&digest.0);
        }
        let seen = seen.get_or_insert_default();
        seen.changed = changed;
        seen.bytes.clear();
        seen.bytes.extend_from_slice(&bytes[start..]);
    }
}

/// The state hash of every place, by name. The hash of the world's resources has the empty name.
pub fn state_hashes(world: &mut World) -> BTreeMap<Arc<str>, Digest> {
    let mut contexts = world.query::<&mut AgentContext>();
    let mut contexts: Vec<_> = contexts.iter_mut(world).collect();
    parallel::for_each(&mut contexts, |context| {
        context.stats();
    });
    let mut hashed = std::mem::take(&mut *world.get_resource_or_init::<Hashed>());
    let hashes = hashes(world, &mut hashed);
    world.insert_resource(hashed);
    // Tells later changes from what was hashed.
    world.increment_change_tick();
    hashes
}

/// A place with all who are there.
struct Group<'w> {
    name: Option<&'w EntityName>,
    entities: Vec<Seen<'w>>,
    digest: Digest,
}

fn hashes(world: &World, hashed: &mut Hashed) -> BTreeMap<Arc<str>, Digest> {
    let registry = world.resource::<SaveRegistry>();
    let entity_of = |entity| world.get_entity(entity).ok();
    let cast = world.resource::<CastList>().all();
    let places = cast
        .filter_map(|(_, entity)| entity_of(entity))
        .filter(|entity| entity.contains::<Place>());
    let mut groups: Vec<_> = places
        .map(|place| {
            let occupants = place
                .get::<Occupants>()
                .map(Occupants::in_order)
                .unwrap_or_default()
                .iter();
            let all =
                std::iter::once(place).chain(occupants.filter_map(|entity| entity_of(*entity)));
            let mut seen =
                |entity: EntityRef<'_>| hashed.0.remove(&entity.id()).unwrap_or_default();
            Group {
                name: place.get(),
                entities: all.map(|entity| (entity, seen(entity))).collect(),
                digest: Digest::default(),
            }
        })
        .collect();
    parallel::for_each(&mut groups, |group| {
        let mut bytes = Vec::with_capacity(8 * 1024);
        for entity in &mut group.entities {
            add_entity(entity, registry, &mut bytes);
        }
        group.digest = Digest::of(&bytes);
    });
    // Those that are nowhere any more.
    hashed.0.clear();
    let mut hashes = BTreeMap::new();
    for group in groups {
        hashes.extend(group.name.map(|name| (name.0.clone(), group.digest)));
        let seen = group.entities.into_iter();
        let seen = seen.map(|(entity, seen)| (entity.id(), seen));
        hashed.0.extend(seen);
    }
    let mut bytes = Vec::new();
    for (name, io) in &registry.resources {
        bytes.extend_from_slice(name.as_bytes());
        (io.pack)(world, &mut bytes);
    }
    hashes.insert(Arc::from(""), Digest::of(&bytes));
    hashes
}

/// Adds an entity, whose context statistics are up to date.
fn add_entity(seen: &mut Seen, registry: &SaveRegistry, bytes: &mut Vec<u8>) {
    let entity = seen.0;
    if let Some(name) = entity.get::<EntityName>() {
        bytes.extend_from_slice(name.0.as_bytes());
    }
    if let Some(context) = entity.get::<AgentContext>() {
        bytes.extend_from_slice(&context.last_stats().digest.0);
    }
    for chapter in entity
        .get::<Chapters>()
        .map(Chapters::all)
        .unwrap_or_default()
    {
        bytes.extend_from_slice(chapter.id.0.as_bytes());
        bytes.extend_from_slice(&chapter.turn.to_le_bytes());
        bytes.extend_from_slice(&(chapter.messages.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&chapter.summary.digest().0);
    }
    let open = entity.get::<Chapters>().map(Chapters::open_notes);
    if let Some(open) = open.filter(|open| !open.is_empty()) {
        bytes.extend_from_slice(&(open.len() as u64).to_le_bytes());
    }
    if let Some(clock) = entity.get::<Clock>() {
        bytes.extend_from_slice(&clock.time.to_le_bytes());
        bytes.extend_from_slice(&clock.last_number.to_le_bytes());
    }
    bytes.push(u8::from(entity.contains::<Dead>()));
    add_components(seen, registry, bytes);
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::testing::tiny;

    #[derive(Component, Clone, Serialize, Deserialize)]
    struct Purse(Vec<u32>);

    /// A component that is hashed by its bytes if it has one coin, and by its digest if it has many
    /// more.
    fn purse(first: u32, more: usize) -> Purse {
        Purse([first].into_iter().chain(0..more as u32).collect())
    }

    /// The hashes, which must not depend on earlier ones.
    fn checked(world: &mut World) -> BTreeMap<Arc<str>, Digest> {
        let hashes = state_hashes(world);
        world.remove_resource::<Hashed>();
        assert_eq!(state_hashes(world), hashes);
        hashes
    }

    #[test]
    fn every_change_of_what_is_saved_changes_the_hash_and_its_undoing_restores_it() {
        changed_and_restored(0);
        changed_and_restored(MAX_INLINE);
    }

    fn changed_and_restored(more: usize) {
        let mut tiny = tiny();
        tiny.setup.saves().component::<Purse>("purse");
        let (ann, mut world) = (tiny.ann, tiny.setup.world);
        let without = checked(&mut world);
        world.entity_mut(ann).insert(purse(1, more));
        let before = checked(&mut world);
        assert_eq!(state_hashes(&mut world), before);
        // No system runs between these, so no tick passes but by the hashing itself.
        world.get_mut::<Purse>(ann).unwrap().0[0] = 2;
        let two = state_hashes(&mut world);
        world.get_mut::<Purse>(ann).unwrap().0[0] = 1;
        assert_eq!(state_hashes(&mut world), before);
        world.entity_mut(ann).remove::<Purse>();
        assert_eq!(state_hashes(&mut world), without);
        world.entity_mut(ann).insert(purse(2, more));
        assert_eq!(state_hashes(&mut world), two);
        assert!(without != before && before != two && two != without);
    }
}
