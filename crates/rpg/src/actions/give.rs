//! An actor gives an item away.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Give};
use crate::events::ItemGiven;
use crate::talk::TurnTaken;

impl Action for Give {
    const APPEAL: Appeal = Appeal::Special;

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let Self { item, to } = self;
        if let Some(receiver) = rules.receiver(acting, "give", &item, &to) {
            rules.move_item(&item, acting.entity, receiver);
            let event = ItemGiven {
                actor: acting.name.to_string(),
                to,
                look: rules.look_of(&item),
                item,
            };
            rules.show_all(acting, event);
        }
    }
}
