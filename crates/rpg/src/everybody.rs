//! Who is where, read at meetings, when the whole world may be read.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{EntityName, Faction, Kind, all_of, is_dead, stage_of};
use playhouse_engine::event::{AgentEvent, write_events_at_meeting};

use super::components::HomeStage;
use super::events::News;
use super::phase::Phase;
use super::spawn::HERO;

pub(super) fn home_stages(world: &World) -> Vec<Entity> {
    let mut stages = all_of(world, Kind::Stage);
    stages.retain(|stage| world.get::<HomeStage>(*stage).is_some());
    stages
}

pub(super) fn on_stage(world: &World, stage: Entity) -> Vec<Entity> {
    let mut actors = all_of(world, Kind::Actor);
    actors.retain(|actor| stage_of(world, *actor) == Some(stage));
    actors
}

pub(super) fn living_on(world: &World, stage: Entity) -> Vec<Entity> {
    let mut living = on_stage(world, stage);
    living.retain(|actor| !is_dead(world, *actor));
    living
}

/// All heroes, fallen ones included.
pub(super) fn party(world: &World) -> Vec<Entity> {
    let is_hero = |faction: &Faction| &*faction.0 == HERO;
    let mut party = all_of(world, Kind::Actor);
    party.retain(|actor| world.get(*actor).is_some_and(is_hero));
    party
}

pub(super) fn names(world: &World, entities: &[Entity]) -> Vec<String> {
    let name = |entity: &Entity| Some(world.get::<EntityName>(*entity)?.to_string());
    entities.iter().filter_map(name).collect()
}

pub(super) fn set_phase(world: &mut World, place: Entity, phase: Phase) {
    world.entity_mut(place).insert(phase);
}

/// Informs the world agents, every home stage and the living on it.
pub(super) fn inform_home(world: &mut World, event: impl AgentEvent) {
    let mut audience = all_of(world, Kind::WorldAgent);
    for stage in home_stages(world) {
        audience.push(stage);
        audience.extend(living_on(world, stage));
    }
    write_events_at_meeting(world, |events| events.notify_entities(&audience, event));
}

/// How many people make a place public: what this many see is talked of.
pub(super) const PUBLIC: usize = 3;

/// The world agents if what happens on a stage is talked of: at home, among several people. Else
/// nobody.
pub(super) fn public_of(world: &World, stage: Entity) -> Vec<Entity> {
    let is_home = world.get::<HomeStage>(stage).is_some();
    if is_home && living_on(world, stage).len() >= PUBLIC {
        all_of(world, Kind::WorldAgent)
    } else {
        Vec::new()
    }
}

/// Informs the world agents of facts that an actor told several people on a stage, at home.
pub(super) fn publish_telling(
    world: &mut World,
    stage: Entity,
    teller: &str,
    words: &str,
    facts: &[Arc<str>],
) {
    if world.get::<HomeStage>(stage).is_none() {
        return;
    }
    let agents = all_of(world, Kind::WorldAgent);
    inform_agents(world, stage, words, &agents);
    write_events_at_meeting(world, |events| {
        for fact in facts {
            events.teach(&agents, fact, teller);
        }
    });
}

/// Informs the world agents of what was seen or heard on a stage, if it is talked of.
pub(super) fn publish(world: &mut World, stage: Entity, message: &str) {
    let agents = public_of(world, stage);
    inform_agents(world, stage, message, &agents);
}

fn inform_agents(world: &mut World, stage: Entity, message: &str, agents: &[Entity]) {
    let name = world.get::<EntityName>(stage);
    let event = News {
        stage: name.map(ToString::to_string).unwrap_or_default(),
        message: message.to_owned(),
    };
    if !agents.is_empty() {
        write_events_at_meeting(world, |events| events.notify_entities(agents, event));
    }
}
