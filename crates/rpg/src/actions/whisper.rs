//! An actor whispers to another.

use playhouse_engine::event::kinds;

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Whisper};
use crate::events::WhisperSeen;
use crate::talk::TurnTaken;

impl Action for Whisper {
    const APPEAL: Appeal = Appeal::Rarely(4);

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self { target, text } = self;
        taken.whispered_to = Some(target.clone());
        let Some(listener) = rules.listener(acting, "whisper", &target) else {
            return;
        };
        taken.addressed = Some(target.as_str().into());
        taken.asks = text.contains(['?', '？']);
        let event = kinds::Whisper {
            actor: acting.name.to_string(),
            target: target.clone(),
            message: text,
            tells: acting.tells.clone(),
        };
        rules.events.notify_entities(&[listener], event);
        let actor = acting.name.to_string();
        let unaware = [&acting.unaware[..], &[listener]].concat();
        let seen = WhisperSeen { actor, target };
        rules
            .events
            .broadcast_to_stage(acting.stage, seen, &unaware);
    }
}
