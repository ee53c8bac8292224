//! The tool servers of a model file.

use serde::Serialize;

use super::error::ModelError;
use super::resolve::{Models, SettingSource};
use super::server_plan::ServerPlan;
use super::tool_server::ToolServer;

/// A tool server as people see it: its token only as set or missing.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ToolServerSummary {
    /// Its name, as worlds use it.
    pub server: String,
    /// Its command or URL, without anything that may be secret.
    pub place: String,
    /// The tools that may be used; all if empty.
    pub tools: Vec<String>,
    /// `set`, `missing`, or `none` if it needs none.
    pub token: &'static str,
    /// The variable for the token.
    #[schemars(with = "Option<String>")]
    pub token_from: Option<SettingSource>,
}

impl Models {
    /// The names of the tool servers, in order.
    pub fn server_names(&self) -> impl Iterator<Item = &str> {
        self.file.servers.keys().map(String::as_str)
    }

    /// The settings of each tool server.
    pub fn server_summaries(&self) -> Vec<ToolServerSummary> {
        let servers = self.file.servers.iter();
        let summary = |(name, server): (&String, &ToolServer)| ToolServerSummary {
            server: name.clone(),
            place: server.shown(),
            tools: server.tools.clone(),
            token: match &server.token_env {
                Some(variable) if self.keys.contains_key(variable) => "set",
                Some(_) => "missing",
                None => "none",
            },
            token_from: server.token_env.clone().map(SettingSource::Environment),
        };
        servers.map(summary).collect()
    }

    /// The tool servers of these names, ready to be started.
    ///
    /// # Errors
    /// [`ModelError::UnknownServer`] for the first name that the file does not define.
    pub fn tool_servers<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<ServerPlan>, ModelError> {
        let plan =
            |name: &str| {
                let server = self.file.servers.get(name).cloned().ok_or_else(|| {
                    ModelError::UnknownServer {
                        server: name.into(),
                        file: self.file_name.clone(),
                        known: self.file.servers.keys().cloned().collect(),
                    }
                })?;
                server.keep_secrets();
                let token = server.token_env.as_deref();
                Ok(ServerPlan {
                    name: name.into(),
                    token: token.and_then(|variable| self.keys.get(variable).cloned()),
                    environment: self.environments.get(name).cloned().unwrap_or_default(),
                    server,
                })
            };
        names.into_iter().map(plan).collect()
    }
}
