//! Programs that end together with everything that they started.
//!
//! A program gets a group of its own, which is killed at the end of its [`Family`]. Processes that
//! left the group (`setsid`) are found if this process inherits orphans, as the command line
//! program does on Linux: see [`adopt_orphans`]. Elsewhere they keep running. On systems without
//! groups only the program itself is ended.

use std::io;

#[cfg(unix)]
use self::unix as system;

/// A running program and everything that it started. All of it is killed when this is dropped.
pub struct Family {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Family {
    /// Starts a program in a group of its own, which `start` must have asked for.
    pub fn start<T>(
        start: impl FnOnce() -> io::Result<T>,
        id: impl FnOnce(&T) -> Option<u32>,
    ) -> io::Result<(T, Self)> {
        #[cfg(unix)]
        {
            let (child, leader) = system::start(start, id)?;
            Ok((child, Self { leader }))
        }
        #[cfg(not(unix))]
        {
            let _ = id;
            Ok((start()?, Self {}))
        }
    }

    /// Kills all of them.
    pub fn end(&self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            system::end(leader);
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        self.end();
    }
}

/// Makes this process the parent of all processes that its programs leave behind, so that it can
/// end those, too. Only for a process that starts programs through this module alone: any other
/// child would be taken for an orphan.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    system::adopt_orphans();
}

/// Ends everything that was started.
pub fn end_all() {
    #[cfg(unix)]
    system::end_all();
}

#[cfg(unix)]
mod unix {
    use std::collections::BTreeSet;
    use std::io;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rustix::process::{Pid, Signal, kill_process_group};

    /// The programs that run, by the ids of their groups. Locked while one is started, so that none
    /// is taken for an orphan.
    static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

    fn running() -> MutexGuard<'static, BTreeSet<i32>> {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn start<T>(
        start: impl FnOnce() -> io::Result<T>,
        id: impl FnOnce(&T) -> Option<u32>,
    ) -> io::Result<(T, Option<Pid>)> {
        let mut running = running();
        running.extend(watchdog::start());
        let child = start()?;
        let leader = id(&child).and_then(|id| i32::try_from(id).ok());
        watchdog::tell('+', leader);
        running.extend(leader);
        Ok((child, leader.and_then(Pid::from_raw)))
    }

    pub(super) fn end(leader: Pid) {
        let mut running = running();
        if running.contains(&leader.as_raw_nonzero().get()) {
            // Fails if the group has ended already.
            let _ = kill_process_group(leader, Signal::KILL);
            end_orphans(leader, &running);
            running.remove(&leader.as_raw_nonzero().get());
            watchdog::tell('-', Some(leader.as_raw_nonzero().get()));
        }
    }

    pub(super) fn end_all() {
        let leaders = running().clone();
        for leader in leaders.into_iter().filter_map(Pid::from_raw) {
            end(leader);
        }
    }

    /// A small process that ends the programs when this one ends without doing so itself, because
    /// it was killed.
    mod watchdog {
        use std::io::Write;
        use std::os::unix::process::CommandExt;
        use std::process::{Child, Command, Stdio};
        use std::sync::{Mutex, PoisonError};

        static WATCHDOG: Mutex<Option<Child>> = Mutex::new(None);

        /// Reads which groups run until its input ends, and kills those that still do.
        const SCRIPT: &str = r#"trap '' HUP INT TERM
            running=' '
            while read -r change group; do
                case $change in
                    +) running="$running$group " ;;
                    *) running="${running%% "$group" *} ${running#* "$group" }" ;;
                esac
            done
            for group in $running; do kill -s KILL -- "-$group"; done"#;

        /// Starts it, if it does not run yet; returns its id then.
        pub(super) fn start() -> Option<i32> {
            let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
            if watchdog.is_some() {
                return None;
            }
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", SCRIPT]).process_group(0).env_clear();
            shell.stdin(Stdio::piped()).stdout(Stdio::null());
            *watchdog = shell.stderr(Stdio::null()).spawn().ok();
            i32::try_from(watchdog.as_ref()?.id()).ok()
        }

        /// Tells it that a group runs, or has ended.
        pub(super) fn tell(change: char, group: Option<i32>) {
            let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
            let input = watchdog
                .as_mut()
                .and_then(|watchdog| watchdog.stdin.as_mut());
            if let (Some(input), Some(group)) = (input, group) {
                // Without it, the programs end with this one only if that ends them.
                let _ = writeln!(input, "{change} {group}");
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn end_orphans(_: Pid, _: &BTreeSet<i32>) {}

    #[cfg(target_os = "linux")]
    pub(super) use self::orphans::adopt as adopt_orphans;
    #[cfg(target_os = "linux")]
    use self::orphans::end as end_orphans;

    #[cfg(target_os = "linux")]
    mod orphans {
        use std::collections::BTreeSet;
        use std::sync::atomic::{AtomicBool, Ordering};
        use std::time::Duration;

        use rustix::process::{
            Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process,
            set_child_subreaper, waitid, waitpid,
        };

        /// Whether orphans become children of this process.
        static ADOPTS: AtomicBool = AtomicBool::new(false);
        /// How often orphans are looked for, since the end of one makes orphans of its children.
        const MAX_LOOKS: usize = 100;
        const PAUSE: Duration = Duration::from_millis(1);

        pub(in super::super) fn adopt() {
            let adopts = set_child_subreaper(Some(getpid())).is_ok();
            ADOPTS.store(adopts, Ordering::Relaxed);
        }

        /// Kills what a leader that was killed leaves behind: all children of this process but
        /// those that run.
        pub(in super::super) fn end(leader: Pid, running: &BTreeSet<i32>) {
            if !ADOPTS.load(Ordering::Relaxed) {
                return;
            }
            await_end(leader);
            for _ in 0..MAX_LOOKS {
                let orphans: Vec<_> = children()
                    .filter(|child| !running.contains(&child.as_raw_nonzero().get()))
                    .collect();
                if orphans.is_empty() {
                    return;
                }
                for orphan in orphans {
                    // Both fail if it has ended meanwhile.
                    let _ = kill_process(orphan, Signal::KILL);
                    let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
                }
                std::thread::sleep(PAUSE);
            }
        }

        /// Waits until a process has ended, since its children become orphans only then. Its exit
        /// status is left to its starter.
        fn await_end(leader: Pid) {
            let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            for _ in 0..MAX_LOOKS {
                // Fails if its exit status has been read already.
                if !matches!(waitid(WaitId::Pid(leader), ended), Ok(None)) {
                    return;
                }
                std::thread::sleep(PAUSE);
            }
        }

        fn children() -> impl Iterator<Item = Pid> {
            let own = getpid().as_raw_nonzero().get();
            let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            processes.filter_map(move |process| {
                let id: i32 = process.file_name().to_str()?.parse().ok()?;
                let stat = std::fs::read(process.path().join("stat")).ok()?;
                (parent_in(&stat)? == own).then(|| Pid::from_raw(id))?
            })
        }

        /// The parent in `/proc/PID/stat`: `PID (NAME) STATE PARENT …`, where a name may be
        /// anything.
        fn parent_in(stat: &[u8]) -> Option<i32> {
            let name_end = stat.iter().rposition(|byte| *byte == b')')?;
            let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
            rest.split_whitespace().nth(1)?.parse().ok()
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn the_parent_is_found_whatever_the_name() {
                assert_eq!(parent_in(b"12 (sh) S 7 12 12"), Some(7));
                assert_eq!(parent_in(b"12 (a) S 1 (\xff) R 7 12"), Some(7));
                assert_eq!(parent_in(b""), None);
                assert_eq!(parent_in(b"12 (sh"), None);
            }
        }
    }
}
