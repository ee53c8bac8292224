//! Teams as data: who takes part, who speaks next, when a run ends.
//!
//! A writer describes a [`TeamFile`] in `data/teams/<language>/<name>.ron`; a program builds one in
//! code. [`TeamFile::load`] and [`TeamFile::check`] find every mistake at once. Nothing here knows
//! how a team is run.

mod check;
mod checker;
mod file;
mod graph_check;
mod graph_file;
mod load;
mod participant;
mod selection;

pub use file::{Fold, HistoryVisibility, Naming, TeamFile, ToolTeam};
pub use graph_file::{Activation, EdgeCondition, EdgeFile, GraphFile};
pub use load::{FOLDER, Listing, list_teams};
pub use participant::{Audience, Handoff, Output, Participant, ParticipantKind};
pub(super) use selection::MANAGERS;
pub use selection::{Selection, Transitions};

#[cfg(test)]
mod tests;
