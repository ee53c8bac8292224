//! What a place is doing, and the order of the campaign's systems in a step.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::CurrentStage;
use playhouse_engine::engine::{Setup, StepSet};
use serde::{Deserialize, Serialize};

/// What a place is doing; `Idle` if it has no phase.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    #[default]
    Idle,
    /// Everybody here whose story has not begun is asked to begin it.
    Kickoff,
    KickoffDone,
    /// A home stage describes itself.
    Scene,
    SceneDone,
    Plan,
    /// The plans are in and are carried out.
    PlanDone,
    /// The heroes here vote.
    Vote,
    Voted,
    /// The stage is asked to judge what an actor tries.
    Attempt,
    Attempted,
    /// A judge is asked whether something is so.
    Judge,
    Judged,
    /// The decider of a scene is asked.
    Choose,
    Chosen,
    /// Everybody here is asked what became of it.
    Epilogue,
    EpilogueDone,
    /// A world agent makes its announcement.
    Announce,
    AnnounceDone,
    FightBegin,
    /// What the combatants thought of it is in.
    Reflected,
    Draw,
    /// The words of the cards are in.
    Drawn,
    /// The combatant whose turn it is is asked what it plays.
    Play,
    /// It acts, and the next one's turn comes.
    Act,
    /// Something was told in a fight, or a round is over; at the meeting, it may move foes.
    Weigh,
    /// The fight is decided; the stage is asked to tell it.
    Narrate,
    /// The fight has been told; next is its outcome.
    Narrated,
    /// Those who fought are told the outcome, and the fight is archived.
    ArchiveCombat,
    /// Participants summarize what is over.
    Summarize,
    Summarized,
}

/// A run condition: the current place is in this phase.
pub(super) fn in_phase(phase: Phase) -> impl Fn(Res<CurrentStage>, Query<&Phase>) -> bool + Clone {
    move |stage: Res<CurrentStage>, phases: Query<&Phase>| match *stage {
        CurrentStage::Place(place) => phases.get(place).is_ok_and(|current| *current == phase),
        CurrentStage::Meeting => false,
    }
}

/// The place that steps, and its phase.
#[derive(SystemParam)]
pub(super) struct CurrentPlace<'w, 's> {
    stage: Res<'w, CurrentStage>,
    phases: Query<'w, 's, &'static mut Phase>,
}

impl CurrentPlace<'_, '_> {
    /// The place; `None` at a meeting.
    pub(super) fn entity(&self) -> Option<Entity> {
        match *self.stage {
            CurrentStage::Place(place) => Some(place),
            CurrentStage::Meeting => None,
        }
    }

    /// The place, where another phase begins; `None` at a meeting.
    pub(super) fn begin(&mut self, next: Phase) -> Option<Entity> {
        self.set_phase(next);
        self.entity()
    }

    pub(super) fn set_phase(&mut self, next: Phase) {
        if let Some(place) = self.entity()
            && let Ok(mut phase) = self.phases.get_mut(place)
        {
            *phase = next;
        }
    }
}

/// The systems of the campaign in the order in which a step runs them. Within a set, systems that
/// take answers run before those that ask, so that one step may end a phase and begin the next.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum CampaignSet {
    Kickoff,
    Home,
    Scenes,
    Combat,
    Archive,
}

pub(super) fn plugin(setup: &mut Setup) {
    setup.saves().component::<Phase>("phase");
    let sets = (
        CampaignSet::Kickoff,
        CampaignSet::Home,
        CampaignSet::Scenes,
        CampaignSet::Combat,
        CampaignSet::Archive,
    );
    setup
        .step
        .configure_sets(sets.chain().in_set(StepSet::Rules));
}
