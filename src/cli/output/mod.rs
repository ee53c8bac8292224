//! Text on its way to people: cleaned of control characters, styled, wrapped to the terminal.
//!
//! All text of minds, worlds and saves goes through an [`Output`], the only writer to standard
//! output. A [`Paragraph`] is text in several styles; `wrap.rs` lays it out in rows.

mod clean;
mod flow;
mod names;
mod pace;
mod paragraph;
mod style;
mod width;
mod wrap;
mod writer;

pub(crate) use clean::{clean, clean_styled, escape_json};
pub(crate) use names::Names;
pub(crate) use pace::Reading;
pub(crate) use paragraph::Paragraph;
pub(crate) use style::Style;
pub(crate) use width::{cells, padded, padded_left};
pub(crate) use writer::{Output, rows, wait_until_told};
