//! An actor hides an item where it is. Only it knows, and those whom it tells.

use playhouse_engine::event::write_events_at_meeting;
use playhouse_engine::knowledge::{MadeKind, make_fact};

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Hide};
use crate::drama::Hidden;
use crate::events::ItemHidden;
use crate::talk::TurnTaken;

impl Action for Hide {
    const APPEAL: Appeal = Appeal::Rarely(3);

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let item = self.item;
        if !rules.has(acting.entity, &item) {
            return rules.refuse_item(acting, "hide", &item);
        }
        let (actor, stage) = (acting.entity, acting.stage);
        let event = ItemHidden {
            actor: acting.name.to_string(),
            stage: rules.whereabouts.name_text(stage),
            item: item.clone(),
        };
        let fact = match rules.events.phrases().fill(&event) {
            Ok(fact) => fact.trim().to_owned(),
            Err(error) => return rules.events.fault(error.into()),
        };
        rules.move_item(&item, actor, stage);
        if let Ok(mut hidden) = rules.hidden.get_mut(stage) {
            hidden.0.insert(item.as_str().into(), "".into());
        }
        rules.events.notify_entities(&[actor], event);
        rules.events.defer(move |world| {
            let id = make_fact(world, MadeKind::Hiding, fact);
            if let Some(mut hidden) = world.get_mut::<Hidden>(stage)
                && let Some(by) = hidden.0.get_mut(item.as_str())
            {
                *by = id.as_str().into();
            }
            write_events_at_meeting(world, |events| events.teach_own_deed(actor, &id));
        });
    }
}
