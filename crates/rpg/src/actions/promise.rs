//! An actor gives its word.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Promise};
use crate::drama::{self, Condition, PromiseState};
use crate::events::PromiseMade;
use crate::talk::TurnTaken;

impl Action for Promise {
    const APPEAL: Appeal = Appeal::Rarely(1);

    /// Everybody there hears it, unless it stands beside a whisper.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self {
            to,
            words,
            item,
            place,
        } = self;
        let Some(listener) = rules.listener(acting, "promise", &to) else {
            return;
        };
        let Ok(mut promises) = rules.promises.get_mut(acting.entity) else {
            return;
        };
        let is_whispered = taken.whispered_to.as_ref() == Some(&to);
        let hearers = if is_whispered {
            vec![acting.entity, listener]
        } else {
            acting.present.clone()
        };
        let names = hearers.iter().map(|who| rules.whereabouts.name_text(*who));
        let names = names.filter(|name| rules.file.0.understands(name, ""));
        let given = Condition::Holds(to.clone(), item.clone());
        let reached = Condition::At(acting.name.to_string(), place.clone());
        let promise = drama::Promise {
            to: to.as_str().into(),
            words: words.as_str().into(),
            state: PromiseState::Open,
            kept: match (item.is_empty(), place.is_empty()) {
                (true, true) => Condition::Always,
                (false, true) => given,
                (true, false) => reached,
                (false, false) => Condition::All(vec![given, reached]),
            },
            day: rules.today.0,
            made: Some(rules.turn.0),
            heard: names.map(Into::into).collect(),
        };
        // What is promised once more is the same promise.
        let is_same = |known: &drama::Promise| {
            (&known.to, &known.words, known.state) == (&promise.to, &promise.words, promise.state)
        };
        if !promises.0.iter().any(is_same) {
            promises.0.push(promise);
        }
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
