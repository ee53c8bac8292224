//! The occupants of the stage that steps, for game systems.

use bevy_ecs::prelude::*;
use bevy_ecs::query::{IterQueryData, QueryData, QueryFilter, QueryItem};
use bevy_ecs::system::SystemParam;

use super::{CurrentStage, Occupants, StableId};

/// The occupants of the place that steps, in stable order, with what a system wants of them. A place
/// that is no stage has itself as its only occupant. Use it instead of a bare query in every step.
#[derive(SystemParam)]
pub struct StageQuery<'w, 's, D: QueryData + 'static, F: QueryFilter + 'static = ()> {
    here: Res<'w, CurrentStage>,
    stages: Query<'w, 's, &'static Occupants>,
    ids: Query<'w, 's, &'static StableId>,
    query: Query<'w, 's, D, F>,
}

impl<'s, D: QueryData + IterQueryData + 'static, F: QueryFilter + 'static>
    StageQuery<'_, 's, D, F>
{
    /// The stage, or the entity that stands on none; nothing at the meeting.
    pub fn stage(&self) -> Option<Entity> {
        match *self.here {
            CurrentStage::Place(place) => Some(place),
            CurrentStage::Meeting => None,
        }
    }

    /// Those occupants whom the query matches, in stable order.
    pub fn entities(&self) -> Vec<Entity> {
        let Some(stage) = self.stage() else {
            return Vec::new();
        };
        let here = match self.stages.get(stage) {
            Ok(occupants) => occupants.in_order(),
            Err(_) => std::slice::from_ref(&stage),
        };
        let mut all: Vec<_> = here
            .iter()
            .filter(|entity| self.query.contains(**entity))
            .filter_map(|entity| Some((*self.ids.get(*entity).ok()?, *entity)))
            .collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, entity)| entity).collect()
    }

    /// Calls `act` for each of them, in stable order.
    pub fn each(&mut self, mut act: impl FnMut(Entity, QueryItem<'_, '_, D>)) {
        for entity in self.entities() {
            if let Ok(item) = self.query.get_mut(entity) {
                act(entity, item);
            }
        }
    }

    /// What the query holds for one entity, wherever it stands.
    pub fn get(&self, entity: Entity) -> Option<QueryItem<'_, 's, D::ReadOnly>> {
        self.query.get(entity).ok()
    }

    /// What the query holds for one entity, to change.
    pub fn get_mut(&mut self, entity: Entity) -> Option<QueryItem<'_, 's, D>> {
        self.query.get_mut(entity).ok()
    }
}
