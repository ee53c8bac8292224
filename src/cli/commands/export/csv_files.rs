//! Tables as CSV files, after RFC 4180.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use csv::Writer;

use super::data::{KEY, TableFiles, cant_write};
use crate::story::data::{Cell, TABLES, Table};

/// A CSV file for each table, with its column names in the first line.
pub(super) struct CsvFiles(BTreeMap<&'static str, (PathBuf, Writer<File>)>);

impl TableFiles for CsvFiles {
    fn create(folder: &Path) -> Result<Self> {
        let files = TABLES.iter().map(|table| {
            let path = folder.join(table.name).with_extension("csv");
            let failed = |error: csv::Error| cant_write(&path, error);
            let mut writer = Writer::from_path(&path).map_err(failed)?;
            let columns = KEY.iter().chain(table.columns).map(|column| column.name);
            writer.write_record(columns).map_err(failed)?;
            Ok((table.name, (path, writer)))
        });
        files.collect::<Result<_>>().map(Self)
    }

    fn add(&mut self, table: &Table, rows: Vec<Vec<Cell>>) -> Result<()> {
        let Some((path, writer)) = self.0.get_mut(table.name) else {
            return Ok(());
        };
        for row in rows {
            let written = writer.write_record(row.iter().map(text));
            written.map_err(|error| cant_write(path, error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.0.into_values().try_for_each(|(path, mut writer)| {
            writer.flush().map_err(|error| cant_write(&path, error))
        })
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.to_string(),
        Cell::Whole(number) => number.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Flag(flag) => flag.to_string(),
    }
}
