//! Errors of other crates. Common ones are translated, all others are shown as they are.

use std::io::{self, ErrorKind};

use serde_json::error::Category;

use super::{Argument, Localize, UiText, text};

impl Localize for io::Error {
    fn text(&self) -> UiText {
        let Some(code) = self.raw_os_error() else {
            return UiText::verbatim(self);
        };
        match self.kind() {
            ErrorKind::AlreadyExists => text!(locale_already_exists, code),
            ErrorKind::ConnectionRefused => text!(locale_connection_refused, code),
            ErrorKind::ConnectionReset => text!(locale_connection_reset, code),
            ErrorKind::IsADirectory => text!(locale_is_a_directory, code),
            ErrorKind::NetworkUnreachable => text!(locale_network_unreachable, code),
            ErrorKind::NotADirectory => text!(locale_not_a_directory, code),
            ErrorKind::NotFound => text!(locale_not_found, code),
            ErrorKind::PermissionDenied => text!(locale_permission_denied, code),
            ErrorKind::ReadOnlyFilesystem => text!(locale_read_only, code),
            ErrorKind::StorageFull => text!(locale_storage_full, code),
            _ => UiText::verbatim(self),
        }
    }
}

/// What is wrong, after the path of the value if it is part of another.
impl Localize for serde_path_to_error::Error<serde_json::Error> {
    fn text(&self) -> UiText {
        let (path, problem) = (self.path().to_string(), self.inner());
        match path.as_str() {
            "." => problem.text(),
            path => text!(locale_json_at, path, problem),
        }
    }
}

/// In English its own sentence; in other languages the kind of the error and its place, and the
/// names that it quotes.
impl Localize for serde_json::Error {
    fn text(&self) -> UiText {
        // It may quote a file.
        let sentence = self.to_string().replace(char::is_control, "\u{fffd}");
        let problem = match self.classify() {
            Category::Io => return UiText::verbatim(sentence),
            Category::Syntax => text!(locale_json_syntax),
            Category::Eof => text!(locale_json_incomplete),
            Category::Data => {
                let names: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
                if names.is_empty() {
                    text!(locale_json_value)
                } else {
                    text!(locale_json_value_of, names = Argument::list(names))
                }
            }
        };
        let (line, column) = (self.line(), self.column());
        // A value that was not read from text has no place.
        let text = if line == 0 {
            problem
        } else {
            text!(locale_json, problem, line, column)
        };
        UiText::foreign(sentence, text)
    }
}
