//! How a story begins: in memory, or in a save slot.

use std::path::PathBuf;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::{Engine, Setup};
use playhouse_engine::journal::GameSetup;
use playhouse_engine::locale::UiText;
use playhouse_engine::mind::Minds;
use playhouse_engine::save::{Meta, Slot};
use playhouse_engine::session::{Game, Session, SetupError};

use super::ask::StoryReplies;
use super::host::StoryError;
use super::input::{self, GAME, GameMind};

/// A story before it is played.
pub(super) enum Opening {
    InMemory(Box<Setup>, Minds),
    InSlot {
        game: Arc<dyn Game>,
        root: PathBuf,
        slot: String,
        seed: u64,
        minds: Minds,
    },
}

/// A story that is played.
pub(super) enum Playing {
    Engine(Box<Engine>),
    Session(Box<Session>),
}

impl Opening {
    /// Begins the story, or goes on with it if its slot has one.
    pub(super) fn open(
        self,
        replies: StoryReplies,
        game_mind: GameMind,
    ) -> Result<Playing, StoryError> {
        let seated = |minds: Minds| minds.with_seat(GAME, Arc::new(game_mind));
        match self {
            Self::InMemory(mut setup, minds) => {
                replies.install(&mut setup);
                let engine = Engine::in_memory(*setup, seated(minds))?;
                Ok(Playing::Engine(Box::new(engine)))
            }
            Self::InSlot {
                game,
                root,
                slot,
                seed,
                minds,
            } => {
                let game = AppGame { game, replies };
                let minds = seated(minds);
                let session = if Slot::find(&root, &slot).is_ok() {
                    Session::resume(&root, &slot, &game, minds, false)?
                } else {
                    Session::start(&root, &slot, &game, seed, minds)?
                };
                Ok(Playing::Session(Box::new(session)))
            }
        }
    }
}

impl Playing {
    pub(super) fn engine(&mut self) -> &mut Engine {
        match self {
            Self::Engine(engine) => engine,
            Self::Session(session) => &mut session.engine,
        }
    }
}

impl StoryReplies {
    fn install(&self, setup: &mut Setup) {
        for reply in self.0.values() {
            (reply.install)(setup);
        }
    }
}

/// A game with what it needs beside an app.
struct AppGame {
    game: Arc<dyn Game>,
    replies: StoryReplies,
}

impl Game for AppGame {
    fn meta(&self) -> Meta {
        self.game.meta()
    }

    fn game_setup(&self, seed: u64) -> Option<GameSetup> {
        self.game.game_setup(seed)
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = self.game.set_up(seed)?;
        input::install(&mut setup);
        self.replies.install(&mut setup);
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        self.game.populate(setup)?;
        Ok(input::spawn_game(setup)?)
    }

    fn embedded(&self, setup: &GameSetup, data: &str) -> Option<Box<dyn Game>> {
        let game = Arc::from(self.game.embedded(setup, data)?);
        let replies = self.replies.clone();
        Some(Box::new(Self { game, replies }))
    }

    fn adapt(&self, world: &mut World) -> Result<Vec<UiText>, Option<SetupError>> {
        self.game.adapt(world)
    }
}
