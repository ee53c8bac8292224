//! The tool servers of a build that can reach none.

use crate::cli::prelude::*;
use crate::mind::models::{ServerExamination, ServerPlan, ToolServerError};
use crate::tool::{NotBuilt, Toolbox};

#[derive(Default)]
pub(crate) struct ToolServers(());

impl ToolServers {
    /// Fails if there are servers to reach, and says which feature is missing.
    pub(crate) async fn connect(plans: Vec<ServerPlan>) -> Result<Self, ToolServerError> {
        match plans.into_iter().next() {
            None => Ok(Self::default()),
            Some(plan) => Err(ToolServerError {
                place: plan.server.shown(),
                server: plan.name,
                reason: why_not(),
            }),
        }
    }

    pub(crate) fn add_to(&self, _: &mut Toolbox) {}

    pub(crate) async fn close(self) {}
}

/// Finds that the server can't be reached.
pub(crate) async fn examine(plan: ServerPlan) -> ServerExamination {
    let place = plan.server.shown();
    let error = ToolServerError {
        server: plan.name.clone(),
        place: place.clone(),
        reason: why_not(),
    };
    ServerExamination {
        server: plan.name,
        place,
        answers: false,
        tools: Vec::new(),
        notes: vec![error.text()],
    }
}

fn why_not() -> UiText {
    text!(tool_server_not_built, reason = &NotBuilt::MCP)
}
