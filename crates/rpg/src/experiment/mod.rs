//! Experiments: a world under several conditions, and how what happens differs between them.
//!
//! [`ExperimentFile`] is what a researcher writes, an [`Outcome`] what is measured of each story,
//! and [`compare`] sets the conditions beside each other.

mod file;
mod outcome;
mod report;

pub use file::{Condition, Experiment, ExperimentFile};
pub use outcome::{Figure, Measured, Outcome};
pub use report::{ConditionRuns, OutcomeReport, compare};
