//! How a run ends.

use thiserror::Error;

use crate::event::Fault;
use crate::journal::JournalError;
use crate::locale::UiText;
use crate::tool::ToolNameError;

/// Why a run stopped in good order. The journal and the last snapshot hold everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The story is over, in these words.
    Finished(String),
    /// The turn that was asked for is reached.
    TurnReached(u64),
    /// Somebody pulled the brake.
    Braked,
    /// A cap of the run does not allow the next call.
    CapReached(String),
    /// Calls failed one after the other, so that going on would only tell fallbacks.
    ServerDown(UiText),
    /// A replay came to the end of its recording.
    EndOfRecording,
    /// Nothing has happened for many turns, and nothing ever will.
    Idle,
}

/// Why a run can't go on. What was committed before is safe.
#[derive(Debug, Error)]
pub enum EngineError {
    /// Systems were added whose order is not declared.
    #[error(
        "two systems have no declared order but touch the same things; order them with .chain(), .before() or .after(): {0}"
    )]
    Ambiguous(String),
    /// A system made a mistake.
    #[error("at '{place}', turn {turn}: {fault}")]
    Fault {
        /// The place that stepped.
        place: String,
        /// The turn.
        turn: u64,
        /// The first mistake.
        fault: Fault,
    },
    /// A place that keeps asking within one turn.
    #[error(
        "'{place}' did not rest within {steps} steps of turn {turn}; a stage must come to rest, or its bound be raised"
    )]
    NeverRests {
        /// The place.
        place: String,
        /// The bound.
        steps: u32,
        /// The turn.
        turn: u64,
    },
    /// An answer that no system took.
    #[error(
        "at '{place}', turn {turn}: no system took the answer '{reply}' of '{entity}'; a system must take Answers<…> in the step after it is given"
    )]
    NotTaken {
        /// The place that stepped.
        place: String,
        /// The turn.
        turn: u64,
        /// Who answered.
        entity: String,
        /// The name of the reply type.
        reply: &'static str,
    },
    /// An ask was recorded with another request.
    #[error(
        "turn {turn}: ask {number} of '{entity}' ({purpose}) differs from the recording:\n{difference}"
    )]
    OtherRequest {
        /// The turn.
        turn: u64,
        /// Who was asked.
        entity: String,
        /// The number of the ask.
        number: u32,
        /// What for.
        purpose: String,
        /// The recorded question against the one of this run, line by line.
        difference: String,
    },
    /// The state after a turn is not the recorded one.
    #[error("after turn {turn} the state of '{place}' differs from the recording")]
    OtherState {
        /// The turn.
        turn: u64,
        /// The first place that differs, by name; empty for the world's own state.
        place: String,
    },
    /// An entity prefers a model that this run does not have.
    #[error("'{entity}' prefers the model '{alias}', which this run does not know")]
    UnknownMind {
        /// The entity.
        entity: String,
        /// The alias.
        alias: String,
    },
    /// A tool that this run does not have.
    #[error(
        "'{entity}' may call the tool '{tool}', which this run does not know; there are: {known}"
    )]
    UnknownTool {
        /// The entity.
        entity: String,
        /// The tool.
        tool: String,
        /// All that there are.
        known: String,
    },
    /// A tool of a server that is not connected or does not have it.
    #[error(
        "'{entity}' may call '{tool}', but no server '{server}' with such a tool is connected; define it under `servers` in your model file, or run without servers"
    )]
    UnknownServerTool {
        /// The entity.
        entity: String,
        /// The tool, as the world names it.
        tool: String,
        /// The server.
        server: String,
    },
    /// A tool was registered under a name that minds can't call it by.
    #[error(transparent)]
    ToolName(#[from] ToolNameError),
    /// The journal can't be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The snapshot can't be written.
    #[error("the snapshot can't be written: {0}")]
    Snapshot(String),
}
