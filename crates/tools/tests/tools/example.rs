//! Examples that tests start as programs.

use std::path::PathBuf;
use std::process::Command;

/// The program of an example. Unless some test alone was asked for, it has been built.
pub(crate) fn example(name: &str) -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let folder = deps.parent().unwrap().parent().unwrap().join("examples");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--example", name]);
        assert!(cargo.status().unwrap().success());
    }
    path
}
