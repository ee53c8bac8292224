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
    /// What is going on.
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
    /// The number of fights won.
    pub won: u32,
    /// The number of all fights.
    pub fights: u32,
}

impl CampaignState {
    /// The dungeon in which the party is or from which it has just come; empty if there is none.
    pub(super) fn dungeon(&self) -> &str {
        let mut phase = &self.phase;
        while let CampaignPhase::Choice { after }
        | CampaignPhase::Judge { after }
        | CampaignPhase::Archive { after } = phase
        {
            phase = after;
        }
        match phase {
            CampaignPhase::Travel { dungeon, .. }
            | CampaignPhase::Arrival { dungeon, .. }
            | CampaignPhase::Fight { dungeon, .. }
            | CampaignPhase::Camp { dungeon, .. }
            | CampaignPhase::Retreat { dungeon }
            | CampaignPhase::Return { dungeon } => dungeon,
            _ => "",
        }
    }
}

/// What is going on in the campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CampaignPhase {
    /// Nothing has happened yet.
    #[default]
    NotStarted,
    /// Everybody begins its story.
    Kickoff,
    /// A round of a day at home.
    Home {
        /// Which day of this stay, from 1.
        day: u32,
        /// The number of days of this stay.
        days: u32,
        /// Which round of plans, from 1.
        round: u32,
    },
    /// Those who would go vote where to.
    Vote {
        /// The dungeons that they may vote for.
        dungeons: Vec<Arc<str>>,
        /// Which day of this stay; 0 if there was none.
        day: u32,
        /// The number of days of this stay.
        days: u32,
    },
    /// A day at home ends: the world agents make their announcements.
    Evening {
        /// Which day of this stay.
        day: u32,
        /// The number of days of this stay.
        days: u32,
    },
    /// The day is over; conversations that have grown long are archived.
    Night {
        /// Which day of this stay.
        day: u32,
        /// The number of days of this stay.
        days: u32,
    },
    /// The party has reached a dungeon and talks before it meets anybody.
    Travel {
        dungeon: Arc<str>,
        /// Which fight, from 0.
        fight: usize,
    },
    /// The party reaches the stage of a fight, where its foes appear.
    Arrival {
        dungeon: Arc<str>,
        /// Which fight, from 0.
        fight: usize,
    },
    Fight {
        dungeon: Arc<str>,
        /// Which fight, from 0.
        fight: usize,
    },
    /// After a fight that was won, the party talks.
    Camp {
        dungeon: Arc<str>,
        /// The fight that was won, from 0.
        fight: usize,
    },
    /// After a fight that was not won, those who still stand talk.
    Retreat { dungeon: Arc<str> },
    /// The party is home again and talks.
    Return {
        /// The dungeon from which it came.
        dungeon: Arc<str>,
    },
    /// The choices in the scenes of a phase are made.
    Choice {
        /// The phase after which the campaign continues.
        after: Box<Self>,
    },
    /// Conversations that have grown too long are archived before the campaign continues.
    Archive {
        /// The phase after which the campaign continues.
        after: Box<Self>,
    },
    /// Judges are asked about the claims on which the next phase depends.
    Judge {
        /// What comes then: a phase of talk begins, what has to be decided is decided, or the
        /// course is over.
        after: Box<Self>,
    },
    /// The course is over: the first ending that holds is reached.
    CourseOver,
    /// Every actor says what became of it.
    Epilogue,
    /// The world agents close the story.
    Closing,
    /// The campaign is over.
    Over,
}

impl CampaignPhase {
    /// Whether a fight may come right after it.
    pub(super) fn may_meet_foes(&self) -> bool {
        match self {
            Self::Travel { .. } | Self::Camp { .. } | Self::Return { .. } | Self::Vote { .. } => {
                true
            }
            Self::Night { day, days } => day == days,
            Self::Archive { after } => after.may_meet_foes(),
            _ => false,
        }
    }

    /// The dungeons that it is about.
    pub(super) fn dungeons(&self) -> &[Arc<str>] {
        match self {
            Self::Vote { dungeons, .. } => dungeons,
            Self::Travel { dungeon, .. }
            | Self::Arrival { dungeon, .. }
            | Self::Fight { dungeon, .. }
            | Self::Camp { dungeon, .. }
            | Self::Retreat { dungeon }
            | Self::Return { dungeon } => std::slice::from_ref(dungeon),
            Self::Archive { after } | Self::Choice { after } | Self::Judge { after } => {
                after.dungeons()
            }
            _ => &[],
        }
    }
}

/// Saves what this file defines.
pub(super) fn plugin(setup: &mut Setup) {
    setup.world.init_resource::<CampaignState>();
    setup.saves().resource::<CampaignState>("campaign");
}
