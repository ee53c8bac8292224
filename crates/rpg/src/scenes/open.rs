//! Which scene opens where.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, name_of};
use playhouse_engine::event::{AgentEvent, write_events_at_meeting};
use playhouse_engine::knowledge::Today;
use serde::{Deserialize, Serialize};

use super::choose::{end_scene, next_choice};
use super::effects::apply_on_arrival;
use crate::drama::{History, Occasion, Scene, StoryData, next_scene, note_scenes};
use crate::everybody::{living_on, participants, set_phase};
use crate::phase::Phase;
use crate::travel::send;

/// On a stage: the scene that is played there, from its opening to its effects.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenScene {
    pub(crate) id: Arc<str>,
    /// The maximum number of turns of talk; `None` for as many as in any talk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) turns: Option<u32>,
    /// How many of its choices are over.
    #[serde(default, skip_serializing_if = "is_none_over")]
    pub(crate) choices: usize,
    /// Whether there was something to decide as it opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) decides: bool,
}

impl OpenScene {
    /// Whether nothing has been decided of what there was to decide.
    pub(crate) fn is_undecided(&self) -> bool {
        self.decides && self.choices == 0
    }

    /// It goes on for an answer, with nothing to decide.
    pub(crate) fn for_an_answer(self) -> Self {
        Self {
            turns: Some(1),
            choices: usize::MAX,
            decides: false,
            ..self
        }
    }
}

fn is_none_over(choices: &usize) -> bool {
    *choices == 0
}

/// On a stage: the scene that opens there next, whatever its condition says, since the host called
/// for it.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct CalledScene(pub(crate) Arc<str>);

/// A scene begins, in the words of the world file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("scene_opens", style = SceneText, place = stage, target = to, words = message)]
pub(crate) struct SceneOpens {
    pub(crate) stage: String,
    pub(crate) scene: String,
    pub(crate) message: String,
    /// Who alone are told this; empty for all others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) to: String,
}

/// Lets people on a stage talk: in the scene that opens there on this occasion, or else for this
/// number of turns if anybody is there. Returns whether they talk. At a meeting.
pub(crate) fn open_talk(world: &mut World, stage: Entity, on: Occasion, turns: i32) -> bool {
    let talks = turns > 0 && !living_on(world, stage).is_empty();
    let opens = !open_scenes(world, &[stage], on).is_empty();
    if talks && !opens {
        set_phase(world, stage, Phase::Plan);
    }
    opens || talks
}

/// Opens the scenes that may open on these stages on this occasion, and tells them once those who
/// are cast have come from other places; returns on which. At a meeting.
pub(crate) fn open_scenes(world: &mut World, stages: &[Entity], on: Occasion) -> Vec<Entity> {
    world.insert_resource(on);
    let scenes = stages.iter();
    let opened = scenes.filter_map(|stage| Some((*stage, open_scene(world, *stage)?)));
    let opened: Vec<_> = opened.collect();
    for (stage, scene) in &opened {
        tell_opening(world, *stage, scene);
        set_phase(world, *stage, Phase::Plan);
    }
    opened.into_iter().map(|(stage, _)| stage).collect()
}

/// Plays what happened before the story begins: nobody talks, and nothing is decided. At a meeting.
pub(crate) fn play_past(world: &mut World, stages: &[Entity]) {
    world.insert_resource(Occasion::Start);
    for stage in stages {
        if let Some(scene) = open_scene(world, *stage) {
            tell_opening(world, *stage, &scene);
            end_scene(world, *stage, &scene.id);
        }
    }
    apply_on_arrival(world);
    world.insert_resource(Occasion::default());
}

/// Opens the scene of a stage, if one may open now.
fn open_scene(world: &mut World, stage: Entity) -> Option<Scene> {
    let name = world.get::<EntityName>(stage).map(ToString::to_string)?;
    let called = world.entity_mut(stage).take::<CalledScene>();
    let scenes = &world.resource::<StoryData>().scenes;
    let scene = match called {
        Some(CalledScene(id)) => scenes.iter().find(|scene| *scene.id == *id),
        None => next_scene(world, scenes, &name),
    };
    note_scenes(world, scenes, &name, scene);
    let scene = scene.cloned()?;
    let day = world.resource::<Today>().0;
    let id: Arc<str> = scene.id.as_str().into();
    let mut history = world.resource_mut::<History>();
    history.scenes.push((id.clone(), day));
    let open = OpenScene {
        id,
        turns: scene.turns,
        choices: 0,
        decides: false,
    };
    world.entity_mut(stage).insert(open.clone());
    let list = world.resource::<CastList>();
    let cast: Vec<_> = scene
        .cast
        .iter()
        .filter_map(|who| list.by_name(who))
        .collect();
    send(world, &cast, stage);
    let decides = next_choice(world, stage, &open, false).is_some();
    world
        .entity_mut(stage)
        .insert(OpenScene { decides, ..open });
    Some(scene)
}

/// Tells the stage and those who take part what they are told at the beginning of a scene.
fn tell_opening(world: &mut World, stage: Entity, scene: &Scene) {
    let mut told = participants(world, stage);
    told.push(stage);
    let opening = |message: &str, to: &[String]| SceneOpens {
        stage: scene.at.clone(),
        scene: scene.id.clone(),
        message: message.to_owned(),
        to: to.join(", "),
    };
    let mut openings = Vec::new();
    for own in &scene.opening_for {
        let is_meant = |who: &Entity| own.to.contains(&name_of(world, *who));
        let (meant, others): (Vec<_>, Vec<_>) = told.into_iter().partition(is_meant);
        openings.push((meant, opening(&own.text, &own.to)));
        told = others;
    }
    openings.insert(0, (told, opening(&scene.opening, &[])));
    openings.retain(|(told, event)| !told.is_empty() && !event.message.is_empty());
    write_events_at_meeting(world, |events| {
        for (told, event) in openings {
            events.notify_entities(&told, event);
        }
    });
}
