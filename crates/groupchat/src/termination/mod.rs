//! When a run ends.
//!
//! A [`Termination`] is a condition in a team file. A [`TerminationState`] evaluates it during a
//! run, message by message, and is saved with the world. Pure: time and functions come with each
//! check.

mod condition;
mod state;

pub use condition::Termination;
pub use state::{AlreadyTerminated, DeltaContext, StopReason, TerminationState};

#[cfg(test)]
mod tests;
