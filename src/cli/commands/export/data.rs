//! `export --csv` and `--parquet`: stories as tables for statistics.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

use playhouse_engine::parallel;

use crate::save::Slot;
use crate::story::data::{Cell, CellKind, Column, Rows, StoryRow, TABLES, Table, tables_of};

use crate::cli::commands::told;
use crate::cli::event_types;
use crate::cli::saved::{Group, Saved, groups_of};

/// What says of each row which story it is of.
pub(super) const KEY: [Column; 3] = [
    Column {
        name: "condition",
        kind: CellKind::Text,
        optional: true,
        about: "The condition of the experiment.",
    },
    Column {
        name: "seed",
        kind: CellKind::Whole,
        optional: false,
        about: "The seed of the story.",
    },
    Column {
        name: "slot",
        kind: CellKind::Text,
        optional: false,
        about: "The name of the save.",
    },
];

/// The rows of so many stories are held at a time.
const AT_ONCE: usize = 16;

/// Writes the rows of tables into files.
pub(super) trait TableFiles: Sized {
    /// Begins a file for each table.
    fn create(folder: &Path) -> Result<Self>;

    /// Adds the rows of a story to that of a table, each with its key.
    fn add(&mut self, table: &Table, rows: Vec<Vec<Cell>>) -> Result<()>;

    fn finish(self) -> Result<()>;
}

/// Writes all tables of a save, of the games of a batch, or of an experiment.
pub(super) fn export<F: TableFiles>(app: &App, name: &str, folder: &Path) -> Result<()> {
    let groups = groups_of(app, name)?;
    let create = || {
        std::fs::create_dir_all(folder).map_err(|error| cant_write(folder, error))?;
        F::create(folder)
    };
    // Only once a story was read.
    let mut files = None;
    let mut counts = BTreeMap::new();
    for group in &groups {
        for slots in group.slots.chunks(AT_ONCE) {
            for tables in parallel::map(slots, |slot| rows_of(app, group, slot)) {
                let tables = tables?;
                let files = match &mut files {
                    Some(files) => files,
                    None => files.insert(create()?),
                };
                for Rows { table, rows } in tables {
                    *counts.entry(table.name).or_insert(0) += rows.len();
                    files.add(&table, rows)?;
                }
            }
        }
    }
    files.map_or_else(create, Ok)?.finish()?;
    let folder = folder.display().to_string();
    app.tell(
        &Printed::Tables {
            slot: name,
            folder: &folder,
            rows: counts,
        },
        say!(
            app.language,
            cli_exported,
            folder = &folder,
            tables = TABLES.len()
        ),
    );
    Ok(())
}

/// The rows of a story, each with its key.
fn rows_of(app: &App, group: &Group, slot: &Slot) -> Result<Vec<Rows>> {
    let saved = group.open(app, slot)?;
    let seed = saved.story.seed();
    let view = told::read(&saved, None)?;
    let contents = view.read();
    let key = [
        group
            .condition
            .clone()
            .map_or(Cell::Empty, |name| Cell::Text(name.into())),
        Cell::Whole(i64::try_from(seed).unwrap_or(i64::MAX)),
        Cell::Text(slot.name().as_str().into()),
    ];
    let tables = tables_of(&story_row(group, &saved)?, &contents, &event_types()).into_iter();
    let keyed = tables.map(|Rows { table, rows }| Rows {
        table,
        rows: rows
            .into_iter()
            .map(|row| key.iter().cloned().chain(row).collect())
            .collect(),
    });
    Ok(keyed.collect())
}

fn story_row(group: &Group, saved: &Saved) -> Result<StoryRow> {
    let head = &saved.story.header;
    let given = saved.minds(0);
    let models: Vec<_> = given
        .iter()
        .map(|(name, model)| format!("{name}={model}"))
        .collect();
    Ok(StoryRow {
        world: head.world.clone(),
        fingerprint: head.data.clone(),
        model: group.model.clone().unwrap_or_default(),
        models: (!models.is_empty()).then(|| models.join(",")),
        engine: env!("CARGO_PKG_VERSION"),
        over: saved.is_over()?,
        ..StoryRow::default()
    })
}

pub(super) fn cant_write(path: &Path, error: impl std::fmt::Display) -> CommandError {
    let message = text!(cli_cant_write, error = error.to_string());
    CommandError::new(ErrorKind::Other, message).at(path.display())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    const PAGE: &str = "docs/data.md";
    /// Where the tables begin in the page.
    const MARK: &str = "<!-- from the types -->\n";

    fn write_columns(page: &mut String, columns: &[Column]) {
        *page += "\n| column | type | meaning |\n| --- | --- | --- |\n";
        for column in columns {
            let kind = match column.kind {
                CellKind::Text => "text",
                CellKind::Whole => "whole number",
                CellKind::Number => "number",
                CellKind::Flag => "true or false",
            };
            let empty = if column.optional { ", or empty" } else { "" };
            let (name, about) = (column.name, column.about.trim());
            let _ = writeln!(page, "| `{name}` | {kind}{empty} | {about} |");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "as snapshots are updated")]
    fn the_page_of_tables_is_that_of_their_types() {
        let page = std::fs::read_to_string(PAGE).unwrap();
        let (words, old) = page.split_once(MARK).unwrap();
        let mut new = String::new();
        write_columns(&mut new, &KEY);
        for table in TABLES {
            let (name, about) = (table.name, table.about.trim());
            let _ = write!(new, "\n### `{name}`\n\n{about}\n");
            write_columns(&mut new, table.columns);
        }
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(PAGE, format!("{words}{MARK}{new}")).unwrap();
        } else {
            assert!(
                old == new,
                "{PAGE} is out of date; update it with INSTA_UPDATE=always"
            );
        }
    }
}
