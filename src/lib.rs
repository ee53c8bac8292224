//! Playhouse: a headless engine for stories whose characters think for themselves.

pub mod cast;
pub mod context;
pub mod engine;
pub mod event;
pub mod exchange;
pub mod journal;
pub mod message;
pub mod mind;
pub mod rpg;
pub mod save;
pub mod session;
pub mod testing;
pub mod world_data;
