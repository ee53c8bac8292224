//! Locks of the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value of a mutex, also of one whose holder panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
