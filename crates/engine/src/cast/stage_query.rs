//! The occupants of the stage whose step runs, for game systems.

use bevy_ecs::prelude::*;
use bevy_ecs::query::{IterQueryData, QueryData, QueryFilter, QueryItem};
use bevy_ecs::system::SystemParam;

use super::{CurrentStage, Occupants, StableId};

/// A query over the occupants of the place whose step runs, in stable order. An entity on no stage
/// is its own only occupant. Use it in steps instead of a plain query.
#[derive(SystemParam)]
pub struct StageQuery<'w, 's, D: QueryData + 'static, F: QueryFilter + 'static = ()> {
    current: Res<'w, CurrentStage>,
    stages: Query<'w, 's, &'static Occupants>,
    ids: Query<'w, 's, &'static StableId>,
    query: Query<'w, 's, D, F>,
}

impl<'s, D: QueryData + IterQueryData + 'static, F: QueryFilter + 'static>
    StageQuery<'_, 's, D, F>
{
    /// The stage, or the entity on no stage; `None` at a meeting.
    pub fn stage(&self) -> Option<Entity> {
        match *self.current {
            CurrentStage::Place(place) => Some(place),
            CurrentStage::Meeting => None,
        }
    }

    /// The occupants that the query matches, in stable order.
    pub fn entities(&self) -> Vec<Entity> {
        let Some(stage) = self.stage() else {
            return Vec::new();
        };
        let occupants = match self.stages.get(stage) {
            Ok(occupants) => occupants.in_order(),
            Err(_) => std::slice::from_ref(&stage),
        };
        let mut numbered: Vec<_> = occupants
            .iter()
            .filter(|entity| self.query.contains(**entity))
            .filter_map(|entity| Some((*self.ids.get(*entity).ok()?, *entity)))
            .collect();
        numbered.sort_unstable_by_key(|(id, _)| *id);
        numbered.into_iter().map(|(_, entity)| entity).collect()
    }

    /// Calls `act` for each of these occupants, in stable order.
    pub fn each(&mut self, mut act: impl FnMut(Entity, QueryItem<'_, '_, D>)) {
        for entity in self.entities() {
            if let Ok(item) = self.query.get_mut(entity) {
                act(entity, item);
            }
        }
    }

    /// The item of one entity, wherever it is.
    pub fn get(&self, entity: Entity) -> Option<QueryItem<'_, 's, D::ReadOnly>> {
        self.query.get(entity).ok()
    }

    /// The mutable item of one entity, wherever it is.
    pub fn get_mut(&mut self, entity: Entity) -> Option<QueryItem<'_, 's, D>> {
        self.query.get_mut(entity).ok()
    }
}
