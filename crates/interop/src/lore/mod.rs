//! Lorebooks: what somebody knows of a world, of which only what fits the talk comes to mind.
//!
//! [`Book::read`] reads the book of a character card, a stand-alone V3 lorebook, World Info as
//! SillyTavern saves it, and books of Agnai, NovelAI and RisuAI. [`Book::scan`] finds the entries
//! that what one witnessed brings up; which those are follows SillyTavern, and `cases.json` beside
//! the tests is the table of it. Whose book it is, and what they witnessed, is for others to say.
//! Start reading at [`Book`].

mod book;
mod decorators;
mod fields;
mod groups;
mod keys;
mod scan;
#[cfg(test)]
mod tests;
mod timers;

pub use book::{Book, CharacterFilter, Entry, KeyReading, Position, SpokenAs};
pub use keys::Logic;
pub use scan::{ScanSettings, Triggered, Witness};
pub use timers::Timers;
