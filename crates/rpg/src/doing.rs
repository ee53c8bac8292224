//! What is going on at a place, for those who look on.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::phase::Phase;
use super::scenes::open::OpenScene;

/// What is going on at a stage, in a word: its phase, or the scene that is open there.
pub(super) fn doing(stage: EntityRef<'_>) -> &'static str {
    let is_in_scene = stage.contains::<OpenScene>();
    match stage.get::<Phase>().copied().unwrap_or_default() {
        Phase::FightBegin | Phase::Act | Phase::Weigh | Phase::Narrate | Phase::Narrated => "fight",
        Phase::Choose | Phase::Chosen => "choice",
        Phase::Vote | Phase::Voted => "vote",
        Phase::Attempt | Phase::Attempted => "attempt",
        Phase::Epilogue | Phase::EpilogueDone => "ending",
        _ if is_in_scene => "scene",
        Phase::Kickoff | Phase::KickoffDone | Phase::Scene | Phase::SceneDone => "opening",
        Phase::Plan | Phase::PlanDone => "talk",
        _ => "",
    }
}

/// The id of the scene that is open at a stage.
pub(super) fn open_scene(stage: EntityRef<'_>) -> Option<Arc<str>> {
    stage.get::<OpenScene>().map(|open| open.id.clone())
}
