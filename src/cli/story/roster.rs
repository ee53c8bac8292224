//! How each name of a story is styled.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cast::{EntityName, Faction, Kind, StableId};
use crate::event::Recipient;
use bevy_ecs::prelude::*;

use crate::cli::output::Style;

/// The style of each name, by what the name stands for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    styles: BTreeMap<Arc<str>, Style>,
    /// The names of the actors who were there at the beginning, by number.
    actors: BTreeMap<StableId, Arc<str>>,
}

impl Roster {
    /// Everybody who is in the world now.
    pub(crate) fn of(world: &mut World) -> Self {
        let mut roster = Self::default();
        let mut entities = world.query::<(&StableId, &EntityName, &Kind, Option<&Faction>)>();
        for (id, name, kind, camp) in entities.iter(world) {
            let style = match kind {
                Kind::Stage => Style::Place,
                Kind::WorldAgent => Style::Voice,
                Kind::Actor => style_of_camp(camp.map_or("", |camp| &camp.0)),
            };
            roster.styles.insert(name.0.clone(), style);
            if *kind == Kind::Actor {
                roster.actors.insert(*id, name.0.clone());
            }
        }
        roster
    }

    /// The names of the actors among these.
    pub(crate) fn actors(&self, recipients: &[Recipient]) -> Vec<String> {
        let names = recipients.iter().filter_map(|who| self.actors.get(&who.id));
        names.map(ToString::to_string).collect()
    }

    /// Notes which side somebody is on.
    pub(crate) fn note(&mut self, name: &str, camp: &str) {
        self.styles.insert(name.into(), style_of_camp(camp));
    }

    /// Notes that a name is that of a stage.
    pub(crate) fn note_stage(&mut self, name: &str) {
        self.styles.entry(name.into()).or_insert(Style::Place);
    }

    /// The style of a name.
    pub(crate) fn style(&self, name: &str) -> Style {
        self.styles.get(name).copied().unwrap_or(Style::Bold)
    }

    /// Whether a name is that of a stage.
    pub(crate) fn is_stage(&self, name: &str) -> bool {
        self.style(name) == Style::Place
    }
}

fn style_of_camp(camp: &str) -> Style {
    match camp {
        "hero" => Style::Hero,
        "foe" => Style::Foe,
        _ => Style::Neutral,
    }
}
