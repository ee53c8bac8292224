//! Finds out who was not told of an event, and why.

use bevy_ecs::prelude::*;

use crate::cast::{CastList, EntityName, Kind, StableId, is_dead, name_of, stage_of};
use crate::event::{AudienceRule, EventRecord};

/// Somebody who was not told of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTold {
    pub id: StableId,
    pub name: String,
    pub why: WhyNot,
}

/// Why somebody was not told of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// It was at another place.
    Elsewhere {
        /// The name of the place; empty if it was at none.
        place: String,
    },
    /// The rule left it out by name.
    LeftOut,
    /// The rule named others only.
    NotNamed,
    /// It was a thought of somebody else.
    Private,
    Dead,
    /// A guard withheld it.
    Withheld,
}

/// Those of this world who were not told of an event, in stable order, without who did it. The
/// world is to be as it was at that time.
pub fn not_told(world: &World, event: &EventRecord) -> Vec<NotTold> {
    let mut not_told = Vec::new();
    for (id, entity) in world.resource::<CastList>().all() {
        let Some(name) = world.get::<EntityName>(entity) else {
            continue;
        };
        let is_told = event.audience.iter().any(|told| told.id == id);
        let is_speaker = event.speaker.as_ref() == Some(&name.0);
        if !is_told && !is_speaker {
            not_told.push(NotTold {
                id,
                name: name.to_string(),
                why: why_not(world, entity, &name.0, event),
            });
        }
    }
    not_told
}

fn why_not(world: &World, entity: Entity, name: &str, event: &EventRecord) -> WhyNot {
    let is_dead = is_dead(world, entity);
    let stage = stage_of(world, entity);
    let place = stage.map_or_else(String::new, |stage| name_of(world, stage));
    match &event.rule {
        AudienceRule::Private => WhyNot::Private,
        AudienceRule::Notified => WhyNot::NotNamed,
        AudienceRule::BroadcastToStage { exclude, .. } | AudienceRule::Announced { exclude }
            if exclude.iter().any(|left_out| **left_out == *name) =>
        {
            WhyNot::LeftOut
        }
        _ if is_dead => WhyNot::Dead,
        AudienceRule::BroadcastToStage { stage, .. } if *name != **stage && *place != **stage => {
            WhyNot::Elsewhere { place }
        }
        AudienceRule::Announced { .. }
            if stage.is_none() && world.get::<Kind>(entity) == Some(&Kind::Actor) =>
        {
            WhyNot::Elsewhere { place }
        }
        AudienceRule::BroadcastToStage { .. } | AudienceRule::Announced { .. } => WhyNot::Withheld,
    }
}
