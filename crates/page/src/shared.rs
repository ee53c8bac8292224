//! What all requests share.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::locale::{Language, labels};
use tokio::sync::Semaphore;

use super::access::Access;
use super::draft::Drafts;
use super::library::Library;

/// The texts of the page. What calls are for and types of events are called as in the terminal.
pub(super) fn page_labels(language: Language) -> BTreeMap<&'static str, String> {
    labels(
        language,
        &[
            "page_", "story_purpose_", "story_event_", "story_gone_", "story_seat_",
        ],
    )
}

pub(super) struct Shared {
    pub(super) library: Arc<dyn Library>,
    pub(super) access: Arc<Access>,
    /// Answers that hosts are writing.
    pub(super) drafts: Drafts,
    /// The language of the interface, unless a reader asks for another.
    pub(super) language: Language,
    /// How many stories may be played again at a time to see what was sent.
    pub(super) replays: Arc<Semaphore>,
}
