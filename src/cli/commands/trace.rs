//! `trace`: what each call of an entity was asked, and what it answered; in a team, what it saw.

use std::collections::BTreeSet;

use crate::cast::CastList;
use crate::groupchat::{CONTROLLER, MindCall, mind_calls};
use crate::journal::{Ending, Line, Outcome};
use crate::locale::Language;
use crate::message::Block;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::CommandError;
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Played, Saved, nobody};
use crate::cli::say::say;

/// Prints the calls of one entity, or all in the order in which they were answered, including those
/// in teams that are tools.
pub(super) fn trace(app: &App, slot: &str, name: Option<&str>) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    if !matches!(saved.played, Played::Team(_)) {
        return trace_journal(app, &saved, name);
    }
    let world = saved.world(true)?.world;
    let mut calls = mind_calls(&world);
    if let Some(name) = name {
        let list = world.resource::<CastList>().names().map(|name| &**name);
        let within = calls.iter().map(|call| call.agent.as_str());
        let known: BTreeSet<&str> = list.chain(within).collect();
        check_known(name, &known)?;
    }
    calls.retain(|call| match name {
        Some(name) => call.agent == name,
        None => call.agent != CONTROLLER,
    });
    let mut out = app.out();
    for call in &calls {
        if app.settings.json {
            out.json(&as_json(call));
        } else {
            out.raw(&as_text(app.language, call));
        }
    }
    Ok(())
}

fn check_known(name: &str, known: &BTreeSet<&str>) -> Result<(), CommandError> {
    if known.contains(name) {
        return Ok(());
    }
    Err(nobody(name, known.iter().copied()))
}

/// Prints the calls of one entity, or all, as the journal has them. A context keeps questions
/// shorter than they were asked and replaces what is over by summaries, so it can't tell what was
/// sent.
fn trace_journal(app: &App, saved: &Saved, name: Option<&str>) -> Result<(), CommandError> {
    let outcomes = saved.story.lines.iter().filter_map(|line| match line {
        Line::Outcome(outcome) => Some(&**outcome),
        _ => None,
    });
    let outcomes: Vec<_> = outcomes.collect();
    if let Some(name) = name {
        let world = saved.world(true)?.world;
        let cast = world.resource::<CastList>().names().map(|name| &**name);
        let asked = outcomes.iter().map(|outcome| &*outcome.entity);
        check_known(name, &cast.chain(asked).collect())?;
    }
    let mut out = app.out();
    for outcome in outcomes {
        if name.is_some_and(|name| *outcome.entity != *name) {
            continue;
        }
        if app.settings.json {
            out.json(&outcome_as_json(outcome));
        } else {
            out.raw(&outcome_as_text(app.language, outcome));
        }
    }
    Ok(())
}

fn outcome_as_text(language: Language, outcome: &Outcome) -> String {
    let rule = "=".repeat(70);
    let purpose = purpose_label(&outcome.purpose);
    let model = format!("{}/{}", outcome.provider, outcome.model);
    let mut lines = vec![
        rule.clone(),
        say!(
            language,
            cli_trace_call,
            agent = &*outcome.entity,
            number = outcome.number
        ),
        rule.clone(),
        say!(language, cli_trace_asked, purpose, model),
        outcome.asked.clone(),
        "-".repeat(70),
    ];
    for recalled in &outcome.recalled {
        let source = [&recalled.day, &recalled.place].into_iter().flatten();
        let source = source.map(|part| &**part).collect::<Vec<_>>().join(", ");
        let memory = format!("[{source}] {}", recalled.text);
        lines.push(if recalled.used {
            say!(language, cli_trace_recalled_used, memory)
        } else {
            say!(language, cli_trace_recalled, memory)
        });
    }
    for refused in &outcome.refused {
        lines.push(say!(language, cli_trace_refused, answer = &refused.answer));
        lines.extend(Some(refused.complaint.clone()).filter(|text| !text.is_empty()));
    }
    for round in &outcome.rounds {
        for block in &round.said {
            if let Block::ToolUse { name, input, .. } = block {
                lines.push(format!("{name}({input})"));
            }
        }
        lines.extend(round.results.iter().map(|result| result.text.clone()));
    }
    lines.push(match &outcome.ending {
        Ending::Answered { text, .. } => say!(language, cli_trace_reply, reply = text),
        Ending::Failed { reason } => say!(language, cli_trace_failed, reason),
    });
    lines.push(rule);
    lines.join("\n") + "\n"
}

fn outcome_as_json(outcome: &Outcome) -> Value {
    let (reply, failed) = match &outcome.ending {
        Ending::Answered { text, .. } => (Some(text), None),
        Ending::Failed { reason } => (None, Some(reason.to_string())),
    };
    json!({
        "record": "call", "agent": &*outcome.entity, "id": outcome.id, "call": outcome.number,
        "purpose": outcome.purpose, "provider": &*outcome.provider, "model": &*outcome.model,
        "asked": outcome.asked, "recalled": outcome.recalled, "refused": outcome.refused,
        "rounds": outcome.rounds, "prompt_bytes": outcome.prompt_bytes,
        "reply": reply, "failed": failed,
    })
}

/// In a form that is known from other tools.
fn as_text(language: Language, call: &MindCall) -> String {
    let rule = "=".repeat(70);
    let (agent, number, sender) = (&call.agent, call.number, &call.sender);
    let mut lines = vec![
        rule.clone(),
        say!(language, cli_trace_call, agent, number),
        rule.clone(),
        say!(language, cli_trace_sender, sender),
    ];
    if !call.team_path.is_empty() {
        lines.push(say!(language, cli_trace_inside, team = &call.team_path));
    }
    let count = call.context.len();
    lines.push(say!(language, cli_trace_context, sender, count));
    for (index, seen) in call.context.iter().enumerate() {
        let who = match seen.name.as_str() {
            "" => sender,
            name => name,
        };
        let (role, said) = (&seen.role, &seen.content);
        lines.push(format!("    [{index}] [{role}] {who}: {said}"));
    }
    let reply = say!(language, cli_trace_reply, reply = &call.reply);
    lines.extend(["-".repeat(70), reply, rule]);
    lines.join("\n") + "\n"
}

fn as_json(call: &MindCall) -> Value {
    let mut json = json!({
        "record": "call", "agent": call.agent, "call": call.number, "sender": call.sender,
        "context": call.context, "reply": call.reply,
    });
    if !call.team_path.is_empty() {
        json["team_path"] = call.team_path.as_str().into();
    }
    json
}
