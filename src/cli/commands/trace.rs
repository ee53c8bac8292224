//! `trace`: what each call of an entity saw, and what it answered.

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, EntityName, Kind, OnStage};
use playhouse::context::{AgentContext, Entry};
use playhouse::groupchat::seen;
use playhouse::groupchat::stage::BELL;
use playhouse::message::Role;
use playhouse::world_data::nearest;
use serde_json::json;

use crate::cli::desk::Desk;
use crate::cli::error::{Failure, Fault};
use crate::cli::saved::Saved;

/// One call: who, which of its calls, and where its answer stands in its conversation.
struct Call<'w> {
    name: String,
    number: usize,
    sender: String,
    before: Vec<&'w Entry>,
    reply: &'w Entry,
}

/// Shows the calls of one entity, or of all in the order in which they were made.
pub(super) fn trace(desk: &Desk, slot: &str, name: Option<&str>) -> Result<(), Failure> {
    let saved = Saved::find(desk, slot)?;
    let world = saved.world(true)?.world;
    let list = world.resource::<CastList>();
    if let Some(name) = name.filter(|name| list.by_name(name).is_none()) {
        let failure = Failure::new(Fault::Usage, desk.words.no_such_entity(name));
        return Err(match nearest(name, list.names().map(|name| &**name)) {
            Some(near) => failure.try_this(desk.words.nearest(near)),
            None => failure,
        });
    }
    let entities = list.all().map(|(_, entity)| entity);
    let mut calls: Vec<Call> = entities
        .flat_map(|entity| calls_of(&world, entity))
        .collect();
    calls.retain(|call| match name {
        Some(name) => call.name == name,
        None => call.name != BELL,
    });
    // A body's number grows within its place, its time over all.
    calls.sort_by_key(|call| (call.reply.body().time(), call.reply.body().id()));
    let mut out = desk.out();
    for call in &calls {
        match desk.settings.json {
            true => out.json(&as_json(call)),
            false => out.raw(&as_text(call)),
        }
    }
    Ok(())
}

fn calls_of(world: &World, entity: Entity) -> Vec<Call<'_>> {
    let Some(context) = world.get::<AgentContext>(entity) else {
        return Vec::new();
    };
    let name = context.name().to_string();
    // Whoever stands on a stage is asked by it; a stage asks itself.
    let stage = world.get::<OnStage>(entity).map_or(entity, |on| on.0);
    let is_stage = world.get::<Kind>(stage) == Some(&Kind::Stage);
    let sender = world.get::<EntityName>(stage).filter(|_| is_stage);
    let sender = sender.map_or_else(|| name.clone(), ToString::to_string);
    let entries = context.entries();
    let replies = entries.iter().enumerate();
    let replies = replies.filter(|(_, entry)| entry.role() == Role::Ai);
    replies
        .enumerate()
        .map(|(index, (at, reply))| Call {
            name: name.clone(),
            number: index + 1,
            sender: sender.clone(),
            before: entries
                .iter()
                .take(at)
                .filter(|entry| entry.role() != Role::System)
                .collect(),
            reply,
        })
        .collect()
}

fn as_text(call: &Call) -> String {
    let rule = "=".repeat(70);
    let mut text = format!(
        "{rule}\n>>> AGENT: {}  (call #{})\n{rule}\nSender: {}\nInternal context ({}): {} messages\n",
        call.name,
        call.number,
        call.sender,
        call.sender,
        call.before.len()
    );
    for (index, entry) in call.before.iter().enumerate() {
        let seen = seen(entry.role(), entry.body(), &call.name);
        let who = if seen.name.is_empty() {
            &call.sender
        } else {
            &seen.name
        };
        text.push_str(&format!(
            "    [{index}] [{}] {who}: {}\n",
            seen.role, seen.content
        ));
    }
    let reply = call.reply.body().full_text();
    format!("{text}{}\nReply: {reply}\n{rule}\n", "-".repeat(70))
}

fn as_json(call: &Call) -> serde_json::Value {
    let before = call.before.iter();
    let before = before.map(|entry| seen(entry.role(), entry.body(), &call.name));
    json!({
        "agent": call.name, "call": call.number, "sender": call.sender,
        "context": before.collect::<Vec<_>>(), "reply": call.reply.body().full_text(),
    })
}
