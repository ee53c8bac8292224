//! An actor shows an item to another.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Show};
use crate::events::ItemShown;
use crate::talk::TurnTaken;

impl Action for Show {
    const APPEAL: Appeal = Appeal::Rarely(2);

    /// Both of them learn what reading it teaches, if they see it.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let Self { item, to } = self;
        let Some(receiver) = rules.receiver(acting, "show", &item, &to) else {
            return;
        };
        let actor = acting.name.to_string();
        let teaches = rules.taught_by(&item);
        let sees = rules.file.0.sees(&to);
        let event = ItemShown {
            actor: actor.clone(),
            to,
            look: rules.look_of(&item),
            item,
        };
        rules.show_all(acting, event);
        let learners = [
            (acting.entity, "", rules.file.0.sees(&actor)),
            (receiver, &*actor, sees),
        ];
        for (who, from, _) in learners.into_iter().filter(|(.., sees)| *sees) {
            for fact in &teaches {
                rules.events.teach(&[who], fact, from);
            }
        }
    }
}
