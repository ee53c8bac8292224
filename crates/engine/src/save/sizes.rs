//! What the lists of a save hold in all. Runs and repeated indexes could claim far more than stands
//! in the file.

use super::entry_runs::{self, RunDto};
use super::limits::{MAX_ENTRIES, MAX_LIST_BYTES};
use crate::locale::{UiText, text};
use crate::message::Body;

/// Adds up the lists of a save.
pub(super) struct Sizes {
    /// The bytes of all bodies before each, and of all.
    before: Vec<u64>,
    entries: u64,
}

impl Sizes {
    pub(super) fn of(bodies: &[Body]) -> Self {
        let mut sum = 0;
        let sums = bodies.iter().map(|body| {
            sum += body.bytes() as u64;
            sum
        });
        Self {
            before: std::iter::once(0).chain(sums).collect(),
            entries: 0,
        }
    }

    /// Counts a list of entries whose bodies exist.
    ///
    /// # Errors
    /// It, or all lists up to it, hold too much.
    pub(super) fn add(&mut self, runs: &[RunDto]) -> Result<(), UiText> {
        self.entries += entry_runs::count(runs);
        if self.entries > MAX_ENTRIES {
            let entries = self.entries;
            return Err(text!(save_lists_too_long, entries, max = MAX_ENTRIES));
        }
        let before = |body: usize| self.before.get(body).copied().unwrap_or_default();
        let sizes = runs.iter().map(|run| {
            let (first, last) = run.bodies();
            before(last + 1) - before(first)
        });
        let bytes: u64 = sizes.sum();
        if bytes > MAX_LIST_BYTES {
            return Err(text!(save_list_too_large, bytes, max = MAX_LIST_BYTES));
        }
        Ok(())
    }
}
