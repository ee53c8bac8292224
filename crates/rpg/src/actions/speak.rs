//! An actor says something aloud.

use bevy_ecs::prelude::Entity;
use playhouse_engine::event::AgentEvent;
use playhouse_engine::event::kinds;

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Speak};
use crate::everybody::publish_telling;
use crate::perception::say;
use crate::talk::TurnTaken;

impl Action for Speak {
    const APPEAL: Appeal = Appeal::Special;

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self {
            target,
            text,
            language,
        } = self;
        if !target.is_empty() {
            if rules.listener(acting, "speak", &target).is_none() {
                return;
            }
            taken.addressed = Some(target.as_str().into());
            taken.asks = text.contains(['?', '？']);
        }
        let speech = kinds::Speak {
            actor: acting.name.to_string(),
            target,
            message: text,
            tells: acting.tells.clone(),
        };
        let understands = |who: &&Entity| {
            let name = rules.whereabouts.name_text(**who);
            **who == acting.entity || rules.file.0.understands(&name, &language)
        };
        let witnesses = acting.present.iter().filter(understands).count();
        let (file, events) = (&*rules.file.0, &mut rules.events);
        let cast = (file, &rules.whereabouts);
        say(
            events,
            cast,
            acting.stage,
            (speech, language),
            &acting.unaware,
        );
        rules.publish(acting, witnesses);
    }
}

impl Rules<'_, '_> {
    /// Makes known what was just told before so many.
    fn publish(&mut self, acting: &Acting<'_>, witnesses: usize) {
        let told = self.events.last_of(kinds::Speak::TYPE);
        if let Some(told) = told.filter(|told| !told.blocked && !told.tells.is_empty()) {
            let (actor, text, facts) = (acting.name.clone(), told.text.clone(), told.tells.clone());
            let at = (acting.stage, witnesses);
            self.events
                .defer(move |world| publish_telling(world, at, &actor, &text, &facts));
        }
    }
}
