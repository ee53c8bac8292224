//! What a place is doing, and in which order the systems of a step look at it.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cast::CurrentStage;
use crate::engine::{Setup, StepSet};

/// What a place is doing. A place without a phase rests.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing.
    #[default]
    Rest,
    /// Those who have not begun their story are asked to.
    Kickoff,
    /// The answers to that are in.
    KickoffDone,
    /// A home stage describes itself.
    Scene,
    /// The description is in.
    SceneDone,
    /// The actors plan.
    Plan,
    /// The plans are in and are carried out.
    PlanDone,
    /// A voice of the world makes its announcement.
    Herald,
    /// The announcement is in.
    HeraldDone,
    /// A fight begins: combatants are told, and asked for their first thoughts.
    FightBegin,
    /// The first thoughts are in.
    FightBegun,
    /// Combatants draw cards.
    Draw,
    /// The cards are in and are played.
    Play,
    /// The stage tells the round.
    Narrate,
    /// The round was told; another one, or the outcome.
    RoundDone,
    /// Participants sum up what is over.
    SumUp,
    /// The summaries are in.
    SummedUp,
}

/// A run condition: the place that steps is in this phase.
pub fn at(phase: Phase) -> impl Fn(Res<CurrentStage>, Query<&Phase>) -> bool + Clone {
    move |here: Res<CurrentStage>, phases: Query<&Phase>| match *here {
        CurrentStage::Place(place) => phases.get(place).is_ok_and(|now| *now == phase),
        CurrentStage::Meeting => false,
    }
}

/// The parts of the campaign, in the order in which a step runs them. Within a part, take comes
/// before ask: a place may answer one phase and open the next in one step.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Stories begin.
    Kickoff,
    /// Days at home.
    Home,
    /// Fights.
    Combat,
    /// Chapters close.
    Archive,
}

/// Orders the parts and saves phases.
pub fn plugin(setup: &mut Setup) {
    setup.saves().component::<Phase>("phase");
    let parts = (Part::Kickoff, Part::Home, Part::Combat, Part::Archive);
    setup
        .step
        .configure_sets(parts.chain().in_set(StepSet::Rules));
}
