//! What is allocated: by a request, and by a delivery.
//!
//! Allocations are counted for the whole process, so one test counts at a time.

#[path = "../../benches/groups/broadcast.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the bench measures more, and may panic"
)]
mod broadcast;
#[path = "../../benches/groups/common.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the benches use more of it, and may panic"
)]
mod common;
mod deliveries;
mod requests;
mod stories;

use std::alloc::System;
use std::sync::{Mutex, MutexGuard, PoisonError};

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Keeps other tests from allocating while one counts.
fn alone() -> MutexGuard<'static, ()> {
    static COUNTING: Mutex<()> = Mutex::new(());
    COUNTING.lock().unwrap_or_else(PoisonError::into_inner)
}
