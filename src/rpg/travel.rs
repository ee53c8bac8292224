//! Moving between stages: both stages hear of it, and those who meet see each other.

use bevy_ecs::prelude::*;

use super::components::Acquaintances;
use crate::cast::{Appearance, CastList, Dead, EntityName, Kind, Occupants, OnStage, all_of};
use crate::event::kinds::{Arrive, Leave, Sighting};
use crate::event::write_events_at_meeting;

/// Moves an actor at a meeting: the old stage hears it leave, the new one hears it arrive, and
/// those who have not met see each other. Does nothing if the actor is there already.
pub(super) fn travel(world: &mut World, actor: Entity, to: Entity) {
    let from = world.get::<OnStage>(actor).map(|stage| stage.0);
    if from == Some(to) || world.get::<Kind>(to) != Some(&Kind::Stage) {
        return;
    }
    let from_name = from.map(|from| name_of(world, from)).unwrap_or_default();
    if let Some(from) = from {
        let event = Leave {
            actor: name_of(world, actor),
            stage: from_name.clone(),
            to: name_of(world, to),
        };
        write_events_at_meeting(world, |events| events.broadcast_to_stage(from, event, &[]));
    }
    world.entity_mut(actor).insert(OnStage(to));
    let event = Arrive {
        actor: name_of(world, actor),
        stage: name_of(world, to),
        from: from_name,
    };
    write_events_at_meeting(world, |events| events.broadcast_to_stage(to, event, &[]));
    introduce(world, actor, to);
}

/// Moves an actor at a meeting to the stage of this name.
pub(super) fn travel_to(world: &mut World, actor: Entity, stage: &str) {
    if let Some(stage) = world.resource::<CastList>().by_name(stage) {
        travel(world, actor, stage);
    }
}

/// Moves an actor that chose to walk; the world agents see it too.
pub(super) fn walk(world: &mut World, actor: Entity, to: Entity) {
    let from = world.get::<OnStage>(actor).map(|stage| stage.0);
    travel(world, actor, to);
    let Some(from) = from else { return };
    let event = Leave {
        actor: name_of(world, actor),
        stage: name_of(world, from),
        to: name_of(world, to),
    };
    let agents = all_of(world, Kind::WorldAgent);
    write_events_at_meeting(world, |events| events.notify_entities(&agents, event));
}

/// Those on a stage who have not met the actor see it, and it sees them.
pub(super) fn introduce(world: &mut World, actor: Entity, stage: Entity) {
    let occupants = world.get::<Occupants>(stage);
    let occupants = occupants.map(|occupants| occupants.in_order().to_vec());
    let mut others = occupants.unwrap_or_default();
    others.retain(|other| *other != actor && world.get::<Dead>(*other).is_none());
    for other in others {
        show(world, actor, other);
        show(world, other, actor);
    }
}

/// Shows the appearance of an actor to somebody who has not seen it.
fn show(world: &mut World, actor: Entity, to: Entity) {
    let name = world.get::<EntityName>(actor).map(|name| name.0.clone());
    let look = world.get::<Appearance>(actor);
    let look = look.map(|look| look.0.to_string());
    let (Some(name), Some(look)) = (name, look) else {
        return;
    };
    let mut acquaintances = world.get_mut::<Acquaintances>(to);
    let is_new = acquaintances
        .as_mut()
        .is_some_and(|known| known.0.insert(name.clone()));
    if is_new {
        let event = Sighting {
            actor: name.to_string(),
            look,
        };
        write_events_at_meeting(world, |events| events.notify_entities(&[to], event));
    }
}

fn name_of(world: &World, entity: Entity) -> String {
    let name = world.get::<EntityName>(entity);
    name.map(ToString::to_string).unwrap_or_default()
}
