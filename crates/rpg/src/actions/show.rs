//! An actor shows an item to another.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Show};
use crate::events::ItemShown;
use crate::talk::TurnTaken;

impl Action for Show {
    const APPEAL: Appeal = Appeal::Rarely(2);

    /// Both of them learn what reading it teaches.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let Self { item, to } = self;
        let Some(receiver) = rules.receiver(acting, "show", &item, &to) else {
            return;
        };
        let actor = acting.name.to_string();
        let teaches = rules.taught_by(&item);
        let event = ItemShown {
            actor: actor.clone(),
            to,
            look: rules.look_of(&item),
            item,
        };
        rules.show_all(acting, event);
        for fact in teaches {
            rules.events.teach(&[acting.entity], &fact, "");
            rules.events.teach(&[receiver], &fact, &actor);
        }
    }
}
