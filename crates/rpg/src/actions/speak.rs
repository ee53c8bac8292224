//! An actor says something aloud.

use playhouse_engine::event::AgentEvent;
use playhouse_engine::event::kinds;

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Speak};
use crate::everybody::{PUBLIC, publish_telling};
use crate::talk::TurnTaken;

impl Action for Speak {
    const APPEAL: Appeal = Appeal::Special;

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self { target, text } = self;
        if !target.is_empty() {
            if rules.listener(acting, "speak", &target).is_none() {
                return;
            }
            taken.addressed = Some(target.as_str().into());
        }
        let event = kinds::Speak {
            actor: acting.name.to_string(),
            target,
            message: text,
            tells: acting.tells.clone(),
        };
        rules.show_all(acting, event);
        rules.publish(acting);
    }
}

impl Rules<'_, '_> {
    /// Makes known what was just told before many.
    fn publish(&mut self, acting: &Acting<'_>) {
        let told = self.events.last_of(kinds::Speak::TYPE);
        let told = told.filter(|told| !told.blocked && !told.tells.is_empty());
        if let Some(told) = told.filter(|_| acting.present.len() >= PUBLIC) {
            let (actor, text, facts) = (acting.name.clone(), told.text.clone(), told.tells.clone());
            let stage = acting.stage;
            self.events
                .defer(move |world| publish_telling(world, stage, &actor, &text, &facts));
        }
    }
}
