//! The loop: run systems, gather asks, call minds, commit, meet.
//!
//! Systems never do I/O and never wait; the only async code of the engine stands between two runs
//! of a schedule. Each place steps whenever none of its asks is open; when all rest, the world meets.
//! Outcomes are synced to the journal before they are applied, so whatever the network's timing, the
//! world is a function of its data, its seed and its journal. Start reading at [`Engine::run`]: `run.rs` has turns and steps, `asks.rs`, `dispatch.rs` and
//! `commits.rs` follow an ask from opening to commit, `tools.rs` what its mind calls meanwhile.

mod asks;
mod cache_warmup;
mod calls;
mod commits;
mod compact;
mod dispatch;
mod error;
mod run;
mod setup;
mod signal;
mod tools;
mod totals;

pub use error::{EngineError, Stop};
pub use run::{Engine, Settings};
pub use setup::{Meet, MeetSet, Setup, Step, StepSet};
pub use signal::{CancellationToken, Signal};
pub use totals::{CallFigures, SpendLimits, Totals};

use bevy_ecs::prelude::*;

/// Says that the story is over; the run ends at the meeting that finds it.
#[derive(Resource, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StoryEnd(pub String);

/// How many turns in a row nothing has happened; absent where something happened in the last one.
#[derive(Resource, Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct IdleTurns(u32);

/// The asks that an entity was ever asked; the number of the last.
#[derive(
    Component, Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct AskCount(pub u32);
