//! Reading `data/`: files, RON with exact positions, prompt templates.
//!
//! A [`DataFolder`] says where files come from. A [`Source`] is the text of a RON file that knows
//! the line and column of every field; [`Source::read`] parses it, and [`Source::read_all`]
//! continues after mistakes, so that a writer sees all of them at once. Checks of a file add to
//! [`Problems`]. [`Templates`] are the prompts, and a [`PromptSet`] says which of them a game
//! has. Start reading at [`Source`].

mod brackets;
mod file_text;
mod folder;
mod lexicon;
mod mistake;
mod outline;
mod problem;
mod prompts;
mod prose;
mod ron_text;
mod source;
mod template_filters;
mod template_text;
mod templates;

pub use file_text::file_text;
pub use folder::MAX_BYTES;
pub use folder::{DataError, DataFault, DataFolder};
pub use lexicon::{Lexicon, Word, WordPair};
pub use playhouse_derive::Prompt;
pub use problem::{Problem, Problems, Severity};
pub(crate) use prompts::phrase;
pub use prompts::{Declared, Fields, Prompt, PromptSet};
pub use prose::{as_read, one_or_more, prose};
pub(crate) use ron_text::RonMistake;
pub use ron_text::{MAX_RON_BYTES, read_ron};
pub use source::{Parsed, Source, is_within};
pub use templates::BLOCK_INDENT;
pub use templates::{Filling, Templates};
