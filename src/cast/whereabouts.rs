//! The one place that answers who is where, who is alive and who is on whose side.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use super::{Dead, EntityName, Faction, Kind, Occupants, OnStage, Place, StableId};

/// Answers who is where, who is alive, and who is on whose side. Read-only.
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
            Option<&'static Faction>,
            Has<Dead>,
            Has<Place>,
        ),
    >,
    stages: Query<'w, 's, Option<&'static Occupants>>,
}

impl Whereabouts<'_, '_> {
    /// The stage on which an entity stands; a stage stands on itself, and whoever stands on no stage
    /// is a place of its own.
    pub fn place_of(&self, entity: Entity) -> Option<Entity> {
        let (entity, .., on_stage, _, _, _) = self.cast.get(entity).ok()?;
        Some(on_stage.map_or(entity, |stage| stage.0))
    }

    /// Whether an entity is in the world and has not died.
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.cast.get(entity).is_ok_and(|(.., dead, _)| !dead)
    }

    /// What an entity is.
    pub fn kind(&self, entity: Entity) -> Option<Kind> {
        self.cast.get(entity).ok().map(|(_, _, _, kind, ..)| *kind)
    }

    /// An entity's name.
    pub fn name(&self, entity: Entity) -> Option<&EntityName> {
        self.cast.get(entity).ok().map(|(_, _, name, ..)| name)
    }

    /// An entity's name as text; empty for one that is gone.
    pub fn name_text(&self, entity: Entity) -> String {
        self.name(entity)
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    /// An entity's number.
    pub fn id(&self, entity: Entity) -> Option<StableId> {
        self.cast.get(entity).ok().map(|(_, id, ..)| *id)
    }

    /// Everybody on a stage, dead ones included, in stable order.
    pub fn on_stage(&self, stage: Entity) -> Vec<Entity> {
        let occupants = self.stages.get(stage).ok().flatten();
        let mut all: Vec<_> = occupants
            .map(|occupants| occupants.in_order())
            .unwrap_or_default()
            .iter()
            .filter_map(|entity| Some((self.id(*entity)?, *entity)))
            .collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, entity)| entity).collect()
    }

    /// The living on a stage, in stable order.
    pub fn living_on(&self, stage: Entity) -> Vec<Entity> {
        let mut all = self.on_stage(stage);
        all.retain(|entity| self.is_alive(*entity));
        all
    }

    /// All places: stages, and entities that stand on no stage, in stable order.
    pub fn places(&self) -> Vec<Entity> {
        let places = self.cast.iter().filter(|(.., place)| *place);
        let mut all: Vec<_> = places.map(|(entity, id, ..)| (*id, entity)).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, entity)| entity).collect()
    }

    /// All entities of one kind, in stable order.
    pub fn of_kind(&self, wanted: Kind) -> Vec<Entity> {
        let some = self
            .cast
            .iter()
            .filter(|(_, _, _, kind, ..)| **kind == wanted);
        let mut all: Vec<_> = some.map(|(entity, id, ..)| (*id, entity)).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, entity)| entity).collect()
    }

    /// Whether two entities are on the same side; whoever has no camp is on nobody's.
    pub fn same_side(&self, one: Entity, other: Entity) -> bool {
        let camp = |entity| {
            self.cast
                .get(entity)
                .ok()
                .and_then(|(_, _, _, _, _, camp, ..)| camp)
        };
        camp(one).is_some() && camp(one) == camp(other)
    }

    /// The living on the same stage who are on the other side, in stable order.
    pub fn foes_of(&self, entity: Entity) -> Vec<Entity> {
        let mut others = self.companions(entity);
        others.retain(|other| !self.same_side(entity, *other));
        others
    }

    /// The living on the same stage who are on the same side, without the entity, in stable order.
    pub fn allies_of(&self, entity: Entity) -> Vec<Entity> {
        let mut others = self.companions(entity);
        others.retain(|other| self.same_side(entity, *other));
        others
    }

    fn companions(&self, entity: Entity) -> Vec<Entity> {
        let stage = self.place_of(entity);
        let mut others = stage.map(|stage| self.living_on(stage)).unwrap_or_default();
        others.retain(|other| *other != entity);
        others
    }
}
