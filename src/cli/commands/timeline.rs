//! `timeline`: the calls of a save in the order in which they were answered.

use crate::cast::turn_number;
use crate::journal::AskEnding;
use crate::session::{TimedCall, timeline as calls_of};
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Saved, nobody};
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};

/// Prints the calls of one entity, or all, with what they took.
pub(super) fn timeline(app: &App, slot: &str, name: Option<&str>) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let calls = calls_of(&saved.story.lines);
    let is_shown = |call: &&TimedCall| name.is_none_or(|name| *call.outcome.entity == *name);
    if let Some(name) = name
        && !calls.iter().any(|call| is_shown(&call))
    {
        return Err(nobody(name, calls.iter().map(|call| &*call.outcome.entity)));
    }
    let calls = calls.iter().filter(is_shown);
    let mut out = app.out();
    if app.settings.json {
        calls.for_each(|call| out.json(&as_json(call)));
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
    for TimedCall { turn, outcome, .. } in calls {
        let result = match (&outcome.ending, outcome.refused.len()) {
            (AskEnding::Failed { reason }, _) => say!(language, cli_timeline_default, reason),
            (AskEnding::Answered { .. }, 0) => String::new(),
            (AskEnding::Answered { .. }, count) => say!(language, cli_timeline_refused, count),
        };
        table.row([
            turn_number(*turn).to_string(),
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

fn as_json(call: &TimedCall) -> Value {
    let TimedCall {
        index,
        turn,
        outcome,
    } = call;
    let reason = match &outcome.ending {
        AskEnding::Failed { reason } => Some(reason.to_string()),
        AskEnding::Answered { .. } => None,
    };
    json!({
        "record": "call", "index": index, "turn": turn_number(*turn), "agent": &*outcome.entity,
        "id": outcome.id, "call": outcome.number, "purpose": outcome.purpose,
        "provider": &*outcome.provider, "model": &*outcome.model, "usage": outcome.usage,
        "cost": outcome.cost, "ms": outcome.ms, "requests": outcome.calls,
        "refused": outcome.refused.len(), "retries": outcome.retries,
        "default": reason.is_some(), "reason": reason,
    })
}
