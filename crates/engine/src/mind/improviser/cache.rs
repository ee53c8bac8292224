//! Results that are found for one answer and cached for the next ones.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// The most results that are cached.
const MOST: usize = 8 * 1024;

/// Results by what they follow from. What it holds changes no answer, only how long it takes.
pub struct Cache<K, V>(Mutex<IndexMap<K, V, FixedState>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    /// The result of each of these, known from before or found now.
    pub fn all<T>(
        &self,
        these: impl Iterator<Item = (K, T)>,
        mut find: impl FnMut(T) -> V,
    ) -> Vec<V> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= MOST {
            cached.clear();
        }
        let results = these.map(|(key, of)| cached.entry(key).or_insert_with(|| find(of)).clone());
        results.collect()
    }
}
