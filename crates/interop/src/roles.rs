//! Roles of messages in other formats.

use playhouse_engine::locale::{Argument, text};
use playhouse_engine::message::FormatError;
use serde_json::{Map, Value};

/// The error of a message without a role. `member` is the member for it.
pub(super) fn missing(member: &str, known: &[&str]) -> FormatError {
    let known = Argument::list(known);
    FormatError::new(member, text!(dialect_missing_role, known))
}

/// The error of a role that the format does not have.
pub(super) fn unknown(member: &str, role: &str, known: &[&str]) -> FormatError {
    let known = Argument::list(known);
    FormatError::new(member, text!(dialect_unknown_role, role, known))
}

/// Takes the original role of a message out of `origin`, if our format has no such role:
/// `developer`, or `system` for a system message that is not the first.
pub(super) fn take_role(origin: &mut Map<String, Value>) -> Option<String> {
    let role = origin.get("role")?.as_str()?.to_owned();
    matches!(role.as_str(), "system" | "developer").then(|| {
        origin.remove("role");
        role
    })
}
