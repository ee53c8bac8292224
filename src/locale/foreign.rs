//! Errors of other crates. Common ones are translated, all others are shown as they are.

use std::io::{self, ErrorKind};

use super::{Localize, UiText, text};

impl Localize for io::Error {
    fn text(&self) -> UiText {
        let Some(code) = self.raw_os_error() else {
            return UiText::verbatim(self.to_string());
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
            _ => UiText::verbatim(self.to_string()),
        }
    }
}

impl Localize for serde_json::Error {
    fn text(&self) -> UiText {
        let shown = self.to_string();
        let (line, column) = (self.line(), self.column());
        match shown.strip_suffix(&format!(" at line {line} column {column}")) {
            Some(problem) => text!(locale_json, problem, line, column),
            None => UiText::verbatim(shown),
        }
    }
}
