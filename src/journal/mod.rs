//! The append-only record of what came from outside the world: outcomes of asks, meetings with
//! state hashes, stops. Replaying it gives the same world again.
//!
//! One JSON object per line. The first is the [`JournalHeader`]; an [`Outcome`] is synced before it
//! is applied. An incomplete last line is dropped with a warning, any other invalid line is
//! refused. Start reading at [`Journal`].

mod file;
mod line;
mod recording;

pub use file::{Journal, JournalError};
pub use line::{
    Ending, FORMAT, GameSetup, JournalHeader, Line, Meeting, OpenRound, Outcome, RefusedAnswer,
    Stopped, ToolResultRecord, ToolRoundRecord, ToolSpent,
};
pub use recording::{Recorded, Recording};
