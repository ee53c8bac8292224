//! Tells where entities are, and whether they are alive.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use super::{Dead, EntityName, Kind, Occupants, OnStage, Place, StableId};

/// Tells where entities are, and whether they are alive. Read-only.
#[derive(SystemParam)]
pub struct Whereabouts<'w, 's> {
    cast: Query<
        'w,
        's,
        (
            Entity,
            &'static StableId,
            &'static EntityName,
            &'static Kind,
            Option<&'static OnStage>,
            Has<Dead>,
            Has<Place>,
        ),
    >,
    stages: Query<'w, 's, Option<&'static Occupants>>,
}

impl Whereabouts<'_, '_> {
    /// The stage that an entity is on. A stage, or an entity on no stage, is its own place.
    pub fn place_of(&self, entity: Entity) -> Option<Entity> {
        let (entity, .., on_stage, _, _) = self.cast.get(entity).ok()?;
        Some(on_stage.map_or(entity, |stage| stage.0))
    }

    /// Whether an entity exists and is not [`Dead`].
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.cast.get(entity).is_ok_and(|(.., dead, _)| !dead)
    }

    pub fn kind(&self, entity: Entity) -> Option<Kind> {
        self.cast.get(entity).ok().map(|(_, _, _, kind, ..)| *kind)
    }

    pub fn name(&self, entity: Entity) -> Option<&EntityName> {
        self.cast.get(entity).ok().map(|(_, _, name, ..)| name)
    }

    /// An entity's name as text; empty if the entity does not exist.
    pub fn name_text(&self, entity: Entity) -> String {
        self.name(entity)
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    pub fn id(&self, entity: Entity) -> Option<StableId> {
        self.cast.get(entity).ok().map(|(_, id, ..)| *id)
    }

    /// All actors on a stage, including the dead, in stable order.
    pub fn on_stage(&self, stage: Entity) -> Vec<Entity> {
        let occupants = self
            .stages
            .get(stage)
            .ok()
            .flatten()
            .map(Occupants::in_order)
            .unwrap_or_default();
        let numbered = occupants
            .iter()
            .filter_map(|entity| Some((self.id(*entity)?, *entity)));
        sorted(numbered)
    }

    /// The living actors on a stage, in stable order.
    pub fn living_on(&self, stage: Entity) -> Vec<Entity> {
        let mut living = self.on_stage(stage);
        living.retain(|entity| self.is_alive(*entity));
        living
    }

    /// All places (stages, and entities on no stage), in stable order.
    pub fn places(&self) -> Vec<Entity> {
        let places = self.cast.iter().filter(|(.., place)| *place);
        sorted(places.map(|(entity, id, ..)| (*id, entity)))
    }

    /// All entities of one kind, in stable order.
    pub fn of_kind(&self, wanted: Kind) -> Vec<Entity> {
        let cast = self.cast.iter();
        let of_kind = cast.filter(|(_, _, _, kind, ..)| **kind == wanted);
        sorted(of_kind.map(|(entity, id, ..)| (*id, entity)))
    }
}

fn sorted(numbered: impl Iterator<Item = (StableId, Entity)>) -> Vec<Entity> {
    let mut numbered: Vec<_> = numbered.collect();
    numbered.sort_unstable_by_key(|(id, _)| *id);
    numbered.into_iter().map(|(_, entity)| entity).collect()
}
