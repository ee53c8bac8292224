//! What many worlds of a process have in common, and is held once.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The values of a type that are in use.
#[derive(Debug, Default)]
pub struct Held<T>(Mutex<Vec<Weak<T>>>);

impl<T: PartialEq> Held<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// A value; if an equal one is in use, that one.
    pub fn once(&self, value: T) -> Arc<T> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|held| held.strong_count() > 0);
        let mut held_already = held.iter().filter_map(Weak::upgrade);
        if let Some(same) = held_already.find(|held| **held == value) {
            return same;
        }
        let new = Arc::new(value);
        held.push(Arc::downgrade(&new));
        new
    }
}
