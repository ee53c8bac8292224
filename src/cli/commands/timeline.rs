//! The view `calls`: the calls of a save in the order in which they were answered.

use crate::cli::prelude::*;
use crate::journal::{AskEnding, Outcome};
use crate::story::Call;

use super::trace::ended;
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Contents, Saved, nobody};

/// Prints the calls of one entity, or all, with what they took.
pub(super) fn timeline(app: &App, slot: &str, name: Option<&str>) -> Result<()> {
    let saved = Saved::find(app, slot)?;
    let story = Contents::of_journal(&saved.story.lines);
    let is_shown = |outcome: &Outcome| name.is_none_or(|name| *outcome.entity == *name);
    if let Some(name) = name
        && !story.answers().any(|(_, outcome)| is_shown(&outcome))
    {
        let asked: Vec<_> = story.answers().map(|(_, outcome)| outcome).collect();
        return Err(nobody(name, asked.iter().map(|outcome| &*outcome.entity)));
    }
    let language = app.language;
    let columns = columns!(
        language, > cli_turn, < cli_name, > cli_timeline_call, < cli_purpose,
        > cli_timeline_prompt, > cli_timeline_answer, > cli_timeline_time, > cli_cost,
        < cli_timeline_result
    );
    let calls = story.answers().filter(|(_, outcome)| is_shown(outcome));
    app.list(
        columns,
        calls,
        |(call, outcome)| json!(as_record(call, outcome)),
        |(call, outcome)| {
            [
                call.turn.to_string(),
                outcome.entity.to_string(),
                outcome.number.to_string(),
                purpose_label(&outcome.purpose).in_language(language),
                outcome.usage.input.to_string(),
                outcome.usage.output.to_string(),
                format!("{:.1} s", outcome.ms as f64 / 1_000.0),
                outcome.cost.to_string(),
                result(language, &outcome),
            ]
        },
    );
    Ok(())
}

fn result(language: Language, outcome: &Outcome) -> String {
    match (&outcome.ending, outcome.refused.len()) {
        (AskEnding::Failed { reason }, _) => say!(language, cli_timeline_default, reason),
        (AskEnding::Answered { .. }, 0) => String::new(),
        (AskEnding::Answered { .. }, count) => say!(language, cli_timeline_refused, count),
    }
}

fn as_record<'o>(call: &Call, outcome: &'o Outcome) -> Printed<'o> {
    let (_, reason) = ended(outcome);
    Printed::Call {
        index: call.call,
        turn: call.turn,
        agent: &outcome.entity,
        id: outcome.id,
        call: outcome.number,
        purpose: &outcome.purpose,
        provider: &outcome.provider,
        model: &outcome.model,
        usage: outcome.usage,
        cost: outcome.cost,
        ms: outcome.ms,
        requests: outcome.calls,
        refused: outcome.refused.len(),
        retries: outcome.retries,
        default: reason.is_some(),
        reason,
    }
}
