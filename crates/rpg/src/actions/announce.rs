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
        let deaf = rules.without(acting, |file, name| file.understands(name, ""));
        let unaware = [&acting.unaware[..], &deaf].concat();
        rules
            .events
            .broadcast_to_stage(acting.stage, event.clone(), &unaware);
        let heard = rules.events.last_of(kinds::Announce::TYPE);
        let Some(heard) = heard.filter(|event| !event.blocked) else {
            return;
        };
        let mut informed = heard.audience.clone();
        informed.push(acting.entity);
        let hears = |name: &String| rules.file.0.understands(name, "");
        let actors = rules.file.0.actors.iter().map(|actor| &actor.name);
        let deaf = actors.filter(|name| !hears(name));
        informed.extend(deaf.filter_map(|name| rules.list.by_name(name)));
        // Elsewhere they hear it as it was heard here, so that guards have nothing more to hide.
        if let Some(message) = heard.data.get("message").and_then(Value::as_str) {
            event.message = message.to_owned();
        }
        event.tells = heard.tells.iter().map(ToString::to_string).collect();
        rules.events.announce(event, &informed);
    }
}
