//! What became of what was imported, as a table or as records.

use crate::cli::prelude::*;

use crate::interop::cards::{Fate, Row};

/// What was taken, changed and dropped.
#[derive(Default)]
pub(super) struct Report(Vec<Row>);

impl Report {
    pub(super) fn add(&mut self, fate: Fate, field: impl Into<String>, note: UiText) {
        self.0.push(Row {
            field: field.into(),
            fate,
            note,
        });
    }

    /// Whether anything was taken.
    pub(super) fn has_taken(&self) -> bool {
        self.0.iter().any(|row| row.fate == Fate::Taken)
    }

    pub(super) fn print(self, app: &App) {
        let language = app.language;
        let columns = columns!(language, < cli_import_part, < cli_import_fate, < cli_import_note);
        let json = |row: &Row| {
            json!(Printed::Import {
                file: None,
                actor: None,
                field: &row.field,
                fate: row.fate.name(),
                note: row.note.to_string(),
            })
        };
        app.list(columns, self.0, json, |row| {
            let fate = super::fate(row.fate).in_language(language);
            [row.field, fate, row.note.in_language(language)]
        });
    }
}
