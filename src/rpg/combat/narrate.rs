//! The stage narrates the round from what was done on it in public.

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::arena::{Arena, statuses};
use super::state::RoundAction;
use crate::event::{EventWriter, PromptTemplate};
use crate::exchange::{Answers, AskTemplate, Prose};
use crate::rpg::events::{CombatantStatus, Narration};
use crate::rpg::phase::Phase;
use crate::rpg::question::ProseQuestion;

pub(super) const NARRATION: ProseQuestion<NarrationData> = ProseQuestion {
    question: AskTemplate::condensed(
        "combat.narrate",
        "asks/combat_narrate",
        "asks/combat_narrate_short",
    ),
    fallback: PromptTemplate::new("fallback/combat_round"),
    max_chars: 0,
};

/// What a stage is asked for its narration with.
#[derive(Default, Serialize)]
pub(super) struct NarrationData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    round: u32,
    #[serde(rename = "deeds")]
    actions: &'a [RoundAction],
    #[serde(rename = "standing")]
    combatants: Vec<CombatantStatus>,
}

/// Asks the stage to narrate the round.
pub(super) fn ask_narration(mut arena: Arena, mut events: EventWriter, mut commands: Commands) {
    let Some(stage) = arena.stage() else { return };
    arena.set_phase(&stage, Phase::RoundDone);
    let combat = arena.combat(&stage);
    let data = NarrationData {
        me: &stage.name,
        kind: "stage",
        place: &stage.name,
        round: combat.round,
        actions: &combat.actions,
        combatants: statuses(&arena.combatants(&combat)),
    };
    let ask = NARRATION.ask(events.phrases(), &arena.world(), &data);
    events.insert_or_fault(&mut commands, stage.entity, ask);
}

/// Everybody alive on the stage hears its narration.
pub(super) fn take_narration(arena: Arena, mut answers: Answers<Prose>, mut events: EventWriter) {
    let Some(stage) = arena.stage() else { return };
    for (narrator, Prose(message), _by) in answers.take() {
        let narration = Narration {
            stage: stage.name.to_string(),
            message,
        };
        events.broadcast_to_stage(stage.entity, narration, &[narrator]);
    }
}
