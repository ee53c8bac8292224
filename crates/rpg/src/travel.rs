//! Moving between stages, strangers who meet, and places seen for the first time.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    Appearance, CastList, EntityName, Kind, Occupants, OnStage, is_dead, name_of, stage_of,
};
use playhouse_engine::event::kinds::{Arrive, Leave, Sighting};
use playhouse_engine::event::{change_at, write_events_at_meeting};

use super::components::{Acquaintances, Arriving, Placed};
use super::everybody::names;

/// Moves an actor with a party at a meeting; the event of the journey tells everybody concerned.
/// Strangers see each other. Does nothing if the actor is there already.
pub(super) fn travel(world: &mut World, actor: Entity, to: Entity) {
    if put_on_stage(world, actor, to) {
        show(world, to, actor);
        introduce(world, actor, to);
    }
}

/// Moves an actor at a meeting to the stage of this name.
pub(super) fn travel_to(world: &mut World, actor: Entity, stage: &str) {
    if let Some(stage) = world.resource::<CastList>().by_name(stage) {
        travel(world, actor, stage);
    }
}

/// Moves actors at a meeting who chose to walk together. Those whom they left have seen them go;
/// those where they arrive are told.
pub(super) fn walk(world: &mut World, actors: &[Entity], to: Entity) {
    let mut walking = Vec::new();
    let mut left = None;
    for actor in actors.iter().copied() {
        if let Some(from) = leave_for(world, actor, to) {
            world.entity_mut(actor).remove::<Placed>();
            walking.push(actor);
            left = Some(from);
        }
    }
    if let Some(from) = left {
        change_at(world, Some(to), |world| {
            tell_of_arrival(world, &walking, [from, to])
        });
    }
}

/// Moves actors at a meeting who did not choose to. They, those whom they left and those where they
/// arrive are told.
pub(super) fn send(world: &mut World, actors: &[Entity], to: Entity) {
    set_off(world, actors, to);
    change_at(world, Some(to), |world| arrive(world, actors));
}

/// Moves actors as [`send`], who perceive nothing where they are sent, and are not seen there,
/// before they [`arrive`].
pub(super) fn set_off(world: &mut World, actors: &[Entity], to: Entity) {
    let mut leaving = Vec::new();
    for actor in actors.iter().copied() {
        // Nobody saw it come who has not arrived.
        let is_seen = world.get::<Arriving>(actor).is_none();
        if let Some(from) = leave_for(world, actor, to) {
            let place = Arriving(name_of(world, from).into());
            world.entity_mut(actor).insert(place);
            add_to(&mut leaving, (from, is_seen), actor);
        }
    }
    for ((from, is_seen), actors) in leaving {
        let mut left = vec![from];
        if let Some(first) = actors.first().filter(|_| is_seen) {
            let others = others_on(world, from, *first).into_iter();
            left.extend(others.filter(|who| world.get::<Arriving>(*who).is_none()));
        }
        let mut names = names(world, &actors).into_iter();
        let leave = Leave {
            actor: names.next().unwrap_or_default(),
            along: names.collect(),
            stage: name_of(world, from),
            to: name_of(world, to),
        };
        write_events_at_meeting(world, |events| events.notify_entities(&left, leave));
    }
}

/// Of these, those who have set off arrive where they are. At a meeting.
pub(super) fn arrive(world: &mut World, actors: &[Entity]) {
    let mut arriving = Vec::new();
    for actor in actors.iter().copied() {
        let from = world.get::<Arriving>(actor);
        let from = from.and_then(|Arriving(from)| world.resource::<CastList>().by_name(from));
        if let Some((from, to)) = from.zip(stage_of(world, actor)) {
            add_to(&mut arriving, [from, to], actor);
        }
    }
    for (way, mut actors) in arriving {
        for actor in &actors {
            world.entity_mut(*actor).remove::<Arriving>();
        }
        actors.retain(|actor| !is_dead(world, *actor));
        if !actors.is_empty() {
            tell_of_arrival(world, &actors, way);
        }
    }
}

/// Puts an actor to those who go the same way.
fn add_to<Way: PartialEq>(groups: &mut Vec<(Way, Vec<Entity>)>, way: Way, actor: Entity) {
    match groups.iter_mut().find(|(other, _)| *other == way) {
        Some((_, actors)) => actors.push(actor),
        None => groups.push((way, vec![actor])),
    }
}

/// Puts an actor on a stage; returns which it has left, if it was elsewhere.
fn leave_for(world: &mut World, actor: Entity, to: Entity) -> Option<Entity> {
    let from = stage_of(world, actor)?;
    put_on_stage(world, actor, to).then_some(from)
}

/// Tells actors who have arrived together and everybody there that they come. Strangers see each
/// other.
fn tell_of_arrival(world: &mut World, actors: &[Entity], [from, to]: [Entity; 2]) {
    let mut names = names(world, actors).into_iter();
    let arrive = Arrive {
        actor: names.next().unwrap_or_default(),
        along: names.collect(),
        stage: name_of(world, to),
        from: name_of(world, from),
    };
    write_events_at_meeting(world, |events| events.broadcast_to_stage(to, arrive, &[]));
    for actor in actors {
        show(world, to, *actor);
        introduce(world, *actor, to);
    }
}

/// Whether the actor was moved: it was elsewhere, and `to` is a stage.
fn put_on_stage(world: &mut World, actor: Entity, to: Entity) -> bool {
    let is_there = stage_of(world, actor) == Some(to);
    let moves = !is_there && world.get::<Kind>(to) == Some(&Kind::Stage);
    if moves {
        world.entity_mut(actor).insert(OnStage(to));
    }
    moves
}

/// Makes these people known to each other, and these places to them, as those are who live
/// together, except those who have `never_met`. Only observers are shown how people look.
pub(super) fn acquaint(
    world: &mut World,
    people: &[Entity],
    places: &[Entity],
    never_met: &[(&str, &str)],
) {
    let named = |entity: &Entity| Some((*entity, world.get::<EntityName>(*entity)?.0.clone()));
    let names: Vec<(Entity, Arc<str>)> = people.iter().filter_map(named).collect();
    let places: Vec<_> = places.iter().filter_map(named).collect();
    for (person, own_name) in &names {
        let is_stranger = |name: &Arc<str>| {
            let mut pairs = never_met.iter();
            pairs.any(|(from, to)| **own_name == **from && **name == **to)
        };
        if let Some(mut known) = world.get_mut::<Acquaintances>(*person) {
            let others = names
                .iter()
                .filter(|(other, _)| other != person)
                .chain(&places)
                .map(|(_, name)| name);
            let met = others.filter(|name| !is_stranger(name));
            known.0.extend(met.cloned());
        }
        if let Some(sighting) = sighting(world, *person) {
            write_events_at_meeting(world, |events| events.notify_entities(&[], sighting));
        }
    }
}

/// Those on a stage who have not met the actor see it, and it sees them.
pub(super) fn introduce(world: &mut World, actor: Entity, stage: Entity) {
    for other in others_on(world, stage, actor) {
        show(world, actor, other);
        show(world, other, actor);
    }
}

/// The living on a stage, without an actor.
fn others_on(world: &World, stage: Entity, actor: Entity) -> Vec<Entity> {
    let occupants = world.get::<Occupants>(stage);
    let mut others = occupants.map_or(Vec::new(), |occupants| occupants.in_order().to_vec());
    others.retain(|other| *other != actor && !is_dead(world, *other));
    others
}

/// Shows the appearance of an actor or a place to one who has not seen it.
fn show(world: &mut World, seen: Entity, to: Entity) {
    let Some(sighting) = sighting(world, seen) else {
        return;
    };
    let acquaintances = world.get_mut::<Acquaintances>(to);
    let is_new =
        acquaintances.is_some_and(|mut known| known.0.insert(sighting.actor.as_str().into()));
    if is_new {
        write_events_at_meeting(world, |events| events.notify_entities(&[to], sighting));
    }
}

fn sighting(world: &World, seen: Entity) -> Option<Sighting> {
    Some(Sighting {
        actor: world.get::<EntityName>(seen)?.to_string(),
        look: world.get::<Appearance>(seen)?.0.to_string(),
    })
}
