//! Running code that minds wrote, each piece in a process of its own: scripts in a sandbox, and
//! python and sh if the user allows it.
//!
//! It is an async tool: its results are recorded, so a replay runs nothing. Its name is not legal
//! in team and world files; only systems call it, after asking an approver. Start reading at
//! [`register`].

#[cfg(feature = "scripts")]
mod child;
mod job;
#[cfg(feature = "scripts")]
mod output;
#[cfg(feature = "scripts")]
mod process;
mod run;
#[cfg(feature = "scripts")]
mod script;
#[cfg(test)]
mod tests;

pub use job::{
    CodeJob, CodeLanguage, CodeOutcome, CodePolicy, FORBIDDEN, OUT_OF_TIME, RUN_CODE, Snippet,
};
#[cfg(feature = "scripts")]
pub use process::run_script_process;
pub use run::register;
