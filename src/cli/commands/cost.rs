//! `cost`: what a save has cost, by entity and by purpose.

use crate::exchange::spent_by_purpose;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::output::Paragraph;
use crate::cli::saved::Saved;
use crate::cli::say::say;
use crate::cli::tables::{spending, spending_by_purpose, spending_json, spent_by_entity};

/// Prints what a save has cost.
pub(super) fn cost(app: &App, slot: &str) -> Result<(), CommandError> {
    // The world's data may have changed since.
    let setup = Saved::find(app, slot)?.world(true)?;
    let by_entity = spent_by_entity(&setup.world);
    let by_purpose = spent_by_purpose(&setup.world);
    let mut out = app.out();
    if app.settings.json {
        out.pretty_json(&json!({
            "by_entity": spending_json(&by_entity),
            "by_purpose": by_purpose,
        }));
        return Ok(());
    }
    let name = say!(app.language, cli_name);
    spending(app.language, name, &by_entity).write(&mut out);
    out.paragraph(&Paragraph::blank());
    spending_by_purpose(app.language, &by_purpose).write(&mut out);
    Ok(())
}
