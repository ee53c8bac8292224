//! Why a model can't be used.

use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::world_data::{Problems, file_text};
use thiserror::Error;

/// Why a model file can't be read, or a model can't be used.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum ModelError {
    /// All that is wrong in the file.
    Malformed(Problems),
    /// No model has this name.
    #[text(mind_unknown_model, file = file_text(file))]
    Unknown {
        alias: String,
        file: String,
        /// The most similar names, best first.
        nearest: Vec<String>,
    },
    /// The provider requires a key and none is set.
    #[text(mind_missing_key)]
    MissingKey {
        alias: String,
        /// The variable for the key.
        variable: String,
    },
    /// The file does not define this tool server.
    #[text(mind_no_tool_servers, server, file = file_text(file), .. if known.is_empty())]
    #[text(mind_unknown_tool_server, file = file_text(file))]
    UnknownServer {
        server: String,
        file: String,
        /// The servers that the file defines.
        known: Vec<String>,
    },
    /// The settings can't be used.
    #[text(mind_unusable_model)]
    Unusable {
        alias: String,
        /// What is wrong, and where it came from.
        reason: UiText,
    },
}
