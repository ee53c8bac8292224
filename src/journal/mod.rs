//! The append-only record of what came from outside: outcomes of asks, meetings with state hashes,
//! stops. Replayed as the only mind it makes the same world again.
//!
//! One JSON object a line. The first is the [`Head`]; an [`Outcome`] is synced before it is applied.
//! A torn last line is dropped with a warning; anything else that can't be read is refused. This
//! room imports `message/` alone. Start reading at [`Journal`].

mod file;
mod line;
mod recording;

pub use file::{Journal, JournalError};
pub use line::{
    Ending, FORMAT, GameSetup, Head, Line, Meeting, OpenRound, Outcome, RefusedAnswer, Stopped,
    ToolResultRecord, ToolRoundRecord, ToolSpent,
};
pub use recording::{Recorded, Recording};
