//! Playhouse: a headless engine for stories whose characters think for themselves.

pub mod context;
pub mod event;
pub mod message;
pub mod mind;
