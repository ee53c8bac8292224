//! What was found out for one answer and is kept for the next ones.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// How many results are kept.
const MOST: usize = 8 * 1024;

/// Results by what they follow from. What it holds changes no answer, only how long it takes.
pub struct Kept<K, V>(Mutex<IndexMap<K, V, FixedState>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq, V: Clone> Kept<K, V> {
    /// The result of each of these, known from before or found now.
    pub fn all<T>(
        &self,
        these: impl Iterator<Item = (K, T)>,
        mut find: impl FnMut(T) -> V,
    ) -> Vec<V> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.clear();
        }
        let results = these.map(|(key, of)| kept.entry(key).or_insert_with(|| find(of)).clone());
        results.collect()
    }
}
