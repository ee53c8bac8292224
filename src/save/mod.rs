//! Saves: the snapshot of a world as JSON, and the folder it is in.
//!
//! [`snapshot`] writes a world at rest; [`restore`] reads it into a world that is set up but has no
//! cast, or refuses it with a [`SaveError`] that names the place in the file. A [`Slot`] is the
//! folder of a saved story; writing to it takes a [`LockedSlot`], which one process has at a time.
//! Files are written atomically. `docs/save-format.md` describes every member.
//!
//! A game registers the components and resources that are saved with a [`SaveRegistry`]. Start
//! reading at [`snapshot`].

mod bodies;
mod buffers;
mod dto;
mod entry_runs;
mod error;
mod files;
mod head;
mod json;
mod limits;
mod migrate;
mod registry;
mod restore;
mod sizes;
mod slot;
mod slot_name;
mod snapshot;
mod state_hash;

pub use buffers::file_name;
#[cfg(feature = "undercover")]
pub(crate) use error::io_error;
pub use error::{FileAction, SaveError};
#[cfg(feature = "undercover")]
pub(crate) use files::{Durability, make_folder, replace};
pub use head::{FINALE, SaveHead, read_head};
pub use limits::{FORMAT, OLDEST};
pub use migrate::Migration;
pub use registry::{SaveRegistry, Saved};
pub use restore::{Expected, restore};
pub use slot::{Listed, LockedSlot, Slot, list};
pub use slot_name::SlotName;
pub use snapshot::{Meta, snapshot};
pub use state_hash::state_hashes;
