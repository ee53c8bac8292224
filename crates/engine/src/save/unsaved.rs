//! Which parts of a game's own a save lacks, since nobody said that they are saved.

use std::any::TypeId;
use std::collections::BTreeSet;

use bevy_ecs::change_detection::Tick;
use bevy_ecs::component::{ComponentId, ComponentInfo};
use bevy_ecs::prelude::*;

use super::registry::SaveRegistry;
use crate::cast::CastList;

/// How the names of types begin that the engine, its games and the ECS look after themselves.
const OURS: [&str; 2] = ["bevy_ecs::", "playhouse_"];

/// When the systems of a world began to run.
#[derive(Resource, Clone, Copy)]
pub(crate) struct SetUpAt(pub(crate) Tick);

/// The names of the types that a save of this world lacks: components of entities of the cast, and
/// resources that systems changed. When it is loaded, they are gone. The first time that a save
/// lacks one, a warning says so; a test can be strict:
///
/// ```
/// use playhouse_engine::prelude::*;
/// use playhouse_engine::save::unsaved;
///
/// #[derive(Component, Serialize, Deserialize)]
/// struct Coins(u32);
///
/// let mut setup = Setup::new(1);
/// setup.spawn_stage("Mill", "You are a mill.")?;
/// let alda = setup.spawn_actor("Alda", "Mill", "You are Alda.")?;
/// setup.world.entity_mut(alda).insert(Coins(3));
/// assert!(unsaved(&setup.world)[0].ends_with("Coins"));
///
/// setup.saves().component::<Coins>("coins");
/// assert!(unsaved(&setup.world).is_empty());
/// # Ok::<(), playhouse_engine::cast::CastError>(())
/// ```
pub fn unsaved(world: &World) -> Vec<String> {
    let types = unsaved_types(world);
    types.map(|(info, _)| info.name().to_string()).collect()
}

/// Says once of each type what to write, so that it is saved: in the log, or, if nobody has set one
/// up, on standard error.
#[expect(
    clippy::print_stderr,
    reason = "whoever makes a game without a log would never know"
)]
pub(super) fn warn_of_unsaved(world: &World) {
    let Some(registry) = world.get_resource::<SaveRegistry>() else {
        return;
    };
    for (info, kind) in unsaved_types(world) {
        if info.type_id().is_some_and(|id| registry.names_first(id)) {
            let (name, short) = (info.name(), info.name().shortname().to_string());
            let id = short.to_lowercase();
            let words = format!(
                "the {kind} {name} is not saved, and will be gone when the story is loaded; write \
                 `setup.saves().{kind}::<{short}>(\"{id}\")`, or, if it need not be saved, \
                 `setup.saves().not_saved::<{short}>()`"
            );
            if tracing::dispatcher::has_been_set() {
                tracing::warn!("{words}");
            } else {
                eprintln!("warning: {words}");
            }
        }
    }
}

/// What a save of a world lacks, each a `component` or a `resource`, in the order of their types'
/// numbers.
fn unsaved_types(world: &World) -> impl Iterator<Item = (&ComponentInfo, &'static str)> {
    let of_cast = components_of_cast(world).into_iter();
    let of_cast = of_cast.map(|id| (id, "component"));
    let changed = changed_resources(world).map(|id| (id, "resource"));
    let infos = of_cast
        .chain(changed)
        .filter_map(move |(id, kind)| Some((world.components().get_info(id)?, kind)));
    infos.filter(move |(info, _)| is_unsaved(world, info))
}

fn is_unsaved(world: &World, info: &ComponentInfo) -> bool {
    let name = info.name().to_string();
    let is_ours = OURS.iter().any(|ours| name.starts_with(ours));
    let registry = world.get_resource::<SaveRegistry>();
    let is_known = |id: TypeId| registry.is_some_and(|registry| registry.knows(id));
    !is_ours && !info.type_id().is_none_or(is_known)
}

fn components_of_cast(world: &World) -> BTreeSet<ComponentId> {
    let cast = world.get_resource::<CastList>();
    let cast = cast.into_iter().flat_map(CastList::all);
    cast.filter_map(|(_, entity)| world.get_entity(entity).ok())
        .flat_map(|entity| entity.archetype().components().to_vec())
        .collect()
}

/// The resources that changed since the systems began to run. Others are there again once the game
/// is set up.
fn changed_resources(world: &World) -> impl Iterator<Item = ComponentId> {
    let since = world.get_resource::<SetUpAt>().copied();
    let now = world.read_change_tick();
    let resources = world.resource_entities().iter();
    let changed = resources.filter(move |(id, entity)| {
        let entity = world.get_entity(*entity).ok();
        let ticks = entity.and_then(|entity| entity.get_change_ticks_by_id(*id));
        let both = ticks.zip(since);
        both.is_some_and(|(ticks, since)| ticks.is_changed(since.0, now))
    });
    changed.map(|(id, _)| id)
}
