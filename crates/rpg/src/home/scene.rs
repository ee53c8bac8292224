//! Stages: each describes how a day begins on it.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Whereabouts;
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::kinds::Announce;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Prose};
use playhouse_engine::message::Role;
use serde::Serialize;

use crate::campaign_phase::CampaignState;
use crate::components::RpgWorld;
use crate::conversation::last_event_text;
use crate::events::StageDescription;
use crate::kickoff::names_without;
use crate::phase::{CurrentPlace, Phase};
use crate::question::{ProseForm, Writer};

const SCENE: ProseForm = ProseForm {
    fallback: SceneData::FALLBACK,
    max_chars: 1_200,
    min_letters: 24,
};

/// What a stage is asked for its description with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/scene",
    purpose = "home.scene",
    short = "asks/scene_short",
    FALLBACK = "fallback/scene"
)]
pub(super) struct SceneData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    day: u32,
    /// Whether it was looked at before, for minds without language.
    again: bool,
    /// The name of the first round of a day; may be empty.
    hour: &'a str,
    present: Vec<String>,
    profile: Option<&'a str>,
    news: &'a str,
    last_news: &'a str,
}

/// A home stage describes how the day begins on it.
pub(crate) fn ask_scene(
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(Phase::SceneDone) else {
        return;
    };
    let (Some(name), Ok(context)) = (whereabouts.name(stage), contexts.get(stage)) else {
        return;
    };
    let news = last_event_text::<Announce>(context);
    let data = SceneData {
        me: &name.0,
        name: &name.0,
        kind: "stage",
        place: &name.0,
        day: campaign.days_done + 1,
        again: context.entries().iter().any(|it| it.role() == Role::Ai),
        hour: world.0.hour(1),
        present: names_without(&whereabouts, &whereabouts.living_on(stage), stage),
        profile: world.0.stage(&name.0).map(|stage| stage.profile.as_str()),
        news: &news,
        last_news: &news,
    };
    let writer = Writer {
        name: &name.0,
        silent: &data.present,
        ..Writer::default()
    };
    let ask = SCENE.ask(events.phrases(), &world.0, writer, &data);
    events.insert_or_fault(&mut commands, stage, ask);
}

/// Everybody on the stage sees what it described; then they plan.
pub(crate) fn take_scene(
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut current: CurrentPlace,
    mut events: EventWriter,
) {
    for (entity, Prose(message), _by) in answers.take() {
        let stage = whereabouts.name_text(entity);
        events.broadcast_to_stage(entity, StageDescription { stage, message }, &[entity]);
    }
    current.set_phase(Phase::Plan);
}
