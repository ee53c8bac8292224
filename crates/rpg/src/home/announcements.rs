//! World agents: each makes one announcement a day.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Whereabouts;
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::kinds::Announce;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Prose};
use serde::Serialize;

use crate::campaign_phase::CampaignState;
use crate::components::RpgWorld;
use crate::conversation::{WitnessedEvent, witnessed};
use crate::phase::{CurrentPlace, Phase};
use crate::question::{ProseForm, Writer};

const ANNOUNCEMENT: ProseForm = ProseForm {
    fallback: AnnouncementData::FALLBACK,
    max_chars: 600,
    min_letters: 12,
};

/// What a world agent is asked for its announcement with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/announce",
    purpose = "world.announce",
    short = "asks/announce_short",
    FALLBACK = "fallback/announce"
)]
pub(super) struct AnnouncementData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    day: u32,
    events: Vec<WitnessedEvent<'a>>,
}

/// A world agent makes one announcement from what it witnessed since its last.
pub(crate) fn ask_announcement(
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(agent) = current.begin(Phase::AnnounceDone) else {
        return;
    };
    let (Some(name), Ok(context)) = (whereabouts.name(agent), contexts.get(agent)) else {
        return;
    };
    let data = AnnouncementData {
        me: &name.0,
        name: &name.0,
        kind: "world",
        place: "",
        day: campaign.days_done + 1,
        events: witnessed(context),
    };
    let ask = ANNOUNCEMENT.ask(events.phrases(), &world.0, Writer::of(&name.0), &data);
    events.insert_or_fault(&mut commands, agent, ask);
}

/// The announcement goes out at the meeting.
pub(crate) fn take_announcement(
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut current: CurrentPlace,
    mut events: EventWriter,
) {
    for (agent, Prose(message), _by) in answers.take() {
        let event = Announce {
            actor: whereabouts.name_text(agent),
            stage: String::new(),
            message,
            tells: Vec::new(),
        };
        events.announce(event, &[agent]);
    }
    current.set_phase(Phase::Idle);
}
