//! A copy of the journal elsewhere, which has every line first.

use std::fmt::Debug;

use crate::locale::UiText;

/// Another place that keeps a story: what it refuses is not written here either.
pub trait Replica: Debug + Send + Sync {
    /// Takes further bytes of the journal, all or none.
    ///
    /// # Errors
    /// Why they were refused. The run stops with that.
    fn append(&mut self, bytes: &[u8]) -> Result<(), UiText>;

    /// Takes a snapshot that the journal records. One that is lost is made again from the journal.
    fn save(&mut self, snapshot: &[u8]);
}
