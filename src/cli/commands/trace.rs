//! `trace`: what each call of an entity saw, and what it answered.

use std::collections::BTreeSet;

use crate::cast::CastList;
use crate::groupchat::{CONTROLLER, MindCall, mind_calls};
use crate::locale::{Language, text};
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::loader::did_you_mean;
use crate::cli::saved::Saved;
use crate::cli::say::say;

/// Prints the calls of one entity, or all in the order in which they were answered, including those
/// in teams that are tools.
pub(super) fn trace(app: &App, slot: &str, name: Option<&str>) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
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
    let mut error = CommandError::new(ErrorKind::Usage, text!(cli_no_such_entity, name));
    error.help = did_you_mean(name, known.iter().copied());
    Err(error)
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
    if !call.inside.is_empty() {
        lines.push(say!(language, cli_trace_inside, team = &call.inside));
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
        "agent": call.agent, "call": call.number, "sender": call.sender,
        "context": call.context, "reply": call.reply,
    });
    if !call.inside.is_empty() {
        json["inside"] = call.inside.as_str().into();
    }
    json
}
