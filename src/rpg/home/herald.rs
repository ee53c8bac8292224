//! The voices of the world: each makes one announcement a day.

use bevy_ecs::prelude::*;
use serde_json::json;

use super::known::witnessed;
use super::prose_ask;
use crate::cast::{CurrentStage, Whereabouts};
use crate::context::AgentContext;
use crate::event::kinds::Announce;
use crate::event::{EventWriter, Fault};
use crate::exchange::{Answers, Prose};
use crate::rpg::campaign_state::CampaignState;
use crate::rpg::components::RpgWorld;
use crate::rpg::phase::Phase;

/// A voice of the world makes one announcement from what it witnessed since its last.
pub fn ask_announcement(
    here: Res<CurrentStage>,
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(agent) = *here else {
        return;
    };
    let Ok(mut phase) = phases.get_mut(agent) else {
        return;
    };
    *phase = Phase::HeraldDone;
    let (Some(name), Ok(context)) = (whereabouts.name(agent), contexts.get(agent)) else {
        return;
    };
    let facts = json!({
        "me": name.0, "name": name.0, "kind": "world", "place": "",
        "day": campaign.days_done + 1,
        "events": witnessed(context),
    });
    let limits = (600, &*world.0);
    match prose_ask(tell.phrases(), "world.announce", "announce", facts, limits) {
        Ok(ask) => {
            commands.entity(agent).insert(ask);
        }
        Err(reason) => tell.fault(Fault::Game(reason)),
    }
}

/// The announcement goes out at the meeting.
pub fn take_announcement(
    here: Res<CurrentStage>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
) {
    let CurrentStage::Place(agent) = *here else {
        return;
    };
    for (entity, Prose(message), _by) in answers.take() {
        let actor = whereabouts.name_text(entity);
        let event = Announce {
            actor,
            stage: String::new(),
            message,
        };
        tell.announce(event, &[entity]);
    }
    if let Ok(mut phase) = phases.get_mut(agent) {
        *phase = Phase::Rest;
    }
}
