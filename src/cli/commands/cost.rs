//! `cost`: what a save, or all games of a tournament, have cost, by entity and by purpose.

use std::collections::BTreeMap;

use crate::exchange::{Ledger, Spent, recorded_ledgers};
use crate::save::Slot;
use crate::undercover::Tournament;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::output::Paragraph;
use crate::cli::saved::{damaged, save_error};
use crate::cli::say::say;
use crate::cli::tables::{spending, spending_by_purpose, spending_json};

/// Prints what a save has cost, by its journal: also what was paid after the last snapshot.
pub(super) fn cost(app: &App, name: &str) -> Result<(), CommandError> {
    let root = &app.settings.saves.value;
    let slot = Slot::find(root, name).map_err(save_error)?;
    let slots = if Tournament::exists(root, name) {
        let games = Tournament::slots_in(root, slot.name()).map_err(save_error)?;
        games.into_iter().map(|game| game.slot).collect()
    } else {
        vec![slot]
    };
    let mut by_entity = Vec::<(String, Spent)>::new();
    let mut all = Ledger::default();
    for slot in slots {
        let lines = slot.read_journal();
        let lines = lines.map_err(|error| damaged(error, slot.name().as_str()))?;
        for (name, ledger) in recorded_ledgers(&lines) {
            all.add(&ledger);
            let spent = ledger.total();
            match by_entity.iter_mut().find(|(known, _)| **known == *name) {
                Some((_, sum)) => *sum += spent,
                None => by_entity.push((name.to_string(), spent)),
            }
        }
    }
    print(app, &by_entity, &all.purposes);
    Ok(())
}

fn print(app: &App, by_entity: &[(String, Spent)], by_purpose: &BTreeMap<String, Spent>) {
    let mut out = app.out();
    if app.settings.json {
        return out.json(&json!({
            "record": "cost",
            "by_entity": spending_json(by_entity),
            "by_purpose": by_purpose,
        }));
    }
    let name = say!(app.language, cli_name);
    spending(app.language, name, by_entity).write(&mut out);
    out.paragraph(&Paragraph::blank());
    spending_by_purpose(app.language, by_purpose).write(&mut out);
}
