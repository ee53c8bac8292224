//! The campaign: heroes at home and in dungeons, and the world files that tell of them.
//!
//! Start with [`world_file`], which holds what a writer writes.

pub mod world_file;
