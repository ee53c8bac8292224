//! The stage: it describes how a day begins on it.

use bevy_ecs::prelude::*;
use serde_json::json;

use super::known::last_of;
use super::prose_ask;
use crate::cast::{CurrentStage, Whereabouts};
use crate::context::AgentContext;
use crate::event::{EventWriter, Fault};
use crate::exchange::{Answers, Prose};
use crate::rpg::campaign_state::CampaignState;
use crate::rpg::components::RpgWorld;
use crate::rpg::events::Scene;
use crate::rpg::kickoff::names;
use crate::rpg::phase::Phase;

/// A home stage describes how the day begins on it.
pub fn ask_scene(
    here: Res<CurrentStage>,
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(stage) = *here else {
        return;
    };
    let Ok(mut phase) = phases.get_mut(stage) else {
        return;
    };
    *phase = Phase::SceneDone;
    let Some(name) = whereabouts.name(stage) else {
        return;
    };
    let day = campaign.days_done + 1;
    let profile = world.0.stages.iter().find(|other| other.name == *name.0);
    let context = contexts.get(stage).ok();
    let news = context.and_then(|context| last_of(context, "announce"));
    let news = news.unwrap_or_default();
    let facts = json!({
        "me": name.0, "name": name.0, "kind": "stage", "place": name.0,
        "day": day,
        "present": names(&whereabouts, &whereabouts.living_on(stage), stage),
        "profile": profile.map(|stage| &stage.profile),
        "news": news,
        "last_news": news,
    });
    let limits = (1_200, &*world.0);
    match prose_ask(tell.phrases(), "home.scene", "scene", facts, limits) {
        Ok(ask) => {
            commands.entity(stage).insert(ask);
        }
        Err(reason) => tell.fault(Fault::Game(reason)),
    }
}

/// Everybody on the stage sees what it described; then they plan.
pub fn take_scene(
    here: Res<CurrentStage>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
) {
    let CurrentStage::Place(stage) = *here else {
        return;
    };
    for (entity, Prose(message), _by) in answers.take() {
        let stage = whereabouts.name_text(entity);
        tell.broadcast_to_stage(entity, Scene { stage, message }, &[entity]);
    }
    if let Ok(mut phase) = phases.get_mut(stage) {
        *phase = Phase::Plan;
    }
}
