//! How a run ends.

use thiserror::Error;

use crate::cast::turn_number;
use crate::event::Fault;
use crate::journal::{JournalError, Stopped};
use crate::locale::{Localize, UiText};
use crate::save::SaveError;
use crate::tool::ToolNameError;

/// Why a run stopped regularly. The journal and the last snapshot hold everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The story is over, in these words.
    Finished(String),
    TurnReached(u64),
    Cancelled,
    /// A limit of the run does not allow the next call.
    LimitReached(UiText),
    /// A model could not be asked, and waiting was of no use. What it was to answer is asked again
    /// when the run is resumed.
    ServerDown(UiText),
    /// A model gave no usable answer too often.
    NoUsableAnswers(UiText),
    /// Only people who are elsewhere have anything to do: these. What they are asked is asked again
    /// when the run is resumed.
    SeatsAwaited(Vec<String>),
    /// A replay reached the end of its recording.
    EndOfRecording,
    /// Nothing has happened for many turns, and nothing ever will.
    Idle,
}

impl Stop {
    /// The words in the journal.
    pub(super) fn journal_reason(&self) -> String {
        match self {
            Self::Cancelled => "Cancelled".into(),
            Self::LimitReached(reason) => format!("CapReached({:?})", reason.to_string()),
            Self::ServerDown(reason) => format!("ServerDown({:?})", reason.to_string()),
            Self::NoUsableAnswers(reason) => format!("NoUsableAnswers({:?})", reason.to_string()),
            Self::SeatsAwaited(_) => Stopped::SEATS_AWAITED.into(),
            stop => format!("{stop:?}"),
        }
    }
}

/// Why a run failed. What was committed before is safe. `place` is the one that stepped, `turn` the
/// number of turns before it.
#[derive(Debug, Error, Localize)]
pub enum EngineError {
    /// Two systems access the same data without a declared order.
    #[text(engine_ambiguous, systems)]
    Ambiguous(String),
    /// A system made a mistake.
    #[text(engine_fault, turn = turn_number(*turn))]
    Fault {
        place: UiText,
        turn: u64,
        fault: Fault,
    },
    /// A place keeps asking within one turn.
    #[text(engine_never_rests, turn = turn_number(*turn))]
    NeverRests {
        place: UiText,
        steps: u32,
        turn: u64,
    },
    /// An answer that no system took.
    #[text(engine_not_taken, turn = turn_number(*turn))]
    NotTaken {
        place: UiText,
        turn: u64,
        entity: String,
        /// The name of the reply type.
        reply: &'static str,
    },
    /// An ask was recorded with another request.
    #[text(engine_other_request, turn = turn_number(*turn))]
    OtherRequest {
        turn: u64,
        entity: String,
        number: u32,
        purpose: String,
        /// The first line in which the recorded question and the one of this run differ.
        difference: UiText,
    },
    /// The state after a turn is not the recorded one.
    #[text(engine_other_world_state, turn, .. if place.is_empty())]
    #[text(engine_other_state)]
    OtherState {
        turn: u64,
        /// The first place that differs, by name; empty for the world's own state.
        place: String,
    },
    /// An entity prefers a model that this run does not have.
    #[text(engine_unknown_mind)]
    UnknownMind {
        entity: String,
        alias: String,
    },
    /// A tool that this run does not have.
    #[text(engine_unknown_tool)]
    UnknownTool {
        entity: String,
        tool: String,
        /// All tools of this run.
        known: Vec<String>,
        /// The file of the data folder that would make it a table.
        table: String,
    },
    /// A tool of a server that is not connected or does not have it.
    #[text(engine_unknown_server_tool)]
    UnknownServerTool {
        entity: String,
        /// The tool, as the world names it.
        tool: String,
        server: String,
    },
    /// A tool was registered under a name that minds can't use.
    ToolName(#[from] ToolNameError),
    Journal(#[from] JournalError),
    #[text(engine_snapshot, reason)]
    Snapshot(#[source] SaveError),
}
