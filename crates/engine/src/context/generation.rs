//! Tells whether a conversation only grew since it was last seen.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A unique number for every conversation and clone, renewed by every edit except appending.
/// Request bodies are extended rather than written again while it stays the same. Never saved,
/// hashed or shown.
pub(super) struct Generation(u64);

impl Generation {
    /// The number, unique within the process.
    pub(super) fn number(&self) -> u64 {
        self.0
    }
}

impl Default for Generation {
    fn default() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Clone for Generation {
    /// A new number, since clones may continue differently.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Generation")
    }
}
