//! What is allocated for a long story.
//!
//! Allocations are counted for the whole process, so this is its only test.

#[path = "../../benches/groups/common.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the benches use more of it, and may panic"
)]
mod common;
mod stories;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;
