//! Tables as Parquet files.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::data::{KEY, TableFiles, cant_write};
use crate::story::data::{Cell, CellKind, Column, TABLES, Table};

/// A Parquet file for each table, with a row group for each story.
pub(super) struct ParquetFiles(BTreeMap<&'static str, (PathBuf, SerializedFileWriter<File>)>);

impl TableFiles for ParquetFiles {
    fn create(folder: &Path) -> Result<Self> {
        let files = TABLES.iter().map(|table| {
            let path = folder.join(table.name).with_extension("parquet");
            let file = File::create(&path).map_err(|error| cant_write(&path, error))?;
            let writer = writer(file, table).map_err(|error| cant_write(&path, error))?;
            Ok((table.name, (path, writer)))
        });
        files.collect::<Result<_>>().map(Self)
    }

    fn add(&mut self, table: &Table, rows: Vec<Vec<Cell>>) -> Result<()> {
        let Some((path, writer)) = self.0.get_mut(table.name).filter(|_| !rows.is_empty()) else {
            return Ok(());
        };
        add(writer, table, &rows).map_err(|error| cant_write(path, error))
    }

    fn finish(self) -> Result<()> {
        self.0.into_values().try_for_each(|(path, writer)| {
            let closed = writer.close();
            closed.map(drop).map_err(|error| cant_write(&path, error))
        })
    }
}

fn columns(table: &Table) -> impl Iterator<Item = &'static Column> {
    KEY.iter().chain(table.columns)
}

fn writer(file: File, table: &Table) -> Result<SerializedFileWriter<File>, ParquetError> {
    let fields = columns(table).map(|column| field(column).map(Arc::new));
    let schema = Type::group_type_builder(table.name)
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.kind {
        CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        CellKind::Whole => (Physical::INT64, None),
        CellKind::Number => (Physical::DOUBLE, None),
        CellKind::Flag => (Physical::BOOLEAN, None),
    };
    let repetition = if column.optional {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Type::primitive_type_builder(column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

fn add(
    writer: &mut SerializedFileWriter<File>,
    table: &Table,
    rows: &[Vec<Cell>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (index, column) in columns(table).enumerate() {
        let cells = rows.iter().filter_map(|row| row.get(index));
        match column.kind {
            CellKind::Text => {
                add_column::<ByteArrayType>(&mut group, column, cells, |cell| match cell {
                    Cell::Text(text) => Some(ByteArray::from(text.as_bytes().to_vec())),
                    _ => None,
                })
            }
            CellKind::Whole => {
                add_column::<Int64Type>(&mut group, column, cells, |cell| match cell {
                    Cell::Whole(number) => Some(*number),
                    _ => None,
                })
            }
            CellKind::Number => {
                add_column::<DoubleType>(&mut group, column, cells, |cell| match cell {
                    Cell::Number(number) => Some(*number),
                    _ => None,
                })
            }
            CellKind::Flag => {
                add_column::<BoolType>(&mut group, column, cells, |cell| match cell {
                    Cell::Flag(flag) => Some(*flag),
                    _ => None,
                })
            }
        }?;
    }
    group.close().map(drop)
}

/// Writes the next column of a group; empty cells have no value.
fn add_column<'c, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    column: &Column,
    cells: impl Iterator<Item = &'c Cell>,
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<_> = cells.map(value).collect();
    let levels: Vec<_> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<_> = cells.into_iter().flatten().collect();
    let Some(mut writer) = group.next_column()? else {
        return Ok(());
    };
    let levels = column.optional.then_some(&*levels);
    writer.typed::<T>().write_batch(&values, levels, None)?;
    writer.close()
}
