//! Taking messages out of contexts.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::WorldTurn;
use playhouse_engine::context::{AgentContext, Chapter, Chapters};
use playhouse_engine::locale::{Language, text};
use playhouse_engine::message::{Body, Role};

/// Moves everything except the system message to a chapter, so that prompts no longer show it.
pub(super) fn archive(world: &mut World, entity: Entity) {
    let turn = world.resource::<WorldTurn>().0;
    let language = *world.resource::<Language>();
    let mut found = world.query::<(&mut AgentContext, &mut Chapters)>();
    let Ok((mut context, mut chapters)) = found.get_mut(world, entity) else {
        return;
    };
    let mut entries = context
        .entries()
        .iter()
        .filter(|entry| entry.role() != Role::System);
    let first = entries.next().map(|entry| entry.id());
    let last = entries.next_back().map(|entry| entry.id()).or(first);
    let Some((first, last)) = first.zip(last) else {
        return;
    };
    // Can't fail: the ids are from this context.
    let messages = context.remove_message_range(first, last);
    let id = chapters.next_id(context.name());
    chapters.close(Chapter {
        id,
        title: text!(groupchat_earlier_talk).in_language(language),
        turn,
        messages: messages.unwrap_or_default(),
        summing_up: Vec::new(),
        summary: Body::text(""),
        record: None,
    });
}

/// Removes the last answer, if it is the last message: a failed run leaves none.
pub(super) fn remove_last_answer(context: &mut AgentContext) {
    let last = context
        .entries()
        .last()
        .filter(|entry| entry.role() == Role::Ai);
    if let Some(id) = last.map(|entry| entry.id()) {
        // Can't fail: the id is from this context.
        let _ = context.remove_message_range(id, id);
    }
}

/// Removes the last tool call and its result, if they are the last messages.
pub(super) fn remove_last_round(context: &mut AgentContext) {
    if let [.., call, result] = context.entries()
        && (call.role(), result.role()) == (Role::Ai, Role::Tool)
    {
        let (first, last) = (call.id(), result.id());
        // Can't fail: the ids are from this context.
        let _ = context.remove_message_range(first, last);
    }
}
