//! Who is what in the story, so that names look alike everywhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse::cast::{EntityName, Faction, Kind};

use crate::cli::output::Ink;

/// What each name stands for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    inks: BTreeMap<Arc<str>, Ink>,
}

impl Roster {
    /// Everybody who is in the world now.
    pub(crate) fn of(world: &mut World) -> Self {
        let mut roster = Self::default();
        let mut all = world.query::<(&EntityName, &Kind, Option<&Faction>)>();
        for (name, kind, camp) in all.iter(world) {
            let ink = match kind {
                Kind::Stage => Ink::Place,
                Kind::WorldAgent => Ink::Voice,
                Kind::Actor => ink_of_camp(camp.map_or("", |camp| &camp.0)),
            };
            roster.inks.insert(name.0.clone(), ink);
        }
        roster
    }

    /// Notes the side of somebody.
    pub(crate) fn note(&mut self, name: &str, camp: &str) {
        self.inks.insert(name.into(), ink_of_camp(camp));
    }

    /// Notes that a name is that of a stage.
    pub(crate) fn note_stage(&mut self, name: &str) {
        self.inks.entry(name.into()).or_insert(Ink::Place);
    }

    /// The ink of a name.
    pub(crate) fn ink(&self, name: &str) -> Ink {
        self.inks.get(name).copied().unwrap_or(Ink::Bold)
    }

    /// Whether the name is that of a place where things happen.
    pub(crate) fn is_stage(&self, name: &str) -> bool {
        self.ink(name) == Ink::Place
    }
}

fn ink_of_camp(camp: &str) -> Ink {
    match camp {
        "hero" => Ink::Hero,
        "foe" => Ink::Foe,
        _ => Ink::Neutral,
    }
}
