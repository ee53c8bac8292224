//! An actor tries something that no other action covers.

use serde_json::Value;

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Attempt};
use crate::events::Attempted;
use crate::talk::TurnTaken;

impl Action for Attempt {
    const APPEAL: Appeal = Appeal::Rarely(2);

    /// Everybody there sees what is tried; the stage judges it as they understood it.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let Self { what, aim } = self;
        let actor = acting.name.to_string();
        rules.show_all(acting, Attempted { actor, what });
        // If guards hid a part of it, the actor is told last what the others heard.
        let last = rules.events.last();
        let understood =
            last.and_then(|event| event.data.get("what").or(event.data.get("message")));
        let what = understood
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        taken.tried = (!what.is_empty()).then_some(Self { what, aim });
    }
}
