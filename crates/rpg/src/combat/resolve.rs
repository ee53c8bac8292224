//! Foes whose resolve fails. What moves them may concern the whole world, so it is weighed at a
//! meeting: before anybody else acts if something was told, and after each round.

use std::cmp::Reverse;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, all_of, name_of};
use playhouse_engine::event::write_events_at_meeting;

use super::state::{Combat, FightAction};
use crate::components::{Departure, Health, Resolve, RpgWorld};
use crate::events::CombatMove;
use crate::phase::Phase;
use crate::world_file::MovedBy;

/// Weighs what may move foes, wherever that has to be done. Returns whether there is a fight that
/// continues.
pub(crate) fn weigh_resolve(world: &mut World) -> bool {
    let mut stages = all_of(world, Kind::Stage);
    stages.retain(|stage| world.get::<Phase>(*stage) == Some(&Phase::Weigh));
    for stage in &stages {
        let combat = world.get::<Combat>(*stage);
        let foes = combat.map_or_else(Vec::new, |combat| combat.foes.clone());
        for foe in foes {
            weigh(world, *stage, &foe);
        }
        world.entity_mut(*stage).insert(Phase::Act);
    }
    !stages.is_empty()
}

/// Only what comes true in a fight moves a foe: what holds before it begins does not, such as what
/// the foe was told when it was met before. At a meeting.
pub(crate) fn set_aside_what_holds(world: &mut World, foe: Entity) {
    let Some(name) = world.get::<EntityName>(foe).map(|name| name.0.clone()) else {
        return;
    };
    let file = world.resource::<RpgWorld>().0.clone();
    let moved_by = file.foe(&name).map_or(&[][..], |foe| &foe.moved_by);
    let moved_by = moved_by.iter().enumerate();
    let held: Vec<_> = moved_by
        .filter(|(number, moved)| moved.when.holds(world, &key_of(&name, *number)))
        .map(|(number, _)| number)
        .collect();
    if let Some(mut resolve) = world.get_mut::<Resolve>(foe) {
        resolve.moved.extend(held);
    }
}

/// What the chances of something that moves a foe belong to.
fn key_of(foe: &str, number: usize) -> String {
    format!("foes/{foe}/{number}")
}

/// Lowers the resolve of a foe by the strongest of what has come true. The rest counts when it is
/// weighed again, so that nothing said in one breath ends a fight.
fn weigh(world: &mut World, stage: Entity, name: &Arc<str>) {
    let Some(foe) = world.resource::<CastList>().by_name(name) else {
        return;
    };
    let combat = world.get::<Combat>(stage);
    let has_left = combat.is_none_or(|combat| combat.departure(name).is_some());
    let has_fallen = world.get::<Health>(foe).is_none_or(|health| health.hp <= 0);
    if has_left || has_fallen {
        return;
    }
    let file = world.resource::<RpgWorld>().0.clone();
    let moved_by = file.foe(name).map_or(&[][..], |foe| &foe.moved_by);
    let holds = moved_by.iter().enumerate().filter(|(number, moved)| {
        let resolve = world.get::<Resolve>(foe);
        let is_new = resolve.is_some_and(|resolve| !resolve.moved.contains(number));
        is_new && moved.when.holds(world, &key_of(name, *number))
    });
    let strongest = holds.max_by_key(|(number, moved)| (moved.by, Reverse(*number)));
    if let Some((number, moved)) = strongest {
        move_foe(world, (stage, foe), number, moved);
    }
}

/// Something moves a foe; without any resolve left it yields.
fn move_foe(world: &mut World, (stage, foe): (Entity, Entity), number: usize, moved: &MovedBy) {
    let Some(mut resolve) = world.get_mut::<Resolve>(foe) else {
        return;
    };
    resolve.moved.insert(number);
    resolve.left = (resolve.left - moved.by).max(0);
    let yields = resolve.left == 0;
    let (name, place) = (name_of(world, foe), name_of(world, stage));
    let action = if yields { "yield" } else { "waver" };
    if let Some(mut combat) = world.get_mut::<Combat>(stage) {
        let round = combat.round;
        combat.actions.push(FightAction {
            round,
            by: name.as_str().into(),
            kind: action.into(),
            words: moved.seen.clone(),
            ..FightAction::default()
        });
        if yields {
            combat
                .departures
                .push((name.as_str().into(), Departure::Yielded));
        }
    }
    let event = CombatMove {
        stage: place,
        actor: name,
        action: action.into(),
        description: moved.seen.clone(),
        ..CombatMove::default()
    };
    write_events_at_meeting(world, |events| events.broadcast_to_stage(stage, event, &[]));
}
