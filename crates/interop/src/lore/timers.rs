//! Entries that stay for a while, and those that rest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::book::{Book, Entry};

/// For how long entries of a book stay or rest, in messages that its owner witnessed. To be saved
/// with the owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timers {
    /// Until which message entries stay, by what they are.
    sticky: BTreeMap<u64, u64>,
    /// Until which message entries rest.
    cooldown: BTreeMap<u64, u64>,
}

impl Timers {
    pub(super) fn is_sticky(&self, entry: &Entry) -> bool {
        self.sticky.contains_key(&entry.key)
    }

    /// The entries of a book that stay.
    pub(super) fn sticky_in<'t>(&'t self, book: &'t Book) -> impl Iterator<Item = u32> + 't {
        self.sticky.keys().filter_map(|key| book.number_of(*key))
    }

    pub(super) fn rests(&self, entry: &Entry) -> bool {
        self.cooldown.contains_key(&entry.key)
    }

    /// Ends what is over. Entries that stayed begin to rest.
    pub(super) fn advance(&mut self, book: &Book, messages: u64) {
        let over = self.sticky.extract_if(.., |_, end| messages >= *end);
        for (key, _) in over {
            let cooldown = book.by_key(key).map_or(0, |entry| entry.cooldown);
            if cooldown > 0 {
                self.cooldown.insert(key, messages + u64::from(cooldown));
            }
        }
        self.cooldown.retain(|_, end| messages < *end);
    }

    /// Begins the times of entries that were triggered.
    pub(super) fn begin<'b>(&mut self, entries: impl Iterator<Item = &'b Entry>, messages: u64) {
        for entry in entries {
            for (times, length) in [
                (&mut self.sticky, entry.sticky),
                (&mut self.cooldown, entry.cooldown),
            ] {
                if length > 0 {
                    times
                        .entry(entry.key)
                        .or_insert(messages + u64::from(length));
                }
            }
        }
    }
}
