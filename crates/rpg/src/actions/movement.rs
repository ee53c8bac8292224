//! An actor walks to another place.

use playhouse_engine::event::kinds::Leave;

use super::rules::{Acting, Reason, Rules};
use super::{Action, Appeal, Move};
use crate::talk::TurnTaken;
use crate::travel::walk;

impl Action for Move {
    const APPEAL: Appeal = Appeal::Special;

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        if rules.leave(acting, &self.to) {
            taken.left_for = Some(self.to);
        }
    }
}

impl Rules<'_, '_> {
    /// Returns whether the actor leaves. Those here see it at once; it arrives at the meeting.
    pub(super) fn leave(&mut self, acting: &Acting<'_>, destination: &str) -> bool {
        let exits = self.exits.get(acting.stage);
        let exits = exits.map(|exits| exits.0.as_slice()).unwrap_or_default();
        let to = self.list.by_name(destination).filter(|to| {
            let id = self.whereabouts.id(*to);
            id.is_some_and(|id| exits.contains(&id))
        });
        let Some(to) = to else {
            self.refuse(acting, "move", &Reason::NoWay { to: destination });
            return false;
        };
        let event = Leave {
            actor: acting.name.to_string(),
            stage: self.whereabouts.name_text(acting.stage),
            to: destination.to_owned(),
        };
        self.show_all(acting, event);
        let actor = acting.entity;
        self.events.defer(move |world| walk(world, actor, to));
        true
    }
}
