//! What heroes who fell take home from a fight. All of it happens at meetings.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{EntityName, Kind, all_of};
use playhouse_engine::event::write_events_at_meeting;

use crate::components::Wounded;
use crate::events::Wound;

/// The number of days at home that a wound lasts.
const WOUND_DAYS: u32 = 2;

pub(crate) fn wound() -> Wounded {
    Wounded { days: WOUND_DAYS }
}

/// Those who fell are home: everybody where they are learns of their wounds.
pub(crate) fn tell_wounds(world: &mut World, fallen: &[Entity]) {
    for hero in fallen {
        if let Some(&Wounded { days }) = world.get(*hero) {
            tell_wound(world, *hero, days);
        }
    }
}

/// A day at home is over: wounds heal.
pub(crate) fn heal_wounds(world: &mut World) {
    for hero in all_of(world, Kind::Actor) {
        let Some(mut wound) = world.get_mut::<Wounded>(hero) else {
            continue;
        };
        wound.days = wound.days.saturating_sub(1);
        if wound.days == 0 {
            world.entity_mut(hero).remove::<Wounded>();
            tell_wound(world, hero, 0);
        }
    }
}

/// Everybody where a hero is learns of its wound, or that it has healed if no days are left.
pub(crate) fn tell_wound(world: &mut World, hero: Entity, days: u32) {
    let name = world.get::<EntityName>(hero);
    let actor = name.map(ToString::to_string).unwrap_or_default();
    let event = Wound { actor, days };
    write_events_at_meeting(world, |events| events.broadcast_to_stage(hero, event, &[]));
}
