//! An actor takes an item that lies there for everybody to see.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Take};
use crate::events::ItemTaken;
use crate::talk::TurnTaken;

impl Action for Take {
    const APPEAL: Appeal = Appeal::Always(12);

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let item = self.item;
        if !rules.lies_here(acting, &item) {
            return rules.refuse_item(acting, "take", &item);
        }
        rules.move_item(&item, acting.stage, acting.entity);
        let event = ItemTaken {
            actor: acting.name.to_string(),
            look: rules.look_of(&item),
            item,
        };
        rules.show_all(acting, event);
    }
}
