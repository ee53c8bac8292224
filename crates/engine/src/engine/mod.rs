//! The loop: run systems, collect asks, call minds, commit answers, meet.
//!
//! Systems never do I/O and never wait: the engine's async code runs between two runs of a
//! schedule. A place steps whenever none of its asks is open; when all places rest, the world
//! meets. Outcomes are synced to the journal before they are applied, so the world is a function of
//! its data, its seed and its journal, whatever the network's timing.
//!
//! # A turn of two places
//!
//! Ann and Bob are in the hall, Cid is alone in the mill. The hall's system asks Ann, and Bob as
//! soon as Ann has answered; the mill's system asks Cid.
//!
//! | | the hall | the mill |
//! |---|---|---|
//! | step 1 | the system inserts an ask for Ann | the system inserts an ask for Cid |
//! | `asks.rs` | the ask gets number 1 of Ann and the hash of its request | likewise for Cid |
//! | `dispatch.rs` | Ann's mind is called | Cid's mind is called at the same time |
//! | `commits.rs` | Ann is still thinking | Cid answers: journal synced, answer committed |
//! | step 2 | | the system takes Cid's answer and asks nothing: the mill rests |
//! | `commits.rs` | Ann answers: synced, committed | |
//! | step 2 | the system takes Ann's answer and asks Bob, who is called and committed likewise | |
//! | step 3 | the system takes Bob's answer: the hall rests, too | |
//! | meeting | both places rest, so the world meets, and the turn is over | |
//!
//! Whether Cid or Ann answers first changes nothing in either place: a step sees its own place
//! alone, all asks of a place are committed together, in the order of their entities, and what
//! concerns several places waits for the meeting. If Bob had been asked together with Ann, the hall
//! would have waited for both.
//!
//! In a replay, and in a run that goes on after a crash, `asks.rs` finds the outcome of the same
//! request in the journal, and no mind is called.
//!
//! Start reading at [`Engine::run`]: `run.rs` has turns and steps; `tools.rs` runs the tools that a
//! mind calls.

mod account;
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
mod follow;
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
pub mod telemetry;
mod tools;
mod totals;

pub use account::{Account, ModelBudget, Pace};
pub use error::{EngineError, Stop};
pub use follow::{Lead, NextLines};
pub use gate::{AnswerInReview, AskKey, CallGate, Decision};
pub use listeners::SentRequest;
pub use recalled::{Associating, Associations};
pub use run::{Engine, EngineSettings, give_minds};
pub use setup::{Meet, MeetSet, Setup, Step, StepSet};
pub use signal::{CancellationToken, Signal};
pub use state::{AskCount, Inputs, StoryEnd};
pub use tools::unknown_tools;
pub use totals::{CallFigures, Totals};

pub use crate::tool::SpendLimits;
