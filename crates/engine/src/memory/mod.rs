//! Recall: finding what somebody said or saw long ago.
//!
//! An [`Index`] knows the words of messages, not the messages: `add` gives each a number, counted
//! from zero, and `search` ranks these numbers for a question. Beneath is BM25 over stems, or over
//! characters of Chinese; what lifts it are [`IndexPart`]s, each of which can be left out. A
//! ranking of numbers is also what vectors give ([`Index::nearest`]), so both are merged by
//! reciprocal rank.
//!
//! The crates `bm25` and `probly-search` have neither sessions nor neighbours, which bring most
//! here, and keep several times the text in hash maps; `tantivy` is a database. So only the stems
//! are a crate's (`rust-stemmers`). Everything is the same on every machine: scores are sums of
//! `f32` in a fixed order, without functions of the platform's library. An
//! entity's past is [`Witnessed`], and what it can look up [`Lore`]. Start reading at [`Index`].

mod cues;
mod index;
mod lexicon;
mod lore;
mod parts;
mod postings;
mod question;
mod time;
mod told;
mod vectors;
mod witnessed;
mod words;

pub use cues::Cues;
pub use index::{Builder, Hit, Index, IndexEntry};
pub use lore::Lore;
pub(crate) use lore::fact_text;
pub use parts::IndexPart;
pub use told::{AnswerWords, Words};
pub use vectors::{LookupVectors, Meaning, Vectors};
pub use witnessed::{EventTraits, Lens, Memory, Witnessed, recall_all};
pub use witnessed::{chapter_texts, conversation_texts};
pub use words::vocabulary;
