//! Running code that minds wrote: scripts in a sandbox inside this process, and, if the user allows
//! it, python and sh in a process of their own.
//!
//! It is an async tool: its results are recorded, so a replay runs nothing. Its name is not legal
//! in team and world files; only systems call it, after asking an approver. Start reading at
//! [`register`].

#[cfg(feature = "scripts")]
mod child;
mod job;
#[cfg(feature = "scripts")]
mod output;
mod run;
#[cfg(feature = "scripts")]
mod script;
#[cfg(test)]
mod tests;

pub use job::{
    CodeJob, CodeLanguage, CodeOutcome, CodePolicy, FORBIDDEN, OUT_OF_TIME, RUN_CODE, Snippet,
};
pub use run::register;
