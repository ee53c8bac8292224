//! Testing a server of tools without a game.

use playhouse_engine::locale::{Localize, text};
use playhouse_llm::models::{ServerExamination, ServerPlan};

use super::client::Connected;

/// Starts the server, lists its tools, and stops it again. A server that fails is not an error
/// but a finding.
pub async fn examine(plan: ServerPlan) -> ServerExamination {
    let mut found = ServerExamination {
        server: plan.name.clone(),
        place: plan.server.shown(),
        answers: false,
        tools: Vec::new(),
        notes: Vec::new(),
    };
    let allowed = plan.server.tools.clone();
    match Connected::open(plan).await {
        Ok(connected) => {
            found.answers = true;
            found.tools = connected.tool_names().collect();
            let missing = allowed
                .iter()
                .filter(|tool| !connected.has(tool))
                .map(|tool| text!(tool_server_lacks, tool));
            found.notes = missing.collect();
            if found.tools.is_empty() {
                found.notes.push(text!(tool_server_no_tools));
            }
            connected.stop().await;
        }
        Err(error) => found.notes.push(error.text()),
    }
    found
}
