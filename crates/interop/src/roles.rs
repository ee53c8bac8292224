//! Roles of messages in other formats.

use playhouse_engine::locale::{Argument, text};
use playhouse_engine::message::{FormatError, Role};
use serde_json::{Map, Value};

/// The role in a member of a message, by the names that its format has for roles.
///
/// # Errors
/// There is none, or it has another name.
pub(super) fn read(
    role: Option<&str>,
    member: &str,
    names: &[(&str, Role)],
) -> Result<Role, FormatError> {
    let known = names.iter().map(|(name, _)| *name);
    let Some(role) = role else {
        let known = Argument::list(known);
        return Err(FormatError::new(member, text!(dialect_missing_role, known)));
    };
    let mut found = names
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(role));
    found
        .next()
        .map(|(_, role)| *role)
        .ok_or_else(|| unknown(member, role, known))
}

/// The error of a role or a type that the format does not have.
pub(super) fn unknown<'n>(
    member: &str,
    role: &str,
    known: impl Iterator<Item = &'n str>,
) -> FormatError {
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
