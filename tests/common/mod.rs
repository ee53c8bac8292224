//! What several tests share.

pub mod town;
