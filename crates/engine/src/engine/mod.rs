//! The loop: run systems, collect asks, call minds, commit answers, meet.
//!
//! Systems never do I/O and never wait: the engine's async code runs between two runs of a
//! schedule. A place steps whenever none of its asks is open; when all places rest, the world
//! meets. Outcomes are synced to the journal before they are applied, so the world is a function of
//! its data, its seed and its journal, whatever the network's timing.
//!
//! Start reading at [`Engine::run`]: `run.rs` has turns and steps; `asks.rs`, `dispatch.rs` and
//! `commits.rs` follow an ask from opening to commit; `tools.rs` runs the tools that its mind
//! calls.

mod ask_tools;
mod asks;
mod cache_warmup;
mod calls;
mod commits;
mod compact;
mod dispatch;
mod embedding;
mod error;
mod failures;
mod gate;
mod job;
mod listeners;
mod outages;
mod places;
mod recalled;
mod repeated;
mod run;
mod sent;
mod setup;
mod signal;
mod state;
mod tools;
mod totals;

pub use error::{EngineError, Stop};
pub use gate::{AnswerInReview, AskKey, CallGate, Decision};
pub use listeners::SentRequest;
pub use run::{Engine, EngineSettings, give_minds};
pub use setup::{Meet, MeetSet, Setup, Step, StepSet};
pub use signal::{CancellationToken, Signal};
pub use state::{AskCount, Inputs, StoryEnd};
pub use totals::{CallFigures, Totals};

pub use crate::tool::SpendLimits;
