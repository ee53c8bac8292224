//! An actor gives its word.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Promise};
use crate::drama::{self, PromiseState};
use crate::events::PromiseMade;
use crate::talk::TurnTaken;

impl Action for Promise {
    const APPEAL: Appeal = Appeal::Rarely(1);

    /// Everybody there hears it, unless it stands beside a whisper.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self { to, words } = self;
        let Some(listener) = rules.listener(acting, "promise", &to) else {
            return;
        };
        let Ok(mut promises) = rules.promises.get_mut(acting.entity) else {
            return;
        };
        let promise = drama::Promise {
            to: to.as_str().into(),
            words: words.as_str().into(),
            state: PromiseState::Open,
        };
        // What is promised once more is the same promise.
        if !promises.0.contains(&promise) {
            promises.0.push(promise);
        }
        let is_whispered = taken.whispered_to.as_ref() == Some(&to);
        let event = PromiseMade {
            actor: acting.name.to_string(),
            to,
            words,
        };
        if is_whispered {
            let audience = [acting.entity, listener];
            rules.events.notify_entities(&audience, event);
        } else {
            rules.show_all(acting, event);
        }
    }
}
