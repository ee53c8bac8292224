//! Those who have left the story.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CastList, Occupants, OnStage, Place};

/// How an entity left the story. Queries don't find it any more, but what it remembers, knows and
/// has spent stays.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[component(immutable, on_insert = leave_cast)]
#[require(Disabled)]
#[serde(rename_all = "snake_case")]
pub enum Gone {
    Fell,
    Fled,
    Yielded,
    Left,
}

impl Gone {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fell => "fell",
            Self::Fled => "fled",
            Self::Yielded => "yielded",
            Self::Left => "left",
        }
    }
}

/// Takes an entity out of the story. Its name can be used again, its number can't. The actors on a
/// stage that is dismissed stay in the story, on no stage.
pub fn dismiss(world: &mut World, entity: Entity, how: Gone) {
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        entity.remove::<(OnStage, Occupants)>();
        entity.remove::<Place>().insert(how);
    }
}

fn leave_cast(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut list) = world.get_resource_mut::<CastList>() {
        list.dismiss(context.entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::{EntityName, Kind, spawn};
    use crate::context::AgentContext;
    use crate::exchange::{Ledger, Spent, ledgers};
    use crate::save::{Meta, restore, snapshot};
    use crate::testing::{spawn_spec, tiny};

    #[test]
    fn what_somebody_remembers_and_has_spent_outlives_its_leaving() {
        let mut tiny = tiny();
        let ann = tiny.ann;
        let world = tiny.world();
        let mut ledger = Ledger::default();
        let spent = Spent {
            calls: 5,
            ..Spent::default()
        };
        ledger.book("home.plan", spent);
        world.entity_mut(ann).insert(ledger);
        dismiss(world, ann, Gone::Fled);
        assert_eq!(world.resource::<CastList>().by_name("Ann"), None);
        spawn(world, spawn_spec("Ann", Kind::Actor, Some("Hall"))).unwrap();
        let meta = Meta {
            world: "tiny".into(),
            data: "tiny".into(),
        };
        let saved = snapshot(world, &meta).unwrap();
        let mut other = crate::engine::Setup::new(1);
        restore(&mut other.world, &saved, None).unwrap();
        for world in [world, &mut other.world] {
            let spent = ledgers(world).map(|(_, ledger)| ledger.total().calls);
            assert_eq!(spent.sum::<u64>(), 5);
            let everybody = world.resource::<CastList>().everybody().into_iter();
            let named = everybody.filter_map(|(_, entity)| {
                let entity = world.entity(entity);
                let (name, context) = (entity.get::<EntityName>()?, entity.get::<AgentContext>()?);
                let how = entity.get::<Gone>().copied();
                (*name.0 == *"Ann").then_some((how, context.len()))
            });
            let named: Vec<_> = named.collect();
            assert_eq!(named, [(Some(Gone::Fled), 1), (None, 1)]);
            assert_eq!(world.query::<&AgentContext>().iter(world).count(), 3);
        }
    }
}
