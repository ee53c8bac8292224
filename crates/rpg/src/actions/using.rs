//! An actor uses an item, as the world file says.

use playhouse_engine::exchange::Violation;

use super::member::distinct;
use super::rules::{Acting, Rules};
use super::{Action, Appeal, PlanConstraints, Use};
use crate::drama::ItemUse;
use crate::events::ItemUsed;
use crate::home::uses::finish_use;
use crate::talk::TurnTaken;

impl Action for Use {
    const APPEAL: Appeal = Appeal::NotTwice(8);

    /// The effects of a use wait for the meeting.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let Some((item, number, does)) = rules.meant_use(acting, &self) else {
            return rules.refuse_item(acting, "use", &self.item);
        };
        let event = ItemUsed {
            actor: acting.name.to_string(),
            item: item.clone(),
            with: does.with.clone(),
            message: does.seen.clone(),
        };
        // Who uses it sees what comes of it, too.
        let unaware: Vec<_> = acting
            .unaware
            .iter()
            .copied()
            .filter(|entity| *entity != acting.entity)
            .collect();
        let stage = acting.stage;
        rules.events.broadcast_to_stage(stage, event, &unaware);
        if let Ok(mut uses) = rules.uses.get_mut(stage) {
            uses.close(&item, number, &does);
        }
        rules
            .events
            .defer(move |world| finish_use(world, stage, &item, number));
    }

    fn check(&self, constraints: &PlanConstraints) -> Option<Violation> {
        let Self { item, with } = self;
        let uses = constraints.uses.iter();
        if self.find(&constraints.uses).is_some() {
            return None;
        }
        let items = distinct(uses.clone().map(|open| &open.item));
        if !items.contains(item) {
            return Violation::unless_offered("use.item", item, &items);
        }
        let same = uses.filter(|open| open.item == *item);
        let with_what: Vec<_> = same.map(|open| &open.with).collect();
        Violation::unless_offered("use.with", with, &with_what)
    }
}

impl Use {
    /// The index of the use that is meant, if only one can be.
    fn find(&self, open: &[Self]) -> Option<usize> {
        let same = open
            .iter()
            .enumerate()
            .filter(|(_, open)| open.item == self.item);
        let exact = same.clone().find(|(_, open)| open.with == self.with);
        let mut meant = same.filter(|_| self.with.is_empty());
        let only = meant.next().filter(|_| meant.next().is_none());
        exact.or(only).map(|(index, _)| index)
    }
}

impl Rules<'_, '_> {
    /// The item that is used, which of its uses it is, and what this does.
    fn meant_use(&self, acting: &Acting<'_>, given: &Use) -> Option<(String, usize, ItemUse)> {
        let people = acting
            .present
            .iter()
            .filter(|entity| **entity != acting.entity);
        let names: Vec<_> = people
            .chain([&acting.stage])
            .map(|entity| self.whereabouts.name_text(*entity))
            .collect();
        let is_at_hand = |item: &str| self.is_at_hand(acting, item);
        let is_there = |what: &str| names.iter().any(|name| name == what) || is_at_hand(what);
        let open = self.uses.get(acting.stage).ok()?;
        let open = open.offered(&self.story, is_at_hand, is_there);
        let named = open.iter().map(|open| Use {
            item: open.item.to_owned(),
            with: open.does.with.clone(),
        });
        let meant = open.get(given.find(&named.collect::<Vec<_>>())?)?;
        Some((meant.item.to_owned(), meant.number, meant.does.clone()))
    }
}
