//! Recall: finding what an entity said or saw long ago.
//!
//! # An example
//!
//! Mira was told three things, months ago, and is asked "Where does Odile keep her dog?".
//!
//! | number | speaker | message |
//! |---|---|---|
//! | 0 | Odile | Do you have any animals? |
//! | 1 | Odile | I have a dog. He sleeps in the boathouse. |
//! | 2 | Bob | My dog ran away on Sunday. |
//!
//! An [`Index`] knows the words of messages, not the messages: [`Index::add`] gave each a number,
//! and [`Index::search`] ranks these numbers.
//!
//! 1. The question (`question.rs`) becomes terms: words that tell nothing are left out (*where*,
//!    *does*, *her*), forms of a word are one (*keep*, *kept*), and related words count a little
//!    (*dog* is a kind of *animal*, so message 0 is found, too). *Odile* is a speaker, no term.
//! 2. Postings (`postings.rs`) say which messages hold each term. BM25 adds up how rare the terms
//!    of a message are, less if it is long: 1 and 2 hold *dog*.
//! 3. Each message borrows from its neighbours, since an answer rarely repeats the words of its
//!    question: 1 follows a message that asks and was found.
//! 4. What the question asks for beside words multiplies the score: its speakers (1 is of Odile, 2
//!    is not), a date that it names, messages that say when something was if it asks when.
//! 5. Of scripts without spaces, single characters are terms, and the best messages are ranked anew
//!    by pairs of characters.
//!
//! So message 1 is the best hit. If there are vectors, messages whose vectors stand out from all as
//! near to that of the question get more before step 3. The weights are constants at the top of
//! each file; `docs/memory.md` says what each part brings.
//!
//! Everything is the same on every machine: scores are sums of `f32` in a fixed order, without
//! functions of the platform's library. An entity's past is [`Witnessed`], what it can look up
//! [`Lore`].

mod cues;
mod index;
mod lexicon;
mod lore;
mod postings;
mod question;
mod time;
mod told;
mod vectors;
mod witnessed;
mod words;

pub use cues::Cues;
pub use index::{Hit, Index, IndexEntry};
pub use lore::Lore;
pub(crate) use lore::fact_text;
pub use told::{AnswerWords, Words};
pub use vectors::{LookupVectors, Meaning, Vectors};
pub use witnessed::{CameToMind, EventTraits, Lens, Memory, Witnessed, recall_all};
pub use witnessed::{chapter_texts, conversation_texts, recall_conversation};
pub use words::vocabulary;
