//! Which messages hold a term, and how often.

use foldhash::fast::FixedState;
use indexmap::IndexMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) entry: u32,
    /// How often the term occurs there.
    pub(super) count: u8,
}

/// The postings of all terms, each in order of the messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings(IndexMap<u32, Vec<Posting>, FixedState>);

impl Postings {
    /// Adds a term of a message, which is later than all others.
    pub(super) fn add(&mut self, term: u32, posting: Posting) {
        self.0.entry(term).or_default().push(posting);
    }

    pub(super) fn of(&self, term: u32) -> &[Posting] {
        self.0.get(&term).map_or(&[], Vec::as_slice)
    }
}
