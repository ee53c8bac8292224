//! A server that is to be started, and why its tools can't be had.

use secrecy::SecretString;
use thiserror::Error;

use super::ToolServer;

/// A server to start, with what the environment says for it.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// Its name, as worlds use it.
    pub name: String,
    /// What the model file says.
    pub server: ToolServer,
    /// What opens it; never shown.
    pub token: Option<SecretString>,
    /// Variables of the environment that a child process must not see: keys of models.
    pub withheld: Vec<String>,
}

/// Why a server's tools can't be had.
#[derive(Debug, Error)]
#[error("the tool server '{server}' ({place}) {reason}")]
pub struct ServerError {
    /// Its name.
    pub server: String,
    /// Its command or address.
    pub place: String,
    /// What happened, and what to do.
    pub reason: String,
}
