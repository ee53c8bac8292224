//! The program as a process: who may look into it, who interrupted it, and what ends with it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::keys;

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

/// What is to be done before the program ends, however it ends.
pub(crate) struct CleanUp;

impl Drop for CleanUp {
    /// Ends all programs that were started, and gives the terminal back.
    fn drop(&mut self) {
        crate::tool::process::end_all();
        keys::close();
    }
}

/// Ends the program with this code.
pub(crate) fn exit(code: u8) -> ! {
    drop(CleanUp);
    std::process::exit(code.into())
}

/// Waits for a signal that ends the program, and ends it.
#[cfg(unix)]
pub(crate) async fn end_by_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        SignalKind::hangup(),
        SignalKind::quit(),
        SignalKind::terminate(),
    ];
    let signals = kinds.map(|kind| {
        Box::pin(async move {
            let Ok(mut signal) = signal(kind) else {
                return std::future::pending().await;
            };
            signal.recv().await;
            kind.as_raw_value()
        })
    });
    let (number, ..) = futures_util::future::select_all(signals).await;
    exit(128 + number as u8);
}
