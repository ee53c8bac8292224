//! An actor destroys an item, if the world file says how that looks.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Destroy};
use crate::events::ItemDestroyed;
use crate::talk::TurnTaken;

impl Action for Destroy {
    const APPEAL: Appeal = Appeal::Rarely(1);

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let item = self.item;
        let seen = rules.story.item(&item).map(|item| item.destroyed.clone());
        let seen = seen.filter(|seen| !seen.is_empty() && rules.has(acting.entity, &item));
        let Some(message) = seen else {
            return rules.refuse_item(acting, "destroy", &item);
        };
        if let Ok(mut held) = rules.belongings.get_mut(acting.entity) {
            held.0.remove(item.as_str());
        }
        let actor = acting.name.to_string();
        rules.show_all(
            acting,
            ItemDestroyed {
                actor,
                item,
                message,
            },
        );
    }
}
