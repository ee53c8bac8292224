//! What strangers may send: saves, worlds and files made to do harm. The program may refuse them,
//! but it neither crashes, hangs, fills the memory nor touches files that are not its own.
#![cfg(unix)]

mod damage;
mod endless;
mod links;
mod many;
mod texts;
mod torn;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::{err, out, playhouse, write};

/// The memory that an attacked program gets, in KiB, and the seconds of processor time; it may
/// wait for the processor itself, but not for ever.
const LIMITS: &str = "ulimit -v 524288; ulimit -t 20; exec timeout -s KILL 120 \"$@\"";

/// Runs the program with limits on memory and time.
fn attacked(folder: &Path, arguments: &str) -> Output {
    limited(folder, LIMITS, arguments)
}

/// Runs the program after a command of the shell that sets limits.
fn limited(folder: &Path, limits: &str, arguments: &str) -> Output {
    let program = playhouse(folder).get_program().to_owned();
    let mut command = Command::new("sh");
    command
        .args(["-c", limits, "sh"])
        .arg(program)
        .args(arguments.split_whitespace())
        .args(["--width", "1000"])
        .current_dir(folder)
        .env_clear()
        .envs([("LANG", "en_US.UTF-8"), ("PATH", "/usr/bin:/bin")])
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let told = err(&output);
    assert!(
        matches!(output.status.code(), Some(0..=7)),
        "{arguments}: {:?}\n{told}\n{}",
        output.status,
        out(&output)
    );
    assert!(!told.contains("panicked"), "{arguments}: {told}");
    output
}

/// Runs the program, which refuses what it is given and says so with these words.
fn refused(folder: &Path, arguments: &str, words: &str) {
    let output = attacked(folder, arguments);
    let told = err(&output);
    assert_ne!(output.status.code(), Some(0), "{arguments}: {told}");
    assert!(told.contains(words), "{arguments}: no '{words}' in {told}");
}

/// Runs the program, which does what it is asked for, and returns what it says.
fn accepted(folder: &Path, arguments: &str) -> String {
    let output = attacked(folder, arguments);
    let told = err(&output);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {told}");
    out(&output) + told.as_str()
}

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
