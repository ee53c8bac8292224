//! Stories on disk: start one, resume it, replay it, branch from any of its turns.
//!
//! A [`Session`] is an engine whose journal and snapshots are kept in a save slot. What was
//! recorded is never asked again: a resumed session finds the outcomes after its snapshot in its
//! journal, and a replay asks no mind at all. The games are behind the trait [`Game`]. Start
//! reading at [`Session::resume`].
//!
//! What minds were sent can be looked up: [`requests`].

mod batch;
mod embedded;
mod error;
mod event_log;
mod host;
mod live;
mod requests;
mod retake;
mod rewind;
mod world;

pub use batch::{Batch, BatchError, BatchPlan, OpenedGame, StoredExperiment, create_experiment};
pub use embedded::{EmbeddedFiles, EmbeddedGame, take_data};
pub use error::{SessionError, SetupError};
pub use event_log::{Answered, EventLog, Logged, Stay, answered};
pub use host::{HOST_FIELD, TOLD, take_told, tell_input};
pub use live::Session;
pub use requests::{
    CallRequest, PromptMessage, PromptPart, Wanted, asked_again, messages_of, requests,
};
pub use retake::{Retaken, Retried, retake, retry_defaults};
pub use rewind::{Replayed, branch, catch_up, play_again, play_on, replay, state_at};

use bevy_ecs::prelude::*;

use crate::engine::Setup;
use crate::journal::GameSetup;
use crate::locale::UiText;
use crate::save::Meta;

/// A game with its world, as a session needs it.
pub trait Game: Send + Sync {
    /// Name and data fingerprint of the world.
    fn meta(&self) -> Meta;

    /// What the journal must keep of this game to set it up again; `None` if the world's name is
    /// enough.
    fn game_setup(&self, _seed: u64) -> Option<GameSetup> {
        None
    }

    /// What a batch must keep of this game to set up any of its games.
    fn batch_setup(&self) -> Option<GameSetup> {
        self.game_setup(0)
    }

    /// The world without its cast: language, systems, event types, and which parts are saved.
    ///
    /// # Errors
    /// Why the world's data can't be used.
    fn set_up(&self, seed: u64) -> Result<Setup, SetupError>;

    /// Adds the cast of a new story. A loaded story has its own.
    ///
    /// # Errors
    /// Why the world's data can't be used.
    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError>;

    /// The game with other data, from a [setup](Self::game_setup) that a journal kept; `None` if it
    /// does not keep these.
    fn embedded(&self, _setup: &GameSetup, _data: &str) -> Option<Box<dyn Game>> {
        None
    }

    /// What has changed in the data of this game since a world was set up or last fitted to them,
    /// if the world can take that over. It does so at its next meeting, when it is told the game's
    /// [setup](Self::game_setup), which the journal keeps. By default that is impossible, and a
    /// story needs the data that it began with.
    ///
    /// # Errors
    /// Why this world does not fit; `None` if no world does.
    fn adapt(&self, _world: &mut World) -> Result<Vec<UiText>, Option<SetupError>> {
        Err(None)
    }
}
