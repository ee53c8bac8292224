//! Reflection: what players believe of everybody, put down for themselves alone.

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::at_table::{AtTable, Next, Sitting, others};
use super::belief::Belief;
use super::rules::Rules;
use super::secret::Confidences;
use super::table::Table;
use crate::event::{EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Ask};

/// Those who heard the last line, or after a vote everybody, are asked what they believe.
pub fn ask_beliefs(mut here: AtTable, mut tell: EventWriter, mut commands: Commands) {
    let on_line = here.is_about_to(Next::ReflectOnLine);
    let Some(stage) = on_line.or(here.is_about_to(Next::ReflectOnRound)) else {
        return;
    };
    // The same step goes on with what follows; answers are taken before anything else in the next.
    here.then(stage, Next::Rest);
    let Some(table) = here.table(stage) else {
        return;
    };
    let last = table.current_descriptions.last().map(|last| last.player_id);
    let speaker = last.filter(|_| on_line.is_some());
    let living: Vec<_> = here
        .living()
        .into_iter()
        .filter(|one| table.is_alive(one.id))
        .collect();
    for hearer in living.iter().filter(|hearer| Some(hearer.id) != speaker) {
        match ask(tell.phrases(), here.rules(), table, hearer, &living) {
            Ok(ask) => {
                commands.entity(hearer.entity).insert(ask);
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

/// Beliefs are kept where nobody but the moderator looks.
pub fn take_beliefs(
    mut here: AtTable,
    mut answers: Answers<Belief>,
    mut confidences: Query<&mut Confidences>,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = here.stage() else { return };
    let table = here.table(stage);
    let is_describing = table.is_some_and(|table| !table.current_descriptions.is_empty());
    // After a vote the next round is open already.
    let round = table.map_or(0, |table| table.round - u32::from(!is_describing));
    for (player, belief, _by) in answers.take() {
        if let Ok(mut confidences) = confidences.get_mut(player) {
            confidences.keep_belief(round, belief);
        }
    }
    here.then(
        stage,
        match is_describing {
            true => Next::Describe,
            false => Next::SumUp,
        },
    );
}

fn ask(
    phrases: &Phrasebook,
    rules: &Rules,
    table: &Table,
    hearer: &Sitting,
    living: &[Sitting],
) -> Result<Ask<Belief>, String> {
    let others = others(living, hearer.id);
    let facts: Value = json!({
        "me": hearer.name,
        "kind": "actor",
        "place": rules.table,
        "number": hearer.id,
        "round": table.round,
        "companions": others.0.iter().map(|(_, name)| name).collect::<Vec<_>>(),
        "legal": others.0.iter().map(|(id, name)| json!({"id": id, "name": name})).collect::<Vec<_>>(),
    });
    let prompt = phrases.say("undercover/asks/belief", &facts)?;
    let short = phrases.say("undercover/asks/belief_short", &facts)?;
    let ask = Ask::new("undercover.belief", prompt, others, Belief::default());
    let ask = ask.condensed(short).notes(facts);
    Ok(ask.max_tokens(rules.reply_tokens))
}
