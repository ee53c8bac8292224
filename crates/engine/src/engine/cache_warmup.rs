//! Warming a provider's prompt cache: of calls with the same start, one is sent ahead.

use std::collections::{BTreeMap, BTreeSet};

use crate::message::Digest;

/// Which shared prefixes the provider of each mind has seen.
#[derive(Debug, Default)]
pub(super) struct CacheWarmup {
    warm: BTreeSet<(String, Digest)>,
    /// Prefixes that are being sent for the first time, with the number of calls that carry them.
    warming: BTreeMap<(String, Digest), usize>,
}

impl CacheWarmup {
    /// Whether a call with this prefix may start now: the first may, the others wait for it.
    pub(super) fn may_start(&self, mind: &str, shared_prefix: Digest) -> bool {
        let key = (mind.to_owned(), shared_prefix);
        self.warm.contains(&key) || !self.warming.contains_key(&key)
    }

    /// A call with this prefix starts.
    pub(super) fn started(&mut self, mind: &str, shared_prefix: Digest) {
        let key = (mind.to_owned(), shared_prefix);
        if !self.warm.contains(&key) {
            *self.warming.entry(key).or_default() += 1;
        }
    }

    /// A call with this prefix ended, well or not: waiting for another would only cost time.
    pub(super) fn ended(&mut self, mind: &str, shared_prefix: Digest) {
        let key = (mind.to_owned(), shared_prefix);
        if self.warming.remove(&key).is_some() {
            self.warm.insert(key);
        }
    }
}
