//! What all requests share.

use std::sync::Arc;

use super::access::Access;
use super::library::Library;
use crate::locale::Language;

/// What all requests share.
pub(super) struct Shared {
    pub(super) library: Arc<dyn Library>,
    pub(super) access: Arc<Access>,
    /// The language of the interface, unless a reader asks for another.
    pub(super) language: Language,
}
