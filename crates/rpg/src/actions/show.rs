//! An actor shows an item to another.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Show};
use crate::events::ItemShown;
use crate::perception::{Unperceived, names};
use crate::talk::TurnTaken;
use crate::world_file::{Sense, WorldFile};

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
        let blind = rules.without(acting, WorldFile::sees);
        let unseen = Unperceived {
            actor: actor.clone(),
            target: to.clone(),
            sense: Sense::Sight,
            by: names(&rules.whereabouts, &blind),
            ..Unperceived::default()
        };
        let event = ItemShown {
            actor: actor.clone(),
            to,
            look: rules.look_of(&item),
            item,
        };
        let unaware = [&acting.unaware[..], &blind].concat();
        rules
            .events
            .broadcast_to_stage(acting.stage, event, &unaware);
        if !blind.is_empty() {
            let told = [&blind[..], &[acting.entity]].concat();
            rules.events.notify_entities(&told, unseen);
        }
        for (who, from) in [(acting.entity, ""), (receiver, &*actor)] {
            for fact in teaches.iter().filter(|_| !blind.contains(&who)) {
                rules.events.teach(&[who], fact, from);
            }
        }
    }
}
