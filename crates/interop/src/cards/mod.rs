//! Character cards: V1, V2 and V3, as JSON, in a PNG or APNG picture, or in a CHARX archive.
//!
//! [`Card::read`] reads any of them liberally; [`Card::to_json`] and [`Card::to_png`] write
//! exactly, with all members that this program does not know. A card is data from anybody: its
//! size, its depth and what it unpacks to are limited, and nothing of it is ever a path.
//! [`Card::take`] says what a story takes of it.
//! Start reading at [`Card`].

mod card;
mod charx;
mod fields;
mod png;
mod taken;
#[cfg(test)]
mod tests;

pub use card::{Card, CardError, CardFile, CardVersion, Character, MAX_CARD_BYTES};
pub(crate) use card::{MAX_JSON_BYTES, parse};
pub(crate) use taken::pattern;
pub use taken::{Fate, Row, Taken, Taking, clean_name};
