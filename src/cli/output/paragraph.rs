//! A paragraph: cleaned text in several inks, and how far it is indented.

use super::{Ink, clean};

/// Text in several inks. Whatever is added to it is cleaned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Paragraph {
    /// Cells before the first row.
    pub(super) first: usize,
    /// Cells before every further row.
    pub(super) hanging: usize,
    /// Whether its spaces stay and it is never wrapped: the row of a table.
    pub(super) is_row: bool,
    pub(super) spans: Vec<(Ink, String)>,
}

impl Paragraph {
    /// An empty paragraph, indented by these many cells in its first row and the others.
    pub(crate) fn indented(first: usize, hanging: usize) -> Self {
        Self {
            first,
            hanging,
            ..Self::default()
        }
    }

    /// An empty row of a table: its spaces stay and it is never wrapped.
    pub(crate) fn row() -> Self {
        Self {
            is_row: true,
            ..Self::default()
        }
    }

    /// An empty row.
    pub(crate) fn blank() -> Self {
        Self::default()
    }

    /// One text in one ink, not indented.
    pub(crate) fn of(ink: Ink, text: impl AsRef<str>) -> Self {
        Self::default().add(ink, text)
    }

    /// Adds text.
    #[must_use]
    pub(crate) fn add(mut self, ink: Ink, text: impl AsRef<str>) -> Self {
        self.spans.push((ink, clean(text.as_ref()).into_owned()));
        self
    }

    /// Adds text in the story's own ink.
    #[must_use]
    pub(crate) fn plain(self, text: impl AsRef<str>) -> Self {
        self.add(Ink::Plain, text)
    }
}
