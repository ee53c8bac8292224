//! How wide a text is on a terminal, where a Chinese character takes two cells.

use unicode_width::UnicodeWidthStr;

/// The number of cells that a text takes.
pub(crate) fn cells(text: &str) -> usize {
    text.width()
}

/// The text followed by spaces up to this many cells.
pub(crate) fn padded(text: &str, to: usize) -> String {
    let missing = to.saturating_sub(cells(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The text after spaces up to this many cells.
pub(crate) fn padded_left(text: &str, to: usize) -> String {
    let missing = to.saturating_sub(cells(text));
    format!("{}{text}", " ".repeat(missing))
}
