//! The least that a [`CodePolicy::script_program`] is: it runs the scripts of teams.
//!
//! [`CodePolicy::script_program`]: playhouse_tools::code::CodePolicy::script_program

fn main() -> std::process::ExitCode {
    playhouse_tools::code::run_script_process().unwrap_or_default()
}
