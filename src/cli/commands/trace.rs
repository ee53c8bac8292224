//! `trace`: what each call of an entity saw, and what it answered.

use std::collections::BTreeSet;

use playhouse::cast::CastList;
use playhouse::groupchat::{CONTROLLER, MindCall, mind_calls};
use playhouse::world_data::nearest;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::error::{Failure, Fault};
use crate::cli::saved::Saved;

/// Shows the calls of one entity, or of all in the order in which they were answered; those within teams that
/// were called as tools too.
pub(super) fn trace(app: &App, slot: &str, name: Option<&str>) -> Result<(), Failure> {
    let saved = Saved::find(app, slot)?;
    let world = saved.world(true)?.world;
    let mut calls = mind_calls(&world);
    if let Some(name) = name {
        let list = world.resource::<CastList>().names().map(|name| &**name);
        let within = calls.iter().map(|call| call.agent.as_str());
        let known: BTreeSet<&str> = list.chain(within).collect();
        check_known(app, name, &known)?;
    }
    calls.retain(|call| match name {
        Some(name) => call.agent == name,
        None => call.agent != CONTROLLER,
    });
    let mut out = app.out();
    for call in &calls {
        match app.settings.json {
            true => out.json(&as_json(call)),
            false => out.raw(&as_text(call)),
        }
    }
    Ok(())
}

fn check_known(app: &App, name: &str, known: &BTreeSet<&str>) -> Result<(), Failure> {
    if known.contains(name) {
        return Ok(());
    }
    let failure = Failure::new(Fault::Usage, app.words.no_such_entity(name));
    Err(match nearest(name, known.iter().copied()) {
        Some(near) => failure.try_this(app.words.nearest(near)),
        None => failure,
    })
}

/// The form that people of other tools know, the same in every language.
fn as_text(call: &MindCall) -> String {
    let rule = "=".repeat(70);
    let (agent, number, sender) = (&call.agent, call.number, &call.sender);
    let mut lines = vec![
        rule.clone(),
        format!(">>> AGENT: {agent}  (call #{number})"),
        rule.clone(),
        format!("Sender: {sender}"),
    ];
    if !call.inside.is_empty() {
        lines.push(format!("Inside: {}", call.inside));
    }
    let count = call.context.len();
    lines.push(format!("Internal context ({sender}): {count} messages"));
    for (index, seen) in call.context.iter().enumerate() {
        let who = match seen.name.as_str() {
            "" => sender,
            name => name,
        };
        let (role, said) = (seen.role, &seen.content);
        lines.push(format!("    [{index}] [{role}] {who}: {said}"));
    }
    lines.extend(["-".repeat(70), format!("Reply: {}", call.reply), rule]);
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
