//! When a run ends.
//!
//! A [`TerminationCondition`] is part of a team file. A [`TerminationState`] evaluates one during a run,
//! message by message, and is saved with the world. Pure: time and functions are given with each check.

mod condition;
mod state;

pub use condition::{ConditionError, TerminationCondition};
pub use state::{AlreadyTerminated, DeltaContext, StopReason, TerminationState};

#[cfg(test)]
mod tests;
