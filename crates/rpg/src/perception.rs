//! Who hears and understands what is said, and who sees what is shown.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Whereabouts;
use playhouse_engine::event::kinds::Speak;
use playhouse_engine::event::{AgentEvent, EventStyle, EventWriter};
use serde::{Deserialize, Serialize};

use super::world_file::{Sense, WorldFile};

/// Something was said or shown of which some learned only that it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("unperceived", style = shown, not_recallable)]
pub struct Unperceived {
    pub actor: String,
    /// To whom it spoke or showed something; empty for nobody in particular.
    pub target: String,
    pub sense: Sense,
    /// The language in which it was said; empty for the one that all share.
    pub language: String,
    /// Those who learned nothing.
    pub by: Vec<String>,
}

impl Unperceived {
    /// Readers are told what was said: it is news to them only in which language.
    fn shown(&self) -> EventStyle {
        match self.language.as_str() {
            "" => EventStyle::Working,
            _ => EventStyle::Note,
        }
    }
}

/// Says something to those on a stage, except the unaware. Who does not hear or understand it is
/// told that something is said; and in which language, everybody.
pub(crate) fn say(
    events: &mut EventWriter,
    (file, whereabouts): (&WorldFile, &Whereabouts),
    stage: Entity,
    (speech, language): (Speak, String),
    unaware: &[Entity],
) {
    let is_lost = |who: &Entity| !file.understands(&whereabouts.name_text(*who), &language);
    let mut others = whereabouts.living_on(stage);
    others.retain(|other| !unaware.contains(other));
    let lost: Vec<_> = others.iter().copied().filter(is_lost).collect();
    let event = Unperceived {
        actor: speech.actor.clone(),
        target: speech.target.clone(),
        sense: Sense::Hearing,
        by: names(whereabouts, &lost),
        language,
    };
    events.broadcast_to_stage(stage, speech, &[unaware, &lost].concat());
    if !event.language.is_empty() {
        events.notify_entities(&others, event);
    } else if !lost.is_empty() {
        events.notify_entities(&lost, event);
    }
}

pub(crate) fn names(whereabouts: &Whereabouts, who: &[Entity]) -> Vec<String> {
    let names = who.iter().map(|who| whereabouts.name_text(*who));
    names.collect()
}
