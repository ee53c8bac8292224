//! An actor reads an item, and everybody there sees it.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Read};
use crate::events::{ItemRead, NothingNew};
use crate::talk::TurnTaken;

impl Action for Read {
    const APPEAL: Appeal = Appeal::Special;

    /// Teaches the actor what there is to learn, or tells it that this is nothing new.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let item = self.item;
        if !rules.is_at_hand(acting, &item) {
            return rules.refuse_item(acting, "read", &item);
        }
        let teaches = rules.taught_by(&item);
        let actor = acting.name.to_string();
        let says = teaches.iter().filter_map(|fact| rules.book.get(fact));
        let nothing_new = NothingNew {
            actor: actor.clone(),
            item: item.clone(),
            says: says.map(|fact| fact.text.clone()).collect(),
        };
        rules.show_all(acting, ItemRead { actor, item });
        if !teaches.iter().any(|fact| rules.is_new(acting.entity, fact)) {
            rules.events.notify_entities(&[acting.entity], nothing_new);
        }
        for fact in &teaches {
            rules.events.teach(&[acting.entity], fact, "");
        }
    }
}
