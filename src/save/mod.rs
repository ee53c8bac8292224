//! Saves: the snapshot of a world as JSON, the folder that holds it, and what reads both back.
//!
//! [`snapshot`] writes a world that rests; [`restore`] reads it into a world that has its plugins and
//! no cast yet, or refuses it with a [`SaveError`] that names the place in the file. A [`Slot`] is the
//! folder of one saved story; writing to it takes a [`LockedSlot`], which one process holds at a time.
//! Files are written whole or not at all. `docs/save-format.md` describes every member.
//!
//! A game registers what of its own is saved with a [`SaveRegistry`]; this room knows no game. It may
//! touch `event/`, `exchange/`, `cast/`, `context/`, `journal/` and `message/`.

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
mod slot;
mod slot_name;
mod snapshot;
mod state_hash;

pub use buffers::file_name;
pub use error::SaveError;
pub(crate) use error::io_error;
pub(crate) use files::{Durability, make_folder, replace};
pub use head::{FINALE, SaveHead, read_head};
pub use limits::{FORMAT, OLDEST};
pub use migrate::{MIGRATIONS, Migration};
pub use registry::{SaveRegistry, Saved};
pub use restore::{Expected, restore};
pub use slot::{Listed, LockedSlot, Slot, list};
pub use slot_name::SlotName;
pub use snapshot::{Meta, snapshot};
pub use state_hash::state_hashes;
