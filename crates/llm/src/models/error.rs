//! Why a model can't be used.

use playhouse_engine::locale::{Argument, Localize, UiText, text};
use playhouse_engine::world_data::file_text;
use thiserror::Error;

/// Why a model file can't be read, or a model can't be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.text())]
pub enum ModelError {
    /// The file can't be parsed.
    Syntax {
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong, and how to fix it.
        reason: UiText,
    },
    /// The file has wrong values.
    Invalid {
        file: String,
        /// Everything that is wrong: the place, and what would be right.
        problems: Vec<UiText>,
    },
    /// No model has this name.
    Unknown {
        alias: String,
        file: String,
        /// The most similar names, best first.
        nearest: Vec<String>,
    },
    /// The provider requires a key and none is set.
    MissingKey {
        alias: String,
        /// The variable for the key.
        variable: String,
    },
    /// The file does not define this tool server.
    UnknownServer {
        server: String,
        file: String,
        /// The servers that the file defines.
        known: Vec<String>,
    },
    /// The settings can't be used.
    Unusable {
        alias: String,
        /// What is wrong, and where it came from.
        reason: UiText,
    },
}

impl Localize for ModelError {
    fn text(&self) -> UiText {
        match self {
            Self::Syntax {
                file,
                line,
                column,
                reason,
            } => text!(
                mind_model_file_syntax,
                file = file_text(file),
                line,
                column,
                reason
            ),
            Self::Invalid { file, problems } => {
                let lines = problems.iter();
                let file = || file_text(file);
                let line = |problem| text!(mind_model_file_problem, file = file(), problem);
                let lines = lines.map(line);
                let joined = lines.reduce(|first, next| text!(mind_lines, first, next));
                joined.unwrap_or_default()
            }
            Self::Unknown {
                alias,
                file,
                nearest,
            } => {
                let nearest = Argument::list(nearest);
                text!(mind_unknown_model, alias, file = file_text(file), nearest)
            }
            Self::MissingKey { alias, variable } => text!(mind_missing_key, alias, variable),
            Self::UnknownServer {
                server,
                file,
                known,
            } if known.is_empty() => text!(mind_no_tool_servers, server, file = file_text(file)),
            Self::UnknownServer {
                server,
                file,
                known,
            } => {
                let known = Argument::list(known);
                text!(
                    mind_unknown_tool_server,
                    server,
                    file = file_text(file),
                    known
                )
            }
            Self::Unusable { alias, reason } => text!(mind_unusable_model, alias, reason),
        }
    }
}
