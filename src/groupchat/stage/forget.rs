//! Taking messages out of contexts.

use crate::context::AgentContext;
use crate::message::Role;

/// Removes everything except the system message.
pub(super) fn clear(context: &mut AgentContext) {
    let entries = context.entries().iter();
    let mut entries = entries.filter(|entry| entry.role() != Role::System);
    let first = entries.next().map(|entry| entry.id());
    let last = entries.next_back().map(|entry| entry.id()).or(first);
    if let (Some(first), Some(last)) = (first, last) {
        // Can't fail: the ids are from this context.
        let _ = context.remove_message_range(first, last);
    }
}

/// Removes the last answer, if it is the last message: a failed run leaves none.
pub(super) fn remove_last_answer(context: &mut AgentContext) {
    let last = context.entries().last();
    let last = last.filter(|entry| entry.role() == Role::Ai);
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
