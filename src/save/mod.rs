//! Saves: the snapshot of a world as JSON, and what is needed to read it back.
//!
//! A game registers what of its own is saved with a [`SaveRegistry`]; this room knows no game. It may
//! touch `event/`, `exchange/`, `cast/`, `context/`, `journal/` and `message/`.

mod registry;
mod state_hash;

pub use registry::{SaveRegistry, Saved};
pub use state_hash::state_hashes;
