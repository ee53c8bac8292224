//! Moving between stages, strangers who meet, and places seen for the first time.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    Appearance, CastList, EntityName, Kind, Occupants, OnStage, is_dead, name_of, stage_of,
};
use playhouse_engine::event::kinds::{Arrive, Leave, Sighting};
use playhouse_engine::event::write_events_at_meeting;

use super::components::{Acquaintances, Placed};

/// Moves an actor with a party at a meeting; the event of the journey tells everybody concerned.
/// Strangers see each other. Does nothing if the actor is there already.
pub(super) fn travel(world: &mut World, actor: Entity, to: Entity) {
    if put_on_stage(world, actor, to) {
        introduce(world, actor, to);
    }
}

/// Moves an actor at a meeting to the stage of this name.
pub(super) fn travel_to(world: &mut World, actor: Entity, stage: &str) {
    if let Some(stage) = world.resource::<CastList>().by_name(stage) {
        travel(world, actor, stage);
    }
}

/// Moves an actor at a meeting that chose to walk. Those whom it left have seen it go; those where
/// it arrives are told.
pub(super) fn walk(world: &mut World, actor: Entity, to: Entity) {
    if let Some(from) = leave_for(world, actor, to) {
        world.entity_mut(actor).remove::<Placed>();
        tell_of_move(world, (actor, from, to), &[]);
    }
}

/// Moves actors at a meeting who did not choose to. They, those whom they left and those where they
/// arrive are told.
pub(super) fn send(world: &mut World, actors: &[Entity], to: Entity) {
    let moves = actors
        .iter()
        .copied()
        .filter_map(|actor| Some((actor, leave_for(world, actor, to)?)));
    for (actor, from) in moves.collect::<Vec<_>>() {
        let mut left = others_on(world, from, actor);
        left.push(from);
        tell_of_move(world, (actor, from, to), &left);
    }
}

/// Puts an actor on a stage; returns which it has left, if it was elsewhere.
fn leave_for(world: &mut World, actor: Entity, to: Entity) -> Option<Entity> {
    let from = stage_of(world, actor)?;
    put_on_stage(world, actor, to).then_some(from)
}

/// Tells everybody where an actor has arrived that it comes, and others that it left. Strangers see
/// each other.
fn tell_of_move(world: &mut World, (actor, from, to): (Entity, Entity, Entity), left: &[Entity]) {
    let leave = Leave {
        actor: name_of(world, actor),
        stage: name_of(world, from),
        to: name_of(world, to),
    };
    let arrive = Arrive {
        actor: leave.actor.clone(),
        stage: leave.to.clone(),
        from: leave.stage.clone(),
    };
    write_events_at_meeting(world, |events| {
        events.broadcast_to_stage(to, arrive, &[]);
        events.notify_entities(left, leave);
    });
    introduce(world, actor, to);
}

/// Whether the actor was moved: it was elsewhere, and `to` is a stage.
fn put_on_stage(world: &mut World, actor: Entity, to: Entity) -> bool {
    let is_there = stage_of(world, actor) == Some(to);
    let moves = !is_there && world.get::<Kind>(to) == Some(&Kind::Stage);
    if moves {
        world.entity_mut(actor).insert(OnStage(to));
        show(world, to, actor);
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
