//! The world as a tool's asker may see it.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::cast::{
    Appearance, CastList, Dead, EntityName, Exits, Occupants, OnStage, StableId, WorldSeed,
};
use crate::context::{AgentContext, Chapters};
use crate::message::Language;

/// Who calls a tool, and what a tool may see of the world for it: the asker itself, its own place as
/// anybody there sees it, its memory, and what is on neither but open to it by name. Nothing of this
/// changes while the ask is open, so that a tool's result does not depend on timing.
pub struct ToolCaller<'w> {
    world: &'w World,
    entity: Entity,
    /// Ask, round and call: which call of its life this is.
    call: [u32; 3],
}

/// Somebody whom the asker sees.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Present {
    /// Its name.
    pub name: Arc<str>,
    /// What others see of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Arc<str>>,
    /// Whether it lies dead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dead: bool,
}

impl<'w> ToolCaller<'w> {
    /// The view of an entity in one call: of which ask (from 1), in which round of it and at which place
    /// among the calls of the round (from 0).
    pub fn new(world: &'w World, entity: Entity, ask: u32, round: u32, call: u32) -> Self {
        Self {
            world,
            entity,
            call: [ask, round, call],
        }
    }

    /// The asker's name.
    pub fn name(&self) -> Arc<str> {
        self.name_of(self.entity)
    }

    /// The language of the world.
    pub fn language(&self) -> Language {
        let language = self.world.get_resource::<Language>();
        language.copied().unwrap_or_default()
    }

    /// What the asker remembers.
    pub fn context(&self) -> Option<&'w AgentContext> {
        self.own()
    }

    /// The asker's closed chapters.
    pub fn chapters(&self) -> Option<&'w Chapters> {
        self.own()
    }

    /// A component of the asker.
    pub fn own<C: Component>(&self) -> Option<&'w C> {
        self.world.get(self.entity)
    }

    /// A component of the asker's place. A tool must not tell what is not public there.
    pub fn of_place<C: Component>(&self) -> Option<&'w C> {
        self.world.get(self.place())
    }

    /// Data that never changes while the world runs, such as a world file or a book of lore. A tool must
    /// tell of it only what is open to the asker.
    pub fn data<R: Resource>(&self) -> Option<&'w R> {
        self.world.get_resource()
    }

    /// The name of the asker's place; its own where it is a place itself.
    pub fn place_name(&self) -> Arc<str> {
        self.name_of(self.place())
    }

    /// What anybody there sees of the asker's place.
    pub fn place_look(&self) -> Option<Arc<str>> {
        self.of_place::<Appearance>().map(|look| look.0.clone())
    }

    /// Who else is at the asker's place, in order of arrival.
    pub fn present(&self) -> Vec<Present> {
        let occupants = self.of_place::<Occupants>();
        let all = occupants.map(Occupants::in_order).unwrap_or_default();
        let others = all.iter().filter(|other| **other != self.entity);
        others
            .map(|other| Present {
                name: self.name_of(*other),
                look: self
                    .world
                    .get::<Appearance>(*other)
                    .map(|look| look.0.clone()),
                dead: self.world.get::<Dead>(*other).is_some(),
            })
            .collect()
    }

    /// Where one can go from the asker's place.
    pub fn exits(&self) -> Vec<Arc<str>> {
        let exits = self.of_place::<Exits>();
        let exits = exits.map(|exits| exits.0.as_slice()).unwrap_or_default();
        let list = self.world.get_resource::<CastList>();
        let place = |id: &StableId| list?.by_id(*id);
        exits
            .iter()
            .filter_map(place)
            .map(|place| self.name_of(place))
            .collect()
    }

    /// Randomness of this very call: a stream from world seed, place, asker and call, whatever else
    /// is going on.
    pub fn stream(&self, purpose: &str) -> ChaCha8Rng {
        let seed = self.world.get_resource::<WorldSeed>().copied();
        let id = |entity| self.world.get::<StableId>(entity).map_or(0, |id| id.0);
        let (place, asker) = (id(self.place()), id(self.entity));
        let [ask, round, call] = self.call;
        let numbers = [place, asker, ask, round, call].map(u32::to_le_bytes);
        let mixed =
            seed.unwrap_or_default()
                .mixed(&[b"tool", numbers.as_flattened(), purpose.as_bytes()]);
        ChaCha8Rng::from_seed(mixed)
    }

    fn place(&self) -> Entity {
        let stage = self.world.get::<OnStage>(self.entity);
        stage.map_or(self.entity, |stage| stage.0)
    }

    fn name_of(&self, entity: Entity) -> Arc<str> {
        let name = self.world.get::<EntityName>(entity);
        name.map(|name| name.0.clone()).unwrap_or_default()
    }
}
