//! What each entity remembers: its conversation, its closed chapters and its readable form.
//!
//! An [`AgentContext`] keeps its own rules (at most one system message, which is the first; nothing
//! is rewritten in place), finds messages by tag through an index, and removes them by id. Start
//! reading at [`AgentContext`].

mod agent_context;
mod buffer;
mod chapter;
mod chapter_id;
mod generation;
mod json;
#[cfg(test)]
mod laws;
mod record;
mod view;

pub use agent_context::{
    AgentContext, ContextError, ContextStats, Entry, EntryId, SearchOrder, StoredMessage,
};
pub use buffer::buffer;
pub use chapter::{Chapter, Chapters};
pub use chapter_id::ChapterId;
pub use json::{context_from_json, context_to_json};
pub use record::{ChapterRecord, FightEnd, FightNote, Happening, Level, Note, Pledge};
pub use view::{SourceView, View};
