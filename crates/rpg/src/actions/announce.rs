//! An actor has something made known in every place.

use playhouse_engine::event::AgentEvent;
use playhouse_engine::event::kinds;
use serde_json::Value;

use super::rules::{Acting, Rules};
use super::{Action, Announce};
use crate::talk::TurnTaken;

impl Action for Announce {
    /// Those beside the actor hear it at once, all others at the meeting.
    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let mut event = kinds::Announce {
            actor: acting.name.to_string(),
            stage: rules.whereabouts.name_text(acting.stage),
            message: self.text,
            tells: acting.tells.clone(),
        };
        rules.show_all(acting, event.clone());
        let heard = rules.events.last_of(kinds::Announce::TYPE);
        let Some(heard) = heard.filter(|event| !event.blocked) else {
            return;
        };
        // Who can't hear it here is not told so twice.
        let informed = [&acting.present[..], &[acting.stage]].concat();
        // Elsewhere they hear it as it was heard here, so that guards have nothing more to hide.
        if let Some(message) = heard.data.get("message").and_then(Value::as_str) {
            event.message = message.to_owned();
        }
        event.tells = heard.tells.iter().map(ToString::to_string).collect();
        rules.events.announce(event, &informed);
    }
}
