//! A fight is decided: the stage tells it once, from beginning to end, and it ends.

use bevy_ecs::prelude::*;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Prose};
use serde::Serialize;

use super::arena::{Arena, statuses};
use super::outcome::{end_fight, outcome_of};
use super::state::FightAction;
use crate::components::CurrentFight;
use crate::events::{CombatOutcome, CombatantStatus, Narration};
use crate::phase::Phase;
use crate::question::{ProseForm, Writer};

const ACCOUNT: ProseForm = ProseForm {
    fallback: AccountData::FALLBACK,
    max_chars: 0,
    min_letters: 24,
};

/// What a stage is asked for its account of a fight with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/combat_narrate",
    purpose = "combat.narrate",
    FALLBACK = "fallback/combat_narrate"
)]
pub(super) struct AccountData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    rounds: u32,
    outcome: CombatOutcome,
    #[serde(rename = "deeds")]
    actions: &'a [FightAction],
    #[serde(rename = "standing")]
    combatants: Vec<CombatantStatus>,
}

/// Asks the stage for its account of the fight.
pub(super) fn ask_account(
    mut arena: Arena,
    fights: Query<&CurrentFight>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some((stage, combat, combatants)) = arena.fight() else {
        return;
    };
    arena.set_phase(&stage, Phase::Narrated);
    let world = arena.world();
    let fight = fights.get(stage.entity).ok();
    let data = AccountData {
        me: &stage.name,
        kind: "stage",
        place: &stage.name,
        rounds: combat.round,
        outcome: outcome_of(&world, fight, &stage, &combat, &combatants),
        actions: &combat.actions,
        combatants: statuses(&combatants),
    };
    let alive: Vec<_> = data
        .combatants
        .iter()
        .filter(|status| status.hp > 0)
        .map(|status| status.name.clone())
        .collect();
    let writer = Writer {
        alive: &alive,
        ..Writer::of(&stage.name)
    };
    let ask = ACCOUNT.ask(events.phrases(), &world, writer, &data);
    events.insert_or_fault(&mut commands, stage.entity, ask);
}

/// Everybody alive on the stage hears its account, and the fight ends.
pub(super) fn take_account(
    arena: Arena,
    mut answers: Answers<Prose>,
    fights: Query<&mut CurrentFight>,
    mut events: EventWriter,
    commands: Commands,
) {
    let Some(stage) = arena.stage() else { return };
    let mut account = String::new();
    for (narrator, Prose(message), _by) in answers.take() {
        account.clone_from(&message);
        let narration = Narration {
            stage: stage.name.to_string(),
            message,
        };
        events.broadcast_to_stage(stage.entity, narration, &[narrator]);
    }
    end_fight(arena, &stage, account, fights, events, commands);
}
