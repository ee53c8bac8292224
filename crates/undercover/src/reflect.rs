//! Reflection: what players believe of everybody, written for themselves alone.

use bevy_ecs::prelude::*;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Question};
use serde::Serialize;

use super::belief::Belief;
use super::current_table::{CurrentTable, NextStep, others};
use super::prompt_data::{NumberedName, PlayerData};
use super::secret::PrivateRecord;

/// What a player is asked for its beliefs with. All of it is public.
#[derive(Serialize, Prompt)]
#[prompt(
    "undercover/asks/belief",
    purpose = "undercover.belief",
    short = "undercover/asks/belief_short"
)]
pub(super) struct BeliefData<'a> {
    #[serde(flatten)]
    player: PlayerData<'a>,
    legal: Vec<NumberedName<'a>>,
}

/// Those who heard the last description, or after a vote everybody, are asked for their beliefs.
pub(super) fn ask_beliefs(
    mut current: CurrentTable,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let on_line = current.begin(NextStep::ReflectOnLine);
    let Some(stage) = on_line.or(current.begin(NextStep::ReflectOnRound)) else {
        return;
    };
    let Some(table) = current.table(stage) else {
        return;
    };
    let last = table.current_descriptions.last().map(|last| last.player_id);
    let speaker = last.filter(|_| on_line.is_some());
    let (rules, mut living) = (current.rules(), current.living());
    // A player that was voted out in this step is still among the living of the stage.
    living.retain(|player| table.is_alive(player.id));
    for player in living.iter().filter(|player| Some(player.id) != speaker) {
        let others = others(&living, player.id);
        let data = BeliefData {
            player: PlayerData::new(rules, table, player, &living),
            legal: NumberedName::all(&others),
        };
        let ask = data.ask(events.phrases(), others.clone(), Belief::default());
        let ask = ask.map(|ask| ask.max_tokens(rules.reply_tokens));
        events.insert_or_fault(&mut commands, player.entity, ask);
    }
}

/// Beliefs are kept where only the moderator reads them.
pub(super) fn take_beliefs(
    mut current: CurrentTable,
    mut answers: Answers<Belief>,
    mut records: Query<&mut PrivateRecord>,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = current.stage() else { return };
    let table = current.table(stage);
    let is_describing = table.is_some_and(|table| !table.current_descriptions.is_empty());
    // After a vote the next round has already begun.
    let round = table.map_or(0, |table| table.round - u32::from(!is_describing));
    for (player, belief, _by) in answers.take() {
        if let Ok(mut record) = records.get_mut(player) {
            record.add_belief(round, belief);
        }
    }
    let next = if is_describing {
        NextStep::Describe
    } else {
        NextStep::Summarize
    };
    current.set_next(stage, next);
}
