//! The world as the caller of a tool may see it.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::cast::{
    Appearance, CastList, EntityName, Exits, Occupants, Sense, Senses, StableId, WorldSeed,
    is_dead, name_by_id, place_of,
};
use crate::context::{AgentContext, Chapters};
use crate::message::Language;

/// Who calls a tool, and what a pure tool may see of the world: the caller itself, its place as
/// anybody there sees it, its memory, and data that is open to it. None of it changes while the ask
/// is open, so a tool's result does not depend on timing.
pub struct ToolCaller<'w> {
    world: &'w World,
    entity: Entity,
    /// Ask, round and call: which call of the entity's life this is.
    call: [u32; 3],
}

/// An entity that the caller sees.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Present {
    pub name: Arc<str>,
    /// What others see of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Arc<str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dead: bool,
}

impl<'w> ToolCaller<'w> {
    /// The caller of one call: of which ask (from 1), in which of its rounds (from 0), and the
    /// index of the call in that round.
    pub fn new(world: &'w World, entity: Entity, ask: u32, round: u32, call: u32) -> Self {
        Self {
            world,
            entity,
            call: [ask, round, call],
        }
    }

    pub fn name(&self) -> Arc<str> {
        self.name_of(self.entity)
    }

    pub fn language(&self) -> Language {
        let language = self.world.get_resource::<Language>();
        language.copied().unwrap_or_default()
    }

    pub fn context(&self) -> Option<&'w AgentContext> {
        self.own()
    }

    /// The caller's closed chapters.
    pub fn chapters(&self) -> Option<&'w Chapters> {
        self.own()
    }

    pub fn own<C: Component>(&self) -> Option<&'w C> {
        self.world.get(self.entity)
    }

    /// A component of the caller's place. A tool must not return what is not public there.
    pub fn of_place<C: Component>(&self) -> Option<&'w C> {
        self.world.get(self.place())
    }

    /// Data that never changes while the world runs, such as a world file or a book of lore. A tool
    /// must return only what is open to the caller.
    pub fn data<R: Resource>(&self) -> Option<&'w R> {
        self.world.get_resource()
    }

    /// The name of a place by its stable number.
    pub(super) fn place_with_id(&self, id: u32) -> Option<Arc<str>> {
        name_by_id(self.world, id)
    }

    /// The name of the caller's place; its own if it is a place itself.
    pub fn place_name(&self) -> Arc<str> {
        self.name_of(self.place())
    }

    /// What anybody there sees of the caller's place; `None` if the caller sees nothing.
    pub fn place_look(&self) -> Option<Arc<str>> {
        self.look_of(self.place())
    }

    fn look_of(&self, entity: Entity) -> Option<Arc<str>> {
        let senses = self.data::<Senses>();
        let sees = senses.is_none_or(|senses| senses.has(&self.name(), Sense::Sight));
        let look = self.world.get::<Appearance>(entity).filter(|_| sees);
        look.map(|look| look.0.clone())
    }

    /// Who else is at the caller's place, in order of arrival.
    pub fn present(&self) -> Vec<Present> {
        let occupants = self
            .of_place::<Occupants>()
            .map(Occupants::in_order)
            .unwrap_or_default();
        let others = occupants.iter().filter(|entity| **entity != self.entity);
        others
            .map(|entity| Present {
                name: self.name_of(*entity),
                look: self.look_of(*entity),
                dead: is_dead(self.world, *entity),
            })
            .collect()
    }

    /// Where one can go from the caller's place.
    pub fn exits(&self) -> Vec<Arc<str>> {
        let exits = self.of_place::<Exits>().map_or(&[][..], |exits| &exits.0);
        let list = self.world.get_resource::<CastList>();
        let place = |id: &StableId| list?.by_id(*id);
        exits
            .iter()
            .filter_map(place)
            .map(|place| self.name_of(place))
            .collect()
    }

    /// A random stream for this call alone, from world seed, place, caller, ask and call.
    pub fn stream(&self, purpose: &str) -> ChaCha8Rng {
        let seed = self.world.get_resource::<WorldSeed>().copied();
        let id = |entity| self.world.get::<StableId>(entity).map_or(0, |id| id.0);
        let (place, caller) = (id(self.place()), id(self.entity));
        let [ask, round, call] = self.call;
        let numbers = [place, caller, ask, round, call].map(u32::to_le_bytes);
        let mixed =
            seed.unwrap_or_default()
                .mixed(&[b"tool", numbers.as_flattened(), purpose.as_bytes()]);
        ChaCha8Rng::from_seed(mixed)
    }

    fn place(&self) -> Entity {
        place_of(self.world, self.entity)
    }

    fn name_of(&self, entity: Entity) -> Arc<str> {
        let name = self.world.get::<EntityName>(entity);
        name.map(|name| name.0.clone()).unwrap_or_default()
    }
}
