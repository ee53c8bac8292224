//! What the host of a story does to it between two turns: a voice from outside, or an effect as
//! those of choices. It comes as an input, so the journal keeps it, with who did it.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::campaign_state::advance_campaign;
use super::scenes::effects::{Cause, SceneText, apply_effects};
use super::scenes::open::CalledScene;
use crate::cast::{CastList, Kind, all_of};
use crate::drama::{Effect, StoryData};
use crate::engine::{Inputs, MeetSet, Setup};
use crate::event::write_events_at_meeting;

/// The field of an input that holds what a host did.
const HOST: &str = "host";

/// What a host does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HostDeed {
    /// Tells these, by name, something that nobody else hears.
    Tell {
        /// Who hears it.
        who: Vec<String>,
        /// The words.
        text: String,
    },
    /// Changes something as a choice would.
    Effect {
        /// The place of effects that concern everybody at a place, by name; may be empty.
        #[serde(default)]
        place: String,
        /// What changes.
        effect: Effect,
    },
    /// Opens a scene when people next talk at its stage, whatever its condition says.
    Scene {
        /// Its id.
        id: String,
    },
}

/// A deed in the journal.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostInput {
    /// Who did it.
    by: String,
    #[serde(rename = "do")]
    deed: HostDeed,
}

impl HostDeed {
    /// The input that tells a world of it. See
    /// [`Engine::add_input`](crate::engine::Engine::add_input).
    pub fn to_input(&self, by: &str) -> Value {
        let input = HostInput {
            by: by.to_owned(),
            deed: self.clone(),
        };
        json!({ HOST: input })
    }

    /// The deed of an input, if it is one.
    fn of(input: &Value) -> Option<Self> {
        let input = HostInput::deserialize(input.get(HOST)?);
        match input {
            Ok(input) => Some(input.deed),
            Err(error) => {
                tracing::warn!(%error, "an input of the host can't be read");
                None
            }
        }
    }
}

/// Adds the systems of this file.
pub(super) fn plugin(setup: &mut Setup) {
    let inputs = take_inputs.run_if(resource_exists::<Inputs>);
    let before = inputs.in_set(MeetSet::Rules).before(advance_campaign);
    setup.meet.add_systems(before);
}

pub(super) fn take_inputs(world: &mut World) {
    let inputs = world.get_resource::<Inputs>();
    let deeds = inputs.iter().flat_map(|inputs| &inputs.0);
    let deeds: Vec<_> = deeds.filter_map(HostDeed::of).collect();
    for deed in deeds {
        match deed {
            HostDeed::Tell { who, text } => tell(world, &who, text),
            HostDeed::Effect { place, effect } => {
                let named = world.resource::<CastList>().by_name(&place);
                let home = || all_of(world, Kind::Stage).first().copied();
                if let Some(place) = named.or_else(home) {
                    apply_effects(world, Cause::at(place), &[effect]);
                }
            }
            HostDeed::Scene { id } => call_scene(world, &id),
        }
    }
}

fn call_scene(world: &mut World, id: &str) {
    let story = world.get_resource::<StoryData>();
    let scene = story.and_then(|story| story.scenes.iter().find(|scene| scene.id == id));
    let stage = scene.and_then(|scene| world.resource::<CastList>().by_name(&scene.at));
    if let Some(stage) = stage {
        world.entity_mut(stage).insert(CalledScene(id.into()));
    }
}

fn tell(world: &mut World, who: &[String], message: String) {
    let cast = world.resource::<CastList>();
    let who: Vec<_> = who.iter().filter_map(|name| cast.by_name(name)).collect();
    if !who.is_empty() {
        write_events_at_meeting(world, |events| {
            events.notify_entities(&who, SceneText { message });
        });
    }
}
