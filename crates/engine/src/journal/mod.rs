//! The append-only record of what came from outside the world: outcomes of asks, meetings with
//! state hashes, stops. Replaying it gives the same world again.
//!
//! # An example
//!
//! One JSON object per line, here without most of their members:
//!
//! ```json
//! {"head":{"format":1,"world":"Town","data":"town-1","seed":7},"sum":"031c6749a804fc8b"}
//! {"snapshot":{"turn":0,"digest":"fb46dfe2…"},"sum":"7436ef2c18d613f9"}
//! {"outcome":{"entity":"Ann","number":1,"hash":"b290566e…","ending":{…}},"sum":"…"}
//! {"meeting":{"turn":1,"hashes":{"Hall":"9c1d…"}},"sum":"…"}
//! {"outcome":{"entity":"Ann","number":2,"hash":"41e07a5b…"
//! ```
//!
//! - **Synced before it is applied.** Ann's first answer was on disk before the world changed. The
//!   run was killed while it wrote the second, so the last line is incomplete: it is dropped with a
//!   warning, and Ann is asked again.
//! - **Replayed by its request.** A run that goes on from the snapshot asks Ann for the first time
//!   again. The [`Recording`] has an outcome of this entity, number and hash, so no mind is called;
//!   another hash would mean other data or another program. At the meeting of turn 1, the hash of
//!   each place is compared with the recorded one.
//! - **Chained.** A `sum` is a hash of its line and of the sum before it, so a line that was
//!   changed, moved or taken away is found, and refused with its number. A snapshot counts only if
//!   a line has its digest.
//!
//! Start reading at [`Journal`].

mod error;
mod file;
mod line;
mod read;
mod recording;
mod replica;
mod sums;

pub use error::JournalError;
pub use file::Journal;
pub use line::{
    AskEnding, BranchedFrom, FORMAT, GameSetup, Input, JournalHeader, Line, Meeting, OpenRound,
    Outcome, QuestionVector, RecalledMemory, RefusedAnswer, Retake, Sent, SnapshotRecord, Stopped,
    TextVectors, ToolPayment, ToolResultRecord, ToolRoundRecord, ToolSpent,
};
pub use read::JournalReader;
pub(crate) use read::{JournalLines, Reading};
pub use recording::game_of_line;
pub use recording::{
    HOST, Recorded, Recording, branch_input, game_input, game_of_input, game_setups, given_by,
    is_undo, new_minds, new_seed, undo_input,
};
pub use replica::Replica;
