//! Who speaks, as the notes of an ask tell it to minds without language.

use std::collections::BTreeMap;

use playhouse_engine::cast::WorldSeed;
use serde::Serialize;

use super::world_file::{ActorFaction, WorldFile};

/// How an actor speaks, and among whom.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Speaker<'a> {
    /// All characters, so that each has words of its own.
    cast: Vec<&'a str>,
    /// Lines as it would say them.
    lines: &'a [String],
    never: &'a [String],
    travels: bool,
    /// What it calls others when it speaks of them.
    calls: BTreeMap<&'a str, &'a str>,
    /// What its temperament is drawn from, by story and name.
    temperament: u32,
}

impl<'a> Speaker<'a> {
    pub(super) fn of(world: &'a WorldFile, name: &str) -> Self {
        let actor = world.actor(name);
        let foe = || world.foe(name).map(|foe| &foe.voice);
        let voice = actor.map(|actor| &actor.voice).or_else(foe);
        let names = world.actors.iter().map(|actor| &*actor.name);
        let calls = names.map(|name| (name, world.known_as(name)));
        Self {
            cast: world.actors.iter().map(|actor| &*actor.name).collect(),
            lines: voice.map_or(&[], |voice| &voice.lines),
            never: voice.map_or(&[], |voice| &voice.never),
            travels: !world.dungeons.is_empty()
                && actor.is_some_and(|actor| actor.faction == ActorFaction::Hero),
            calls: calls.chain(world.own_calls(name)).collect(),
            temperament: 0,
        }
    }

    /// With the temperament that it has in the story of this seed.
    pub(super) fn in_story(mut self, seed: WorldSeed, name: &str) -> Self {
        let [first, second, third, fourth, ..] = seed.mixed(&[b"temperament", name.as_bytes()]);
        self.temperament = u32::from_le_bytes([first, second, third, fourth]);
        self
    }
}
