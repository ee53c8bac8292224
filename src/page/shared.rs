//! What all requests share.

use std::sync::Arc;

use super::access::Access;
use super::library::Library;
use crate::locale::Language;

/// Who did it, in journals: the host of a story.
pub(super) const HOST: &str = "host";

/// What all requests share.
pub(super) struct Shared {
    pub(super) library: Arc<dyn Library>,
    pub(super) access: Arc<Access>,
    /// The language of the interface, unless a reader asks for another.
    pub(super) language: Language,
}
