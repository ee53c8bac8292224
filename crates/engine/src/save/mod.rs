//! Saves: the snapshot of a world as JSON, and the folder it is in.
//!
//! [`snapshot`] writes a world at rest; [`restore`] reads it into a world that is set up but has no
//! cast, or refuses it with a [`SaveError`] that names the place in the file. A [`Slot`] is the
//! folder of a saved story; writing to it takes a [`LockedSlot`], which one process has at a time.
//! Files are written atomically and never through links. What a slot holds is a [`StoredStory`],
//! checked for damage; [`repair`] goes back to the last good point. `docs/save-format.md` describes
//! every member.
//!
//! A game registers the components and resources that are saved with a [`SaveRegistry`]. Start
//! reading at [`snapshot`].

mod bodies;
mod buffers;
mod dto;
mod entries;
mod error;
mod head;
mod json;
mod limits;
mod registry;
mod repair;
mod restore;
mod slot;
mod slot_name;
mod snapshot;
mod state_hash;
mod story;
mod unsaved;

pub use crate::files::{FileAction, FileError, FileKind, FileProblem};
pub use buffers::file_name;
pub use error::SaveError;
pub use head::{ENDING, GAME_SETUP, SaveHead, read_head};
pub use limits::FORMAT;
pub use limits::{BATCH, EXPERIMENT};
pub use registry::{SaveRegistry, Saveable};
pub use repair::{Repair, repair, repairable};
pub use restore::restore;
pub use slot::{BranchPoint, Listed, LockedSlot, PackedSlot, Slot, list, names, slots};
pub use slot_name::SlotName;
pub use snapshot::{FittedTo, Meta, snapshot};
pub use state_hash::state_hashes;
pub use story::{StoredSnapshot, StoredStory};
pub(crate) use unsaved::SetUpAt;
pub use unsaved::unsaved;
