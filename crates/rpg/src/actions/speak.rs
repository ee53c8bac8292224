//! An actor says something aloud.

use bevy_ecs::prelude::Entity;
use playhouse_engine::event::AgentEvent;
use playhouse_engine::event::kinds;

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Speak};
use crate::events::OtherLanguage;
use crate::everybody::publish_telling;
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
        if language.is_empty() {
            rules.show_all(acting, speech);
        } else {
            rules.say_in(language, speech, acting);
        }
        rules.publish(acting, witnesses);
    }
}

impl Rules<'_, '_> {
    /// Says something in a language that only some understand; everybody learns in which.
    fn say_in(&mut self, language: String, speech: kinds::Speak, acting: &Acting<'_>) {
        let name = |who: &Entity| self.whereabouts.name_text(*who);
        let others = acting.present.iter().copied();
        let others: Vec<_> = others.filter(|who| *who != acting.entity).collect();
        let lost = others.iter().copied();
        let lost = lost.filter(|who| !self.file.0.understands(&name(who), &language));
        let lost: Vec<_> = lost.collect();
        let event = OtherLanguage {
            actor: speech.actor.clone(),
            target: speech.target.clone(),
            by: lost.iter().map(name).collect(),
            language,
        };
        let unaware = [&acting.unaware[..], &lost].concat();
        self.events
            .broadcast_to_stage(acting.stage, speech, &unaware);
        self.events.notify_entities(&others, event);
    }

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
