//! How words are read, and how they are put into a frame that they can't leave.
//!
//! Every phrase is a frame of ours around words of a mind: `Wren says: “…”`. What fills a
//! phrase passes [`as_line`] or [`as_block`], so that nothing in it looks like the end of the frame
//! or the beginning of another. Guards that look for words compare texts as people read them:
//! [`FoldedText`]. Start reading at [`as_line`].

mod fnv;
mod folded_text;
mod frame;
mod marks;
mod names;
mod search;
mod seen;
mod traditional;

pub(crate) use fnv::Fnv;
pub(crate) use folded_text::is_invisible;
pub use folded_text::{Bigrams, FoldedText};
pub use frame::{as_block, as_line, shown, without_indent};
pub use marks::{defused, lines_with_code};
pub(crate) use names::typos_between;
pub use names::{by_distance, fold_name, nearest};
pub(crate) use search::{Needle, Searched};
pub use seen::seen;
