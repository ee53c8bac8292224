//! Reading `data/`: files, RON with exact positions, prompt templates. Knows no game.
//!
//! A [`DataFolder`] says where files come from. A [`Source`] is the text of one RON file that knows
//! the line and column of every field; [`Source::read`] turns it into a type, and
//! [`Source::read_all`] goes on after a mistake, so that a writer sees all of them at once.
//! Whoever checks a file puts what is wrong into [`Problems`]. [`Templates`] are the prompts.
//! Start with [`Source`]. This room touches no other.

mod folder;
mod lexicon;
mod mistake;
mod names;
mod outline;
mod problem;
mod source;
mod templates;

pub use folder::{DataError, DataFolder};
pub use lexicon::{Lexicon, Pair, Word};
pub use names::{by_distance, fold_name, nearest};
pub use problem::{Problem, Problems, Severity};
pub use source::{Reading, Source, is_within};
pub use templates::Templates;
