//! Playhouse: a headless engine for stories whose characters think for themselves.

pub mod context;
pub mod message;
pub mod mind;
pub mod rpg;
pub mod world_data;
