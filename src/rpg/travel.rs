//! Going from stage to stage, with notices to those who stay and those who are reached.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::components::Acquainted;
use crate::cast::{Appearance, CastList, Dead, EntityName, Kind, Occupants, OnStage, all_of};
use crate::event::kinds::{Arrive, Leave, Sighting};
use crate::event::write_events_at_meeting;

/// Moves an actor at a meeting: the old stage hears it leave, the new one hears it arrive, and
/// those who have not met see each other. Nothing happens where it stands there already.
pub fn travel(world: &mut World, actor: Entity, to: Entity) {
    let from = world.get::<OnStage>(actor).map(|stage| stage.0);
    if from == Some(to) || world.get::<Kind>(to) != Some(&Kind::Stage) {
        return;
    }
    let name = |world: &World, entity: Entity| {
        let name = world.get::<EntityName>(entity);
        name.map(ToString::to_string).unwrap_or_default()
    };
    let (who, to_name) = (name(world, actor), name(world, to));
    let from_name = from.map(|from| name(world, from)).unwrap_or_default();
    if let Some(from) = from {
        let event = Leave {
            actor: who.clone(),
            stage: from_name.clone(),
            to: to_name.clone(),
        };
        write_events_at_meeting(world, |tell| tell.broadcast_to_stage(from, event, &[]));
    }
    world.entity_mut(actor).insert(OnStage(to));
    let event = Arrive {
        actor: who,
        stage: to_name,
        from: from_name,
    };
    write_events_at_meeting(world, |tell| tell.broadcast_to_stage(to, event, &[]));
    introduce(world, actor, to);
}

/// Moves an actor that chose to walk; the voices of the world see it too.
pub fn walk(world: &mut World, actor: Entity, to: Entity) {
    let from = world.get::<OnStage>(actor).map(|stage| stage.0);
    travel(world, actor, to);
    let name = |entity: Entity| world.get::<EntityName>(entity).map(ToString::to_string);
    let (Some(who), Some(stage), Some(from)) = (name(actor), name(to), from.and_then(name)) else {
        return;
    };
    let event = Leave {
        actor: who,
        stage: from,
        to: stage,
    };
    let voices = all_of(world, Kind::WorldAgent);
    write_events_at_meeting(world, |tell| tell.notify_entities(&voices, event));
}

/// Those on a stage who have not met the actor see it, and it sees them.
pub fn introduce(world: &mut World, actor: Entity, stage: Entity) {
    let occupants = world.get::<Occupants>(stage);
    let mut others: Vec<_> = occupants
        .map(|occupants| occupants.in_order().to_vec())
        .unwrap_or_default();
    others.retain(|other| *other != actor && world.get::<Dead>(*other).is_none());
    for other in others {
        show(world, actor, other);
        show(world, other, actor);
    }
}

/// Shows an actor's look to somebody who has not seen it.
fn show(world: &mut World, actor: Entity, to: Entity) {
    let name = world.get::<EntityName>(actor).map(|name| name.0.clone());
    let look = world
        .get::<Appearance>(actor)
        .map(|look| look.0.to_string());
    let (Some(name), Some(look)) = (name, look) else {
        return;
    };
    let is_new = world
        .get_mut::<Acquainted>(to)
        .is_some_and(|mut known| known.0.insert(name.clone()));
    if is_new {
        let event = Sighting {
            actor: name.to_string(),
            look,
        };
        write_events_at_meeting(world, |tell| tell.notify_entities(&[to], event));
    }
}

/// Moves an actor to the stage of a name, at a meeting.
pub fn travel_to(world: &mut World, actor: Entity, stage: &Arc<str>) {
    let stage = world.resource::<CastList>().by_name(stage);
    if let Some(stage) = stage {
        travel(world, actor, stage);
    }
}
