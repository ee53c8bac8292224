//! The program as a process: who may look into it, who interrupted it, and what ends with it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Keeps other processes of the same user out of the memory of this one, with its environment and
/// the keys in there, and makes sure that every program it starts can be ended.
pub(crate) fn protect() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // A kernel without it has no more to offer.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
    crate::tool::process::adopt_orphans();
}

/// The exit code after Ctrl-C, as shells expect it.
pub(crate) const INTERRUPTED: u8 = 130;

static WAS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Notes that the user pressed Ctrl-C.
pub(crate) fn note_interrupt() {
    WAS_INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Whether the user pressed Ctrl-C.
pub(crate) fn was_interrupted() -> bool {
    WAS_INTERRUPTED.load(Ordering::SeqCst)
}

/// Ends all programs that were started.
pub(crate) fn end_programs() {
    crate::tool::process::end_all();
}
