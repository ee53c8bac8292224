//! A paragraph: cleaned text in several styles, and how far it is indented.

use super::{Style, clean};

/// Text in several styles, which is cleaned as it is added.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub(crate) struct Paragraph {
    /// Cells before the first row.
    pub(super) first: usize,
    /// Cells before every further row.
    pub(super) hanging: usize,
    /// What the first row begins with. It is never wrapped; the text is aligned to its right.
    pub(super) label: String,
    /// Whether it is the row of a table: its spaces stay, and it is never wrapped.
    pub(super) is_row: bool,
    pub(super) spans: Vec<(Style, String)>,
}

impl Paragraph {
    /// An empty paragraph; `first` and `hanging` are the cells before its first and its other rows.
    pub(crate) fn indented(first: usize, hanging: usize) -> Self {
        Self {
            first,
            hanging,
            ..Self::default()
        }
    }

    /// An empty paragraph that begins in this column, with a label to its left.
    pub(crate) fn labelled(label: &str, first: usize, column: usize) -> Self {
        Self {
            label: clean(label).into_owned(),
            ..Self::indented(first, column)
        }
    }

    /// An empty row of a table.
    pub(crate) fn row() -> Self {
        Self {
            is_row: true,
            ..Self::default()
        }
    }

    pub(crate) fn blank() -> Self {
        Self::default()
    }

    /// A text in one style, not indented.
    pub(crate) fn of(style: Style, text: impl AsRef<str>) -> Self {
        Self::default().add(style, text)
    }

    pub(crate) fn add(mut self, style: Style, text: impl AsRef<str>) -> Self {
        self.spans.push((style, clean(text.as_ref()).into_owned()));
        self
    }

    pub(crate) fn plain(self, text: impl AsRef<str>) -> Self {
        self.add(Style::Plain, text)
    }
}
