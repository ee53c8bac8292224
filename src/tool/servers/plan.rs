//! A server that is to be started, and why it fails.

use thiserror::Error;

use super::{ChildEnvironment, ToolServer};
use crate::locale::{Localize, UiText, text};
use crate::secrets::Secret;

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

/// Why a server can't be used.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub struct ToolServerError {
    /// Its name.
    pub server: String,
    /// Its command or address.
    pub place: String,
    /// What happened, and what to do.
    pub reason: UiText,
}

impl Localize for ToolServerError {
    fn text(&self) -> UiText {
        text!(
            tool_server_failed,
            server = &self.server,
            place = &self.place,
            reason = &self.reason
        )
    }
}
