//! A server that is to be started, what a test of it found, and why it fails.

use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::secrets::Secret;
use serde::Serialize;
use thiserror::Error;

use super::environment::ChildEnvironment;
use super::tool_server::ToolServer;

/// A server to start, with its values from the environment.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// Its name, as in worlds.
    pub name: String,
    /// Its entry in the model file.
    pub server: ToolServer,
    /// Its bearer token, which is never shown.
    pub token: Option<Secret>,
    /// The variables that its process sees.
    pub environment: ChildEnvironment,
}

/// What a test of a server of tools found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<UiText>,
}

/// Why a server can't be used.
#[derive(Debug, Error, Localize)]
#[text(tool_server_failed)]
pub struct ToolServerError {
    pub server: String,
    /// Its command or address.
    pub place: String,
    /// What happened, and what to do.
    pub reason: UiText,
}
