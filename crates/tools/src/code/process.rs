//! The process in which a script runs: a program whose `main` begins with [`run_script_process`],
//! started again. Its limits are set before it reads the script.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::process::ExitCode;

use super::{CodePolicy, FORBIDDEN, script};

/// The first argument of a process that limits itself and then starts again as [`RUN`]: limits on
/// memory do not hold for what an allocator has reserved before.
const LIMIT: &str = "--limit-script";
/// The first argument of a process that runs a script.
const RUN: &str = "--run-script";
/// The maximum of memory, in bytes of address space.
#[cfg(unix)]
const MAX_MEMORY: u64 = 256 * 1024 * 1024;

/// The arguments before the file of the script.
pub(super) fn arguments(policy: &CodePolicy) -> [String; 3] {
    let seconds = policy.time.as_secs().saturating_add(1);
    [LIMIT.into(), seconds.to_string(), policy.steps.to_string()]
}

/// Runs a script if this process was started to do so, and returns its exit code; `None` in any
/// other process, which then continues as usual.
///
/// A program of your own that lets code run calls this at the start of `main` and is the
/// [`CodePolicy::script_program`] then.
pub fn run_script_process() -> Option<ExitCode> {
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [step, seconds, steps, file] = given.as_slice() else {
        return None;
    };
    let code = if step == LIMIT {
        limit_and_restart(number(seconds), &given)
    } else if step == RUN {
        run(number(steps), Path::new(file))
    } else {
        return None;
    };
    Some(code.unwrap_or_else(|error| {
        // Nobody else can be told.
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::from(FORBIDDEN as u8)
    }))
}

/// A number that [`arguments`] wrote; else the strictest limit.
fn number(text: &OsStr) -> u64 {
    text.to_str().unwrap_or_default().parse().unwrap_or(1)
}

fn run(steps: u64, file: &Path) -> io::Result<ExitCode> {
    let code = std::fs::read_to_string(file)?;
    let code = script::run(&code, steps, |line| {
        // A reader who has gone has read enough.
        let _ = writeln!(io::stdout(), "{line}");
    });
    Ok(ExitCode::from(code))
}

#[cfg(unix)]
fn limit_and_restart(seconds: u64, given: &[OsString]) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limits = [
        (Resource::As, MAX_MEMORY),
        (Resource::Cpu, seconds),
        (Resource::Nproc, 0),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ];
    for (resource, limit) in limits {
        let known = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Some(limit.min(known));
        let limit = Rlimit {
            current: limit,
            maximum: limit,
        };
        setrlimit(resource, limit)?;
    }
    let mut again = Command::new(std::env::current_exe()?);
    // It returns only if it fails.
    Err(again.arg(RUN).args(given.iter().skip(1)).exec())
}

/// Elsewhere only the time is limited, by the process that waits.
#[cfg(not(unix))]
fn limit_and_restart(_: u64, given: &[OsString]) -> io::Result<ExitCode> {
    let [_, _, steps, file] = given else {
        return Ok(ExitCode::FAILURE);
    };
    run(number(steps), Path::new(file))
}
