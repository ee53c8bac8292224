//! Telling whether a conversation only grew since it was last seen.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number of its own for every conversation, every clone, and every state after an edit other than an
/// append. It is never saved, compared with anything but another one, hashed or shown.
pub(super) struct Generation(u64);

impl Generation {
    /// The number. No other lineage of this process ever has it.
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
    /// Not the same number: clones may go on differently.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lineage")
    }
}
