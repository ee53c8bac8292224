//! How each name of a story is styled.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cast::{EntityName, Faction, Kind};
use crate::event::Recipient;
use crate::rpg::components::HomeStage;
use bevy_ecs::prelude::{Has, World};

/// The style of each name, by what the name stands for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    styles: BTreeMap<Arc<str>, Style>,
    /// The stages where nobody is at home, until an actor is there.
    far: BTreeSet<Arc<str>>,
}

impl Roster {
    /// Everybody who is in the world now.
    pub(crate) fn of(world: &mut World) -> Self {
        let mut roster = Self::default();
        let mut entities = world.query::<(&EntityName, &Kind, Option<&Faction>, Has<HomeStage>)>();
        for (name, kind, faction, is_home) in entities.iter(world) {
            let style = match kind {
                Kind::Stage => Style::Place,
                Kind::WorldAgent => Style::Voice,
                Kind::Actor => style_of(faction.map_or("", |faction| &faction.0)),
            };
            roster.styles.insert(name.0.clone(), style);
            if *kind == Kind::Stage && !is_home {
                roster.far.insert(name.0.clone());
            }
        }
        roster
    }

    /// The names of the actors among these, foes included.
    pub(crate) fn actors(&self, recipients: &[Recipient]) -> Vec<String> {
        let names = recipients.iter().filter(|who| self.is_actor(&who.name));
        names.map(|who| who.name.to_string()).collect()
    }

    /// Whether this is the name of an actor, foes included.
    pub(crate) fn is_actor(&self, name: &str) -> bool {
        matches!(self.style(name), Style::Hero | Style::Neutral | Style::Foe)
    }

    /// Whether nobody has reached a place yet.
    pub(crate) fn is_far(&self, place: &str) -> bool {
        self.far.contains(place)
    }

    /// Notes that an actor has reached a place; returns whether it is the first.
    pub(crate) fn reach(&mut self, place: &str) -> bool {
        self.far.remove(place)
    }

    /// Notes the side of an actor.
    pub(crate) fn note(&mut self, name: &str, faction: &str) {
        self.styles.insert(name.into(), style_of(faction));
    }

    pub(crate) fn note_stage(&mut self, name: &str) {
        self.styles.entry(name.into()).or_insert(Style::Place);
    }

    /// Notes a place that nobody has reached yet.
    #[cfg(test)]
    pub(crate) fn note_far(&mut self, stage: &str) {
        self.note_stage(stage);
        self.far.insert(stage.into());
    }

    pub(crate) fn style(&self, name: &str) -> Style {
        self.styles.get(name).copied().unwrap_or(Style::Bold)
    }

    pub(crate) fn is_stage(&self, name: &str) -> bool {
        self.style(name) == Style::Place
    }
}

fn style_of(faction: &str) -> Style {
    match faction {
        "hero" => Style::Hero,
        "foe" => Style::Foe,
        _ => Style::Neutral,
    }
}
