//! The append-only record of what came from outside the world: outcomes of asks, meetings with
//! state hashes, stops. Replaying it gives the same world again.
//!
//! One JSON object per line, each with a checksum. The first is the [`JournalHeader`]; an
//! [`Outcome`] is synced before it is applied. An incomplete last line is dropped with a warning,
//! any other line that is damaged or invalid is refused. Start reading at [`Journal`].

mod error;
mod file;
mod line;
mod read;
mod recording;
mod sums;

pub use error::JournalError;
pub use file::Journal;
pub use line::{
    AskEnding, BranchedFrom, FORMAT, GameSetup, Input, JournalHeader, Line, Meeting, OpenRound,
    Outcome, QuestionVector, RecalledMemory, RefusedAnswer, Retake, SnapshotRecord, Stopped,
    TextVectors, ToolResultRecord, ToolRoundRecord, ToolSpent,
};
pub(crate) use read::JournalLines;
pub use recording::game_of_line;
pub use recording::{
    HOST, Recorded, Recording, branch_input, game_input, game_of_input, game_setups, given_by,
    is_undo, new_minds, new_seed, undo_input,
};
