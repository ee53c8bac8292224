//! How far the campaign is.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Setup;
use serde::{Deserialize, Serialize};

use super::world_file::CampaignStep;

/// How far the campaign is. It changes at meetings only.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignState {
    pub phase: CampaignPhase,
    /// The number of completed steps of the schedule.
    pub steps_done: usize,
    /// The journey or the vote that comes next, as far as people know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<CampaignStep>,
    /// What was voted for the next journey: a dungeon, or [`STAY`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voted: Option<Arc<str>>,
    /// The number of completed days at home, over the whole campaign.
    pub days_done: u32,
    pub won: u32,
    pub fights: u32,
}

impl CampaignState {
    /// The round of a day at home, from 1; 0 anywhere else.
    pub(super) fn round(&self) -> u32 {
        match self.phase.bare() {
            CampaignPhase::Home { round, .. } => *round,
            _ => 0,
        }
    }

    /// The dungeon in which the party is or from which it has just come; empty if there is none.
    pub(super) fn dungeon(&self) -> &str {
        self.phase.dungeon().map_or("", |dungeon| dungeon)
    }
}

/// A day of a stay at home.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stay {
    /// From 1; 0 if there is no stay.
    pub day: u32,
    pub days: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FightPlace {
    pub dungeon: Arc<str>,
    /// From 0.
    pub fight: usize,
}

/// What is going on in the campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CampaignPhase {
    #[default]
    NotStarted,
    /// Everybody begins its story.
    Kickoff,
    /// A round of a day at home.
    Home {
        stay: Stay,
        /// Which round of plans, from 1.
        round: u32,
    },
    /// Those who would go vote where to.
    Vote {
        /// The dungeons that they may vote for.
        dungeons: Vec<Arc<str>>,
        stay: Stay,
    },
    /// A day at home ends: the world agents make their announcements.
    Evening {
        stay: Stay,
    },
    /// The day is over; conversations that have grown long are archived.
    Night {
        stay: Stay,
    },
    /// The party has reached a dungeon and talks before it meets its foes.
    Travel {
        at: FightPlace,
    },
    /// The party reaches the stage of a fight, where its foes appear.
    Arrival {
        at: FightPlace,
    },
    Fight {
        at: FightPlace,
    },
    /// After a fight that was won, the party talks.
    Camp {
        at: FightPlace,
    },
    /// After a fight that was not won, those who still stand talk.
    Retreat {
        dungeon: Arc<str>,
    },
    /// The party is home again from a dungeon, and talks.
    Return {
        dungeon: Arc<str>,
    },
    /// The choices in the scenes of a phase are made, after which the campaign continues.
    Choice {
        after: Box<Self>,
    },
    /// Conversations that have grown too long are archived before the campaign continues.
    Archive {
        after: Box<Self>,
    },
    /// Judges are asked about the claims on which the next phase depends: a phase of talk, a
    /// choice, or the end of the course.
    Judge {
        after: Box<Self>,
    },
    /// The course is over: the first ending that holds is reached.
    CourseOver,
    /// Every actor says what became of it.
    Epilogue,
    /// The world agents close the story.
    Closing,
    Over,
}

impl CampaignPhase {
    /// Whether a fight may come right after it.
    pub(super) fn may_meet_foes(&self) -> bool {
        match self {
            Self::Travel { .. } | Self::Camp { .. } | Self::Return { .. } | Self::Vote { .. } => {
                true
            }
            Self::Night { stay } => stay.day == stay.days,
            Self::Archive { after } => after.may_meet_foes(),
            _ => false,
        }
    }

    /// The phase after which the campaign continues, if it waits for something in between.
    fn bare(&self) -> &Self {
        match self {
            Self::Archive { after } | Self::Choice { after } | Self::Judge { after } => {
                after.bare()
            }
            phase => phase,
        }
    }

    /// The dungeon in which the party is or from which it has just come.
    fn dungeon(&self) -> Option<&Arc<str>> {
        match self.bare() {
            Self::Travel { at } | Self::Arrival { at } | Self::Fight { at } | Self::Camp { at } => {
                Some(&at.dungeon)
            }
            Self::Retreat { dungeon } | Self::Return { dungeon } => Some(dungeon),
            _ => None,
        }
    }

    /// The dungeons that it is about.
    pub(super) fn dungeons(&self) -> &[Arc<str>] {
        match self.bare() {
            Self::Vote { dungeons, .. } => dungeons,
            phase => phase.dungeon().map_or(&[], std::slice::from_ref),
        }
    }
}

/// The round of a day at home, from 1; 0 anywhere else.
pub(super) fn round_of(world: &World) -> u32 {
    let campaign = world.get_resource::<CampaignState>();
    campaign.map_or(0, CampaignState::round)
}

pub(super) fn plugin(setup: &mut Setup) {
    setup.world.init_resource::<CampaignState>();
    setup.saves().resource::<CampaignState>("campaign");
}
