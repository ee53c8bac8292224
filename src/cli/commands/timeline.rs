//! The view `calls`: the calls of a save in the order in which they were answered.

use crate::journal::{AskEnding, Outcome};
use crate::story::Call;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Contents, Saved, nobody};
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};

/// Prints the calls of one entity, or all, with what they took.
pub(super) fn timeline(app: &App, slot: &str, name: Option<&str>) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let story = Contents::of_journal(&saved.story.lines);
    let is_shown = |outcome: &Outcome| name.is_none_or(|name| *outcome.entity == *name);
    if let Some(name) = name
        && !story.answers().any(|(_, outcome)| is_shown(outcome))
    {
        let asked = story.answers().map(|(_, outcome)| &*outcome.entity);
        return Err(nobody(name, asked));
    }
    let calls = story.answers().filter(|(_, outcome)| is_shown(outcome));
    let mut out = app.out();
    if app.settings.json {
        calls.for_each(|(call, outcome)| out.json(&as_json(call, outcome)));
        return Ok(());
    }
    let language = app.language;
    let mut table = TextTable::new([
        (say!(language, cli_turn), Alignment::Right),
        (say!(language, cli_name), Alignment::Left),
        (say!(language, cli_timeline_call), Alignment::Right),
        (say!(language, cli_purpose), Alignment::Left),
        (say!(language, cli_timeline_prompt), Alignment::Right),
        (say!(language, cli_timeline_answer), Alignment::Right),
        (say!(language, cli_timeline_time), Alignment::Right),
        (say!(language, cli_cost), Alignment::Right),
        (say!(language, cli_timeline_result), Alignment::Left),
    ]);
    for (call, outcome) in calls {
        let result = match (&outcome.ending, outcome.refused.len()) {
            (AskEnding::Failed { reason }, _) => say!(language, cli_timeline_default, reason),
            (AskEnding::Answered { .. }, 0) => String::new(),
            (AskEnding::Answered { .. }, count) => say!(language, cli_timeline_refused, count),
        };
        table.row([
            call.turn.to_string(),
            outcome.entity.to_string(),
            outcome.number.to_string(),
            purpose_label(&outcome.purpose).in_language(language),
            outcome.usage.input.to_string(),
            outcome.usage.output.to_string(),
            format!("{:.1} s", outcome.ms as f64 / 1_000.0),
            outcome.cost.to_string(),
            result,
        ]);
    }
    table.write(&mut out);
    Ok(())
}

fn as_json(call: &Call, outcome: &Outcome) -> Value {
    let reason = match &outcome.ending {
        AskEnding::Failed { reason } => Some(reason.to_string()),
        AskEnding::Answered { .. } => None,
    };
    json!({
        "record": "call", "index": call.call, "turn": call.turn, "agent": &*outcome.entity,
        "id": outcome.id, "call": outcome.number, "purpose": outcome.purpose,
        "provider": &*outcome.provider, "model": &*outcome.model, "usage": outcome.usage,
        "cost": outcome.cost, "ms": outcome.ms, "requests": outcome.calls,
        "refused": outcome.refused.len(), "retries": outcome.retries,
        "default": reason.is_some(), "reason": reason,
    })
}
