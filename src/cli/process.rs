//! The program as a process: who may look into it, and what ends with it.

/// Keeps other processes of the same user out of the memory of this one, with its environment and
/// the keys in there, and makes sure that whatever it starts can be ended.
pub(crate) fn protect() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // A kernel without it has no more to offer.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
    #[cfg(any(feature = "mcp", feature = "scripts"))]
    crate::tool::process::adopt_orphans();
}

/// Ends all programs that were started.
pub(crate) fn end_programs() {
    #[cfg(any(feature = "mcp", feature = "scripts"))]
    crate::tool::process::end_all();
}
