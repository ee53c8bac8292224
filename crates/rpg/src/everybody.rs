//! Who is where, read at meetings, when the whole world may be read.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    CastList, EntityName, Exits, Faction, Kind, all_of, is_dead, name_of, stage_of,
};
use playhouse_engine::event::{AgentEvent, write_events_at_meeting};

use super::components::{Arriving, Foe, HomeStage, RpgWorld};
use super::events::News;
use super::phase::Phase;
use super::scenes::open::OpenScene;
use super::spawn::HERO;
use crate::drama::{Scene, StoryData};

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

/// The world agents if what so many witness on a stage is talked of: at home, among more than half
/// of all people, unless the place or the scene there is private. Else nobody.
pub(super) fn public_of(world: &World, stage: Entity, witnesses: usize) -> Vec<Entity> {
    let is_person = |actor: &Entity| !is_dead(world, *actor) && world.get::<Foe>(*actor).is_none();
    let people = all_of(world, Kind::Actor).into_iter().filter(is_person);
    let is_home = world.get::<HomeStage>(stage).is_some();
    if is_home && witnesses * 2 > people.count() && !is_private(world, stage) {
        all_of(world, Kind::WorldAgent)
    } else {
        Vec::new()
    }
}

fn is_private(world: &World, stage: Entity) -> bool {
    let scene = open_scene_of(world, stage);
    let is_kept = scene.is_some_and(|scene| scene.private || !scene.among.is_empty());
    let place = world.resource::<RpgWorld>().0.stage(&name_of(world, stage));
    is_kept || place.is_some_and(|place| place.private)
}

/// The scene that is played on a stage.
pub(super) fn open_scene_of(world: &World, stage: Entity) -> Option<&Scene> {
    let open = world.get::<OpenScene>(stage)?;
    world.resource::<StoryData>().scene(&open.id)
}

/// What keeps somebody from coming to a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptBy<'w> {
    /// A scene elsewhere that needs it, by its id.
    Scene(&'w str),
    /// It is dead, on a journey, or no open way leads there.
    Distance,
}

/// What keeps somebody from coming to a stage, if anything does.
pub(super) fn kept_from<'w>(world: &'w World, who: &str, to: &str) -> Option<KeptBy<'w>> {
    let list = world.resource::<CastList>();
    let (Some(actor), Some(to)) = (list.by_name(who), list.by_name(to)) else {
        return Some(KeptBy::Distance);
    };
    let Some(from) = stage_of(world, actor).filter(|_| !is_dead(world, actor)) else {
        return Some(KeptBy::Distance);
    };
    if from == to {
        return None;
    }
    let scene = open_scene_of(world, from).filter(|scene| scene.needs(who));
    let is_near = world.get::<HomeStage>(from).is_some() && leads(world, from, to);
    let distance = (!is_near).then_some(KeptBy::Distance);
    scene.map(|scene| KeptBy::Scene(&scene.id)).or(distance)
}

/// Whether open ways lead from one stage to another.
fn leads(world: &World, from: Entity, to: Entity) -> bool {
    let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(stage) = open.pop() {
        let exits = world
            .get::<Exits>(stage)
            .into_iter()
            .flat_map(|exits| &exits.0);
        let next = exits.filter_map(|id| world.resource::<CastList>().by_id(*id));
        open.extend(next.filter(|stage| reached.insert(*stage)));
    }
    reached.contains(&to)
}

/// Those on a stage who are there already and take part in the scene that is played there, if there
/// is one.
pub(super) fn participants(world: &World, stage: Entity) -> Vec<Entity> {
    let scene = open_scene_of(world, stage);
    let takes_part = |actor: &Entity| scene.is_none_or(|it| it.is_for(&name_of(world, *actor)));
    let mut living = living_on(world, stage);
    living.retain(|actor| takes_part(actor) && world.get::<Arriving>(*actor).is_none());
    living
}

/// Informs the world agents of facts that an actor told so many on a stage, if that is talked of.
pub(super) fn publish_telling(
    world: &mut World,
    (stage, witnesses): (Entity, usize),
    teller: &str,
    words: &str,
    facts: &[Arc<str>],
) {
    let agents = public_of(world, stage, witnesses);
    inform_agents(world, stage, words, &agents);
    write_events_at_meeting(world, |events| {
        for fact in facts {
            events.teach(&agents, fact, teller);
        }
    });
}

/// Informs the world agents of what was seen or heard on a stage, if it is talked of.
pub(super) fn publish(world: &mut World, stage: Entity, message: &str) {
    let agents = public_of(world, stage, living_on(world, stage).len());
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
