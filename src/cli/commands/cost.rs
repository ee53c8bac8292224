//! `cost`: what a save has cost, by entity and by purpose.

use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::Failure;
use crate::cli::output::Paragraph;
use crate::cli::saved::Saved;
use crate::cli::tables::{spending, spending_json, spent_by_entity, spent_by_purpose};

/// Shows the ledgers of a save.
pub(super) fn cost(app: &App, slot: &str) -> Result<(), Failure> {
    // What was spent is known whatever became of the world's data since.
    let setup = Saved::find(app, slot)?.world(true)?;
    let by_entity = spent_by_entity(&setup.world);
    let by_purpose = spent_by_purpose(&setup.world);
    let mut out = app.out();
    if app.settings.json {
        out.pretty_json(&json!({
            "by_entity": spending_json(&by_entity),
            "by_purpose": spending_json(&by_purpose),
        }));
        return Ok(());
    }
    let words = app.words;
    spending(words, words.who(), &by_entity).write(&mut out);
    out.paragraph(&Paragraph::blank());
    spending(words, words.purpose(), &by_purpose).write(&mut out);
    Ok(())
}
