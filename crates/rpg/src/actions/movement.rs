//! An actor walks to another place.

use std::sync::Arc;

use playhouse_engine::event::kinds::Leave;

use super::rules::{Acting, Reason, Rules};
use super::{Action, Appeal, Move};
use crate::talk::TurnTaken;
use crate::travel::walk;

impl Action for Move {
    const APPEAL: Appeal = Appeal::Special;

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        taken.leave = rules.leave(acting, &self.to);
    }
}

impl Rules<'_, '_> {
    /// The actor leaves, and whoever follows it. Those here see it at once; all arrive at the
    /// meeting. Returns who leaves.
    fn leave(&mut self, acting: &Acting<'_>, destination: &str) -> Vec<Arc<str>> {
        let exits = self.exits.get(acting.stage);
        let exits = exits.map(|exits| exits.0.as_slice()).unwrap_or_default();
        let to = self.list.by_name(destination).filter(|to| {
            let id = self.whereabouts.id(*to);
            id.is_some_and(|id| exits.contains(&id))
        });
        let Some(to) = to else {
            self.refuse(acting, "move", &Reason::NoWay { to: destination });
            return Vec::new();
        };
        let is_here = |name: &Arc<str>| {
            let who = self.list.by_name(name);
            who.filter(|who| acting.present.contains(who))
                .map(|who| (name.clone(), who))
        };
        let party = acting.talk.party_of(acting.name);
        let (names, party): (Vec<_>, Vec<_>) = party.iter().filter_map(is_here).unzip();
        let event = Leave {
            actor: acting.name.to_string(),
            along: names.iter().skip(1).map(ToString::to_string).collect(),
            stage: self.whereabouts.name_text(acting.stage),
            to: destination.to_owned(),
        };
        let unaware = [&acting.unaware[..], &party].concat();
        self.events
            .broadcast_to_stage(acting.stage, event, &unaware);
        self.events.defer(move |world| walk(world, &party, to));
        names
    }
}
