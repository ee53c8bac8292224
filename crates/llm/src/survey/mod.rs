//! What an undescribed server can do: found out by reading what it says of itself and
//! by a few short requests.
//!
//! Each probe is a question, the settings with which it is tried, and a function from the answer to
//! a [`Finding`]. What was accepted becomes a member of an [`Entry`] of the model file, and every
//! request is made as that entry says, so that it works as it is printed. Start reading at
//! [`survey`].

mod course;
mod entry;
mod finding;
mod pages;
mod probes;

pub use course::{Survey, SurveyError, SurveyPlan, survey};
pub use entry::Entry;
pub use finding::Finding;
