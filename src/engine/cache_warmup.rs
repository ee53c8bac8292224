//! Warming a provider's prompt cache: where many entities share their rules, one is sent ahead.

use std::collections::{BTreeMap, BTreeSet};

use crate::message::Digest;

/// Which shared openings a mind's provider has seen.
#[derive(Debug, Default)]
pub(super) struct CacheWarmup {
    warm: BTreeSet<(String, Digest)>,
    /// Openings on their way for the first time, and how many calls carry them.
    warming: BTreeMap<(String, Digest), usize>,
}

impl CacheWarmup {
    /// Whether a call with this opening may start now: the first may, the others wait for it.
    pub(super) fn lets_start(&self, mind: &str, shared_prefix: Digest) -> bool {
        let key = (mind.to_owned(), shared_prefix);
        self.warm.contains(&key) || !self.warming.contains_key(&key)
    }

    /// A call with this opening starts.
    pub(super) fn started(&mut self, mind: &str, shared_prefix: Digest) {
        let key = (mind.to_owned(), shared_prefix);
        if !self.warm.contains(&key) {
            *self.warming.entry(key).or_default() += 1;
        }
    }

    /// A call with this opening ended, well or not: waiting for another would only cost time.
    pub(super) fn ended(&mut self, mind: &str, shared_prefix: Digest) {
        let key = (mind.to_owned(), shared_prefix);
        if self.warming.remove(&key).is_some() {
            self.warm.insert(key);
        }
    }
}
