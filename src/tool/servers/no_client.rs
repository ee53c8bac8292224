//! Takes the place of `client.rs` in a build without `mcp`: no server can be reached.

use super::plan::{ServerPlan, ToolServerError};
use crate::locale::text;
use crate::tool::{NotBuilt, Toolbox};

/// A server that answers; there is none.
pub(super) enum Connected {}

impl Connected {
    /// Fails, and says which feature is missing.
    pub(super) async fn open(plan: ServerPlan) -> Result<Self, ToolServerError> {
        Err(ToolServerError {
            place: plan.server.shown(),
            server: plan.name,
            reason: text!(tool_server_not_built, reason = &NotBuilt::MCP),
        })
    }

    pub(super) fn add_to(&self, _: &mut Toolbox) {
        match *self {}
    }

    pub(super) fn tool_names(&self) -> std::iter::Empty<String> {
        match *self {}
    }

    pub(super) fn has(&self, _: &str) -> bool {
        match *self {}
    }

    pub(super) async fn stop(self) {
        match self {}
    }
}
