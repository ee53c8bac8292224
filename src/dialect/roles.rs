//! Roles that a message had in another format.

use serde_json::{Map, Value};

/// Takes the role that a message had in another format, if ours is another: `system` of a later system
/// message, `developer`.
pub(super) fn take_role(origin: &mut Map<String, Value>) -> Option<String> {
    let role = origin.get("role")?.as_str()?.to_owned();
    matches!(role.as_str(), "system" | "developer").then(|| {
        origin.remove("role");
        role
    })
}
