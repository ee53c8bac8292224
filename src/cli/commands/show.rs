//! `show`: what the entities of a save remember.

use crate::cast::{CastList, EntityName, Kind};
use crate::context::{AgentContext, Chapters, buffer, context_to_json};
use crate::message::{Block, Content, Role};
use crate::session::state_at;
use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::play;
use crate::cli::app::App;
use crate::cli::args::ShowAs;
use crate::cli::error::CommandError;
use crate::cli::saved::{Saved, entity, nobody, session_error};
use crate::cli::say::say;
use crate::cli::tables::{Side, Table};

/// Prints the memory of one entity, or lists all.
pub(super) fn show(
    app: &App,
    slot: &str,
    name: Option<&str>,
    form: ShowAs,
    turn: Option<u64>,
) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let world = match turn {
        // For reading, the data may have changed since.
        None => saved.world(true)?.world,
        Some(turn) => {
            let past = state_at(&saved.slot, saved.played.game(), turn);
            let past = play::runtime()?.block_on(past);
            past.map_err(session_error)?.engine.world
        }
    };
    match name {
        None => list(app, &world),
        Some(name) => show_one(app, &world, name, form)?,
    }
    Ok(())
}

fn show_one(app: &App, world: &World, name: &str, form: ShowAs) -> Result<(), CommandError> {
    let Some(context) = world.get::<AgentContext>(entity(world, name)?) else {
        return Err(nobody(name, std::iter::empty()));
    };
    let mut out = app.out();
    let json = match form {
        ShowAs::Buffer if !app.settings.json => {
            out.line(buffer(context).trim_end());
            return Ok(());
        }
        ShowAs::Buffer | ShowAs::Json => context_to_json(context),
        ShowAs::Request => request(context),
    };
    if app.settings.json {
        out.json(&json);
    } else {
        out.pretty_json(&json);
    }
    Ok(())
}

/// The messages as the next request would send them.
fn request(context: &AgentContext) -> Value {
    let messages = context.entries().iter().flat_map(|entry| {
        let role = match entry.role() {
            Role::System => "system",
            Role::Human => "user",
            Role::Ai => "assistant",
            Role::Tool => "tool",
        };
        let blocks = match entry.body().content() {
            Content::Blocks(blocks) => blocks,
            Content::Text(_) => &[][..],
        };
        let results: Vec<_> = blocks.iter().filter_map(result).collect();
        if !results.is_empty() {
            return results;
        }
        let mut message = json!({"role": role, "content": entry.body().short_text()});
        let calls: Vec<_> = blocks.iter().filter_map(call).collect();
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        vec![message]
    });
    json!({ "messages": messages.collect::<Vec<_>>() })
}

fn call(block: &Block) -> Option<Value> {
    let Block::ToolUse {
        id, name, input, ..
    } = block
    else {
        return None;
    };
    let function = json!({"name": name, "arguments": input.to_string()});
    Some(json!({"id": id, "type": "function", "function": function}))
}

fn result(block: &Block) -> Option<Value> {
    let Block::ToolResult {
        tool_use_id,
        output,
        ..
    } = block
    else {
        return None;
    };
    let content = match output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(json!({"role": "tool", "tool_call_id": tool_use_id, "content": content}))
}

fn list(app: &App, world: &World) {
    let rows: Vec<_> = world
        .resource::<CastList>()
        .all()
        .filter_map(|(id, entity)| {
            let context = world.get::<AgentContext>(entity)?;
            let chapters = world.get::<Chapters>(entity);
            Some((
                id,
                world.get::<EntityName>(entity)?.to_string(),
                *world.get::<Kind>(entity)?,
                context.len(),
                context.tokens(),
                chapters.map_or(0, |chapters| chapters.all().len()),
            ))
        })
        .collect();
    let mut out = app.out();
    if app.settings.json {
        for (id, name, kind, messages, tokens, chapters) in rows {
            out.json(&json!({
                "record": "entity", "id": id, "name": name, "kind": kind, "messages": messages,
                "tokens": tokens, "chapters": chapters,
            }));
        }
        return;
    }
    let language = app.language;
    let mut table = Table::new([
        (say!(language, cli_name), Side::Left),
        (say!(language, cli_kind), Side::Left),
        (say!(language, cli_messages), Side::Right),
        (say!(language, cli_tokens), Side::Right),
        (say!(language, cli_chapters), Side::Right),
    ]);
    for (_, name, kind, messages, tokens, chapters) in rows {
        let kind = match kind {
            Kind::Actor => say!(language, cli_actor),
            Kind::Stage => say!(language, cli_stage),
            Kind::WorldAgent => say!(language, cli_world_agent),
        };
        let numbers = [
            messages.to_string(),
            tokens.to_string(),
            chapters.to_string(),
        ];
        table.row([name, kind].into_iter().chain(numbers));
    }
    table.write(&mut out);
}
