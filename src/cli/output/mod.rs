//! Text on its way to people: cleaned of control characters, coloured, wrapped to the terminal.
//!
//! Everything that minds, worlds and saves wrote goes through a [`Page`], which is the only writer
//! to standard output. A [`Paragraph`] is text in several inks; [`wrap`] lays it out in rows.

mod clean;
mod ink;
mod page;
mod paragraph;
mod wrap;

pub(crate) use clean::{clean, escape_json};
pub(crate) use ink::Ink;
pub(crate) use page::Page;
pub(crate) use paragraph::Paragraph;
pub(crate) use wrap::wrap;

use unicode_width::UnicodeWidthStr;

/// How many cells of a terminal a text takes.
pub(crate) fn cells(text: &str) -> usize {
    text.width()
}

/// The text with spaces behind it up to this many cells.
pub(crate) fn padded(text: &str, to: usize) -> String {
    let missing = to.saturating_sub(cells(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The text with spaces before it up to this many cells.
pub(crate) fn padded_left(text: &str, to: usize) -> String {
    let missing = to.saturating_sub(cells(text));
    format!("{}{text}", " ".repeat(missing))
}
