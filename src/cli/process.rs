//! The program as a process: who may look into it, who interrupted it, and what ends with it.

#[cfg(unix)]
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::{Arc, OnceLock};
#[cfg(unix)]
use std::task::Poll;

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
    #[cfg(unix)]
    {
        // A file that is too large is an error like any other, and does not end the program.
        let noted = Arc::new(AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
    }
    crate::tool::process::adopt_orphans();
}

/// Waits, from this call on, until somebody wants the program to end: with Ctrl-C, by a signal, or
/// by closing its terminal, unless it was started to outlive that.
#[cfg(unix)]
pub(crate) fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let outlives = ignores_hangup();
    let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
    let hangup = (!outlives).then(SignalKind::hangup);
    let signals: io::Result<Vec<_>> = kinds.into_iter().chain(hangup).map(signal).collect();
    let mut signals = signals?;
    Ok(poll_fn(move |context| {
        let mut received = signals.iter_mut().map(|signal| signal.poll_recv(context));
        received
            .find(Poll::is_ready)
            .map_or(Poll::Pending, |_| Poll::Ready(()))
    }))
}

/// Waits until somebody wants the program to end.
#[cfg(not(unix))]
pub(crate) fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Who can't be waited for never comes.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}

/// Whether the end of its terminal is not to end the program, as with `nohup`. Only the first
/// answer counts: it is no longer so once a signal is waited for.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    static IGNORES: OnceLock<bool> = OnceLock::new();
    *IGNORES.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask & 1 != 0)
    })
}

/// The exit code after Ctrl-C, as shells expect it.
pub(crate) const INTERRUPTED: u8 = 130;

static WAS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Notes that somebody wants the program to end.
pub(crate) fn note_interrupt() {
    WAS_INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Whether somebody wants the program to end.
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

/// Waits for the signal that ends the program at once, and ends it.
#[cfg(unix)]
pub(crate) async fn end_by_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let kind = SignalKind::quit();
    if let Ok(mut signal) = signal(kind) {
        signal.recv().await;
        exit(128 + kind.as_raw_value() as u8);
    }
}
