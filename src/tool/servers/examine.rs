//! Looking at a server of tools without a game.

use serde::Serialize;

use super::client::Connected;
use super::plan::ServerPlan;

/// What a server of tools showed when it was started and asked for its tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerExamination {
    /// Its name, as worlds use it.
    pub server: String,
    /// Its command or address.
    pub place: String,
    /// Whether it told its tools.
    pub answers: bool,
    /// The tools that may be called, as worlds name them.
    pub tools: Vec<String>,
    /// What else is worth knowing, as sentences.
    pub notes: Vec<String>,
}

impl ServerPlan {
    /// Starts the server, asks it for its tools, and stops it again. That it can't be had is no error but a
    /// finding.
    pub async fn examine(self) -> ServerExamination {
        let mut found = ServerExamination {
            server: self.name.clone(),
            place: self.server.shown(),
            answers: false,
            tools: Vec::new(),
            notes: Vec::new(),
        };
        let allowed = self.server.tools.clone();
        match Connected::open(self).await {
            Ok(connected) => {
                found.answers = true;
                found.tools = connected.tool_names().collect();
                let missing = allowed.iter().filter(|tool| !connected.has(tool));
                found.notes = missing.map(|tool| lacking(tool)).collect();
                if found.tools.is_empty() {
                    found.notes.push("The server has no tools to call.".into());
                }
                connected.stop().await;
            }
            Err(error) => found.notes.push(error.to_string()),
        }
        found
    }
}

fn lacking(tool: &str) -> String {
    format!("The model file allows the tool '{tool}', which the server does not have.")
}
