//! What the host of a story does to it between two turns: a voice from outside, or an effect as
//! those of choices. It comes as an input, so the journal keeps it, with who did it.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, all_of};
use playhouse_engine::engine::{Inputs, MeetSet, Setup, StoryEnd};
use playhouse_engine::event::{AgentEvent, write_events_at_meeting};
use playhouse_engine::journal::{given_by, is_undo, new_minds, new_seed};
use playhouse_engine::knowledge::FactBook;
use playhouse_engine::session::HOST_FIELD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::campaign_state::advance_campaign;
use super::scenes::effects::{Cause, SceneText, apply_effects};
use super::scenes::open::CalledScene;
use crate::drama::{Effect, StoryData};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HostDeed {
    /// Tells these, by name, something that nobody else hears.
    Tell {
        who: Vec<String>,
        text: String,
    },
    /// Changes something as a choice would.
    Effect {
        /// The place of effects that concern everybody at a place, by name; may be empty.
        #[serde(default)]
        place: String,
        effect: Effect,
    },
    /// Opens a scene when people next talk at its stage, whatever its condition says.
    Scene {
        id: String,
    },
    End,
}

/// What a host did, in the record of the story. Nobody in the story is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("host_deed", style = HostDeed, private)]
pub(crate) struct HostDid {
    by: String,
    what: DeedKind,
    who: Vec<String>,
    /// The item, fact, quality, place, scene or effect.
    thing: String,
    place: String,
    change: i32,
    is_done: bool,
}

/// The kinds of deeds, by which their phrase goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DeedKind {
    Tell,
    Give,
    Put,
    Teach,
    Move,
    Change,
    Scene,
    #[default]
    Effect,
    /// The story was taken back.
    Undo,
    /// The story has another seed.
    Seed,
    /// Others answer for an actor.
    Minds,
    End,
}

/// A deed in the journal.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostInput {
    by: String,
    #[serde(rename = "do")]
    deed: HostDeed,
}

impl HostDeed {
    /// The input that tells a world of it. See
    /// [`Engine::add_input`](playhouse_engine::engine::Engine::add_input).
    pub fn to_input(&self, by: &str) -> Value {
        let input = HostInput {
            by: by.to_owned(),
            deed: self.clone(),
        };
        json!({ HOST_FIELD: input })
    }

    /// What the record says of it, before it is done.
    fn noted(&self, world: &World, by: String) -> HostDid {
        let title = |title: Option<&str>, id: &str| {
            let title = title.filter(|title| !title.is_empty());
            title.unwrap_or(id).to_owned()
        };
        let one = |who: &String| vec![who.clone()];
        let nowhere = String::new;
        let (what, who, thing, place) = match self {
            Self::Tell { who, .. } => (DeedKind::Tell, who.clone(), nowhere(), nowhere()),
            Self::Scene { id } => (DeedKind::Scene, Vec::new(), id.clone(), nowhere()),
            Self::End => (DeedKind::End, Vec::new(), nowhere(), nowhere()),
            Self::Effect { effect, .. } => match effect {
                Effect::Give(item, to) => (DeedKind::Give, one(to), item.clone(), nowhere()),
                Effect::Put(item, place) => {
                    (DeedKind::Put, Vec::new(), item.clone(), place.clone())
                }
                Effect::Teach(who, id) => {
                    let book = world.get_resource::<FactBook>();
                    let fact = book.and_then(|book| book.get(id));
                    let title = title(fact.map(|fact| &*fact.title), id);
                    (DeedKind::Teach, one(who), title, nowhere())
                }
                Effect::Move(who, place) => (DeedKind::Move, one(who), nowhere(), place.clone()),
                Effect::Add(id, _) => {
                    let story = world.get_resource::<StoryData>();
                    let quality = story.and_then(|story| story.quality(id));
                    let title = title(quality.map(|quality| &*quality.title), id);
                    (DeedKind::Change, Vec::new(), title, nowhere())
                }
                effect => {
                    let effect = ron::to_string(effect).unwrap_or_default();
                    (DeedKind::Effect, Vec::new(), effect, nowhere())
                }
            },
        };
        let change = match self {
            Self::Effect {
                effect: Effect::Add(_, by),
                ..
            } => *by,
            _ => 0,
        };
        HostDid {
            by,
            what,
            who,
            thing,
            place,
            change,
            is_done: false,
        }
    }

    /// The deed of an input, if it is one, and who did it.
    fn of(input: &Value) -> Option<(Self, String)> {
        let input = HostInput::deserialize(input.get(HOST_FIELD)?);
        match input {
            Ok(input) => Some((input.deed, input.by)),
            Err(error) => {
                tracing::warn!(%error, "an input of the host can't be read");
                None
            }
        }
    }
}

pub(super) fn plugin(setup: &mut Setup) {
    let inputs = take_inputs.run_if(resource_exists::<Inputs>);
    let before = inputs.in_set(MeetSet::Rules).before(advance_campaign);
    setup.meet.add_systems(before);
}

/// What an input says of the branch that begins with it.
fn branch_notes(input: &Value) -> Vec<HostDid> {
    let did = |what, who, thing| HostDid {
        by: given_by(input).to_owned(),
        what,
        who,
        thing,
        ..HostDid::default()
    };
    let undone = is_undo(input).then(|| did(DeedKind::Undo, Vec::new(), String::new()));
    let seed = new_seed(std::slice::from_ref(input));
    let seed = seed.map(|seed| did(DeedKind::Seed, Vec::new(), seed.to_string()));
    let minds = new_minds(input)
        .into_iter()
        .map(|(who, model)| did(DeedKind::Minds, vec![who], model));
    undone.into_iter().chain(seed).chain(minds).collect()
}

pub(super) fn take_inputs(world: &mut World) {
    let inputs = world.get_resource::<Inputs>();
    let inputs = inputs.map_or(Vec::new(), |inputs| inputs.0.clone());
    for did in inputs.iter().flat_map(branch_notes) {
        note(world, did, true);
    }
    for (deed, by) in inputs.iter().filter_map(HostDeed::of) {
        let noted = deed.noted(world, by);
        match deed {
            HostDeed::Tell { who, text } => tell(world, &who, text, noted),
            HostDeed::Effect { place, effect } => {
                let named = world.resource::<CastList>().by_name(&place);
                let home = || all_of(world, Kind::Stage).first().copied();
                let place = named.or_else(home);
                let is_done =
                    place.is_some_and(|place| apply_effects(world, Cause::at(place), &[effect]));
                note(world, noted, is_done);
            }
            HostDeed::Scene { id } => {
                let is_done = call_scene(world, &id).is_some();
                note(world, noted, is_done);
            }
            HostDeed::End => {
                note(world, noted, true);
                world.insert_resource(StoryEnd(String::new()));
            }
        }
    }
}

/// Writes into the record of the story that the host did something.
fn note(world: &mut World, did: HostDid, is_done: bool) {
    let did = HostDid { is_done, ..did };
    write_events_at_meeting(world, |events| events.notify_entities(&[], did));
}

fn call_scene(world: &mut World, id: &str) -> Option<()> {
    let story = world.get_resource::<StoryData>()?;
    let scene = story.scene(id)?;
    let stage = world.resource::<CastList>().by_name(&scene.at)?;
    world.entity_mut(stage).insert(CalledScene(id.into()));
    Some(())
}

fn tell(world: &mut World, names: &[String], message: String, noted: HostDid) {
    let cast = world.resource::<CastList>();
    let who: Vec<_> = names.iter().filter_map(|name| cast.by_name(name)).collect();
    note(world, noted, !who.is_empty());
    if !who.is_empty() {
        let to = names.join(", ");
        write_events_at_meeting(world, |events| {
            let text = SceneText {
                message,
                to,
                ..SceneText::default()
            };
            events.notify_entities(&who, text);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Campaign;
    use playhouse_engine::cast::{CurrentStage, EntityName};
    use playhouse_engine::event::EventQueue;
    use playhouse_engine::session::Game;
    use playhouse_engine::world_data::DataFolder;

    #[test]
    fn what_a_host_does_is_noted_in_the_language_of_the_world() {
        let failed = "The host applies an effect: Destroy(\"x\"). It could not be done.";
        for (name, texts) in [
            ("drowned-assize", ["The host tells ?:", failed]),
            (
                "zhaoying-ban",
                [
                    "主持人告诉?：",
                    "主持人施加了一个效果：Destroy(\"x\")。但没有办成。",
                ],
            ),
        ] {
            let campaign = Campaign::load(&DataFolder::embedded(), name).unwrap();
            let mut setup = campaign.set_up(1).unwrap();
            campaign.populate(&mut setup).unwrap();
            let world = &mut setup.world;
            world.insert_resource(CurrentStage::Meeting);
            let actor = all_of(world, Kind::Actor)[0];
            let actor = world.get::<EntityName>(actor).unwrap().to_string();
            let deeds = [
                HostDeed::Tell {
                    who: vec![actor.clone()],
                    text: "…".into(),
                },
                HostDeed::Effect {
                    place: String::new(),
                    effect: Effect::Destroy("x".into()),
                },
            ];
            let inputs = deeds.map(|deed| deed.to_input("host"));
            world.insert_resource(Inputs(inputs.to_vec()));
            let mut noted = Vec::new();
            for input in std::mem::take(&mut world.resource_mut::<Inputs>().0) {
                world.resource_mut::<Inputs>().0 = vec![input];
                take_inputs(world);
                let queue = std::mem::take(&mut world.resource_mut::<EventQueue>().0);
                let mut notes = queue
                    .into_iter()
                    .filter(|event| event.kind == HostDid::TYPE);
                noted.extend(notes.next());
            }
            let told: Vec<_> = noted.iter().map(|note| note.text.clone()).collect();
            assert_eq!(told, texts.map(|text| text.replace('?', &actor)));
            let is_by_host = |note: &playhouse_engine::event::PendingEvent| {
                note.data["by"] == "host" && note.audience.is_empty()
            };
            assert!(noted.iter().all(is_by_host));
        }
    }
}
