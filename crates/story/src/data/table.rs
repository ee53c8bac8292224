//! Tables whose columns are documented where their types are.

use std::sync::Arc;

use serde::Serialize;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    Empty,
    Text(Arc<str>),
    Whole(i64),
    Number(f64),
    Flag(bool),
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    Text,
    /// A whole number.
    Whole,
    Number,
    /// True or false.
    Flag,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: CellKind,
    /// Whether cells may be empty.
    pub optional: bool,
    pub about: &'static str,
}

/// A table: what its rows are, and its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    pub about: &'static str,
    pub columns: &'static [Column],
}

/// A row of a table.
pub trait Row {
    const TABLE: Table;

    fn cells(self) -> Vec<Cell>;
}

/// A type of cells.
pub trait CellValue {
    const KIND: CellKind;
    const OPTIONAL: bool = false;

    fn into_cell(self) -> Cell;
}

macro_rules! cell_values {
    ($($type:ty: $kind:ident, $value:ident => $cell:expr;)+) => {
        $(impl CellValue for $type {
            const KIND: CellKind = CellKind::$kind;

            fn into_cell(self) -> Cell {
                let $value = self;
                Cell::$kind($cell)
            }
        })+
    };
}

cell_values! {
    Arc<str>: Text, text => text;
    String: Text, text => text.into();
    &'static str: Text, text => text.into();
    u32: Whole, number => number.into();
    u64: Whole, number => number.try_into().unwrap_or(i64::MAX);
    f64: Number, number => number;
    bool: Flag, flag => flag;
}

impl<T: CellValue> CellValue for Option<T> {
    const KIND: CellKind = T::KIND;
    const OPTIONAL: bool = true;

    fn into_cell(self) -> Cell {
        self.map_or(Cell::Empty, T::into_cell)
    }
}

/// The rows of a table, with a comment for it and for each column.
macro_rules! row {
    (
        $(#[doc = $about:literal])+
        $table:literal: $row:ident {
            $($(#[doc = $doc:literal])+ $column:ident: $type:ty,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $row {
            $($(#[doc = $doc])+ pub $column: $type,)+
        }

        impl $crate::data::Row for $row {
            const TABLE: $crate::data::Table = $crate::data::Table {
                name: $table,
                about: concat!($($about),+),
                columns: &[$($crate::data::Column {
                    name: stringify!($column),
                    kind: <$type as $crate::data::CellValue>::KIND,
                    optional: <$type as $crate::data::CellValue>::OPTIONAL,
                    about: concat!($($doc),+),
                }),+],
            };

            fn cells(self) -> Vec<$crate::data::Cell> {
                vec![$($crate::data::CellValue::into_cell(self.$column)),+]
            }
        }
    };
}

pub(crate) use row;
