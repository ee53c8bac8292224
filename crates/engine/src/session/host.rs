//! What the host of a story tells some of its people between two turns. It comes as an input, so
//! the journal keeps it, with who did it. A game may know more deeds of a host.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cast::CastList;
use crate::engine::Inputs;
use crate::event::{AgentEvent, EventType, write_events_at_meeting};

/// The field of an input that holds what a host did.
pub const HOST_FIELD: &str = "host";

/// Words of the host to some of those who are in the story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("told_by_host", style = Told, private, words = message)]
struct ToldByHost {
    by: String,
    message: String,
}

#[derive(Serialize, Deserialize)]
struct HostInput {
    by: String,
    #[serde(rename = "do")]
    deed: Deed,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deed {
    Tell { who: Vec<String>, text: String },
}

/// The input by which a host tells these, by name, something that nobody else hears.
pub fn tell_input(by: &str, who: Vec<String>, text: String) -> Value {
    let by = by.to_owned();
    let deed = Deed::Tell { who, text };
    json!({ HOST_FIELD: HostInput { by, deed } })
}

/// The event of this file, for a game that has [`take_told`] in its meeting.
pub const TOLD: EventType = EventType::of::<ToldByHost>();

/// Tells entities what inputs of the host say.
pub fn take_told(world: &mut World) {
    let inputs = world.get_resource::<Inputs>();
    let inputs = inputs.iter().flat_map(|inputs| &inputs.0);
    let told: Vec<_> = inputs.filter_map(told_in).collect();
    for (who, event) in told {
        let cast = world.resource::<CastList>();
        let who: Vec<_> = who.iter().filter_map(|name| cast.by_name(name)).collect();
        if !who.is_empty() {
            write_events_at_meeting(world, |events| events.notify_entities(&who, event));
        }
    }
}

/// What an input tells, and whom, if it is one of a host.
fn told_in(input: &Value) -> Option<(Vec<String>, ToldByHost)> {
    match HostInput::deserialize(input.get(HOST_FIELD)?) {
        Ok(HostInput {
            by,
            deed: Deed::Tell { who, text },
        }) => Some((who, ToldByHost { by, message: text })),
        Err(error) => {
            tracing::warn!(%error, "an input of the host can't be read");
            None
        }
    }
}
