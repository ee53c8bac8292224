//! An actor's feelings for another here change. Nobody else learns it.

use super::rules::{Acting, Rules};
use super::{Action, Feels};
use crate::events::FeelingChanged;
use crate::talk::TurnTaken;

impl Action for Feels {
    /// Moves a bond by one step, once in a talk.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self { about, change, why } = self;
        let change = change.signum() as i32;
        let other = rules.list.by_name(&about);
        let is_here = other.is_some_and(|other| acting.present.contains(&other));
        let has_felt = acting.talk.has_felt(acting.name, &about);
        if !is_here || has_felt || other == Some(acting.entity) {
            return;
        }
        let Ok(mut bonds) = rules.bonds.get_mut(acting.entity) else {
            return;
        };
        bonds.change(&about, change);
        taken.felt = Some(about.as_str().into());
        let event = FeelingChanged {
            actor: acting.name.to_string(),
            about,
            change,
            why,
        };
        rules.events.think(acting.entity, event);
    }
}
