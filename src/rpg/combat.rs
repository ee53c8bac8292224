//! To be written.

use crate::engine::Setup;

/// Adds the systems of this file.
pub fn plugin(_setup: &mut Setup) {}

/// Phrases.
pub const PROMPTS: &[(&str, &[&str])] = &[];
