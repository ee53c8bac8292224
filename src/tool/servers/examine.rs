//! Testing a server of tools without a game.

use serde::Serialize;

use super::client::Connected;
use super::plan::ServerPlan;
use crate::locale::{Localize, UiText, text};

/// What a test of a server of tools found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerExamination {
    /// Its name, as in worlds.
    pub server: String,
    /// Its command or address.
    pub place: String,
    /// Whether it listed its tools.
    pub answers: bool,
    /// The tools that may be called, by their names in worlds.
    pub tools: Vec<String>,
    /// What else is worth knowing.
    pub notes: Vec<UiText>,
}

impl ServerPlan {
    /// Starts the server, lists its tools, and stops it again. A server that fails is not an error
    /// but a finding.
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
                let missing = missing.map(|tool| text!(tool_server_lacks, tool));
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
}
