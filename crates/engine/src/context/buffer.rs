//! The readable form of a context: `System: …`, `H: …`, `AI(name): …`.

use std::fmt::Write;

use super::AgentContext;
use crate::message::Role;

/// Writes a context for people, one message per line, in the form that the next prompt shows.
pub fn buffer(context: &AgentContext) -> String {
    let mut out = String::new();
    for entry in context.entries() {
        let body = entry.body();
        let text = match body.short() {
            Some(short) => short.as_str().into(),
            None => body.shown(),
        };
        // Writing to a string can't fail.
        let _ = match entry.role() {
            Role::System => writeln!(out, "System: {text}"),
            Role::Human => writeln!(out, "H: {text}"),
            Role::Ai => writeln!(out, "AI({}): {text}", context.name()),
            Role::Tool => writeln!(out, "Tool: {text}"),
        };
    }
    out
}
