//! The thread on which the engine plays, one turn for each exchange with the game.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::{CancellationToken, Engine, EngineError, Setup, Stop};
use playhouse_engine::event::{Feed, Record};
use playhouse_engine::mind::Minds;
use thiserror::Error;

use super::input::{GAME, GameInput, GameMind};

/// The story plays no further: why it stopped, or the error that ended it.
#[derive(Message, Clone, Debug)]
pub struct StoryStopped(pub Result<Stop, Arc<StoryError>>);

/// Why a story can't be played on.
#[derive(Debug, Error)]
pub enum StoryError {
    /// The system gives it no thread.
    #[error("the story can't have a thread: {0}")]
    Thread(#[from] io::Error),
    #[error(transparent)]
    Engine(Box<EngineError>),
}

impl From<EngineError> for StoryError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// What one turn of the story told, and to whom, by name.
pub(super) struct Played {
    pub(super) records: Vec<(Record, Vec<Arc<str>>)>,
    /// Why the story plays no further.
    pub(super) stopped: Option<StoryStopped>,
}

/// The engine's thread, as the app sees it. Dropping it ends the thread.
#[derive(Resource)]
pub(super) struct Host {
    inputs: Sender<GameInput>,
    played: Mutex<Receiver<Played>>,
    token: Arc<Mutex<Option<CancellationToken>>>,
}

impl Host {
    pub(super) fn start(setup: Setup, minds: Minds) -> Self {
        let (inputs, waiting) = channel();
        let (told, played) = channel();
        let token = Arc::default();
        let story = Story {
            inputs: waiting,
            told: told.clone(),
            token: Arc::clone(&token),
        };
        let thread = thread::Builder::new().name("story".into());
        if let Err(error) = thread.spawn(move || story.play(setup, minds)) {
            // The receiver is right here.
            let _ = told.send(stopped(Err(error.into())));
        }
        Self {
            inputs,
            played: Mutex::new(played),
            token,
        }
    }

    /// Lets the story play a turn. Never waits.
    pub(super) fn play(&self, input: GameInput) {
        // Where the thread has ended it has said why, which comes next.
        let _ = self.inputs.send(input);
    }

    /// The turn that was played, if it is over. Never waits.
    pub(super) fn played(&self) -> Option<Played> {
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        played.try_recv().ok()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = &*token {
            token.cancel();
        }
    }
}

fn stopped(ended: Result<Stop, StoryError>) -> Played {
    Played {
        records: Vec::new(),
        stopped: Some(StoryStopped(ended.map_err(Arc::new))),
    }
}

/// What the thread works with.
struct Story {
    inputs: Receiver<GameInput>,
    told: Sender<Played>,
    token: Arc<Mutex<Option<CancellationToken>>>,
}

impl Story {
    fn play(self, setup: Setup, minds: Minds) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let ended = match runtime {
            Ok(runtime) => runtime.block_on(self.turns(setup, minds)),
            Err(error) => stopped(Err(error.into())),
        };
        // If the app is gone, nobody wants to know.
        let _ = self.told.send(ended);
    }

    /// Plays a turn for every input until the story or the app ends.
    async fn turns(&self, setup: Setup, minds: Minds) -> Played {
        let game = GameMind::default();
        let minds = minds.with_seat(GAME, Arc::new(game.clone()));
        let mut engine = match Engine::in_memory(setup, minds) {
            Ok(engine) => engine,
            Err(error) => return stopped(Err(error.into())),
        };
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(engine.cancellation_token());
        let records = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&records);
        engine.add_feed(Feed::observer(move |record: &Record| {
            let mut records = sink.lock().unwrap_or_else(PoisonError::into_inner);
            records.push(record.clone());
        }));
        let mut turn = 0;
        while let Ok(input) = self.inputs.recv() {
            turn += 1;
            game.put(input);
            let ended = engine.run(Some(turn)).await;
            let records =
                std::mem::take(&mut *records.lock().unwrap_or_else(PoisonError::into_inner));
            let stopped = match ended {
                Ok(Stop::TurnReached(_)) => None,
                ended => Some(StoryStopped(ended.map_err(|error| Arc::new(error.into())))),
            };
            let played = Played {
                records: with_audiences(records),
                stopped,
            };
            let is_over = played.stopped.is_some();
            if self.told.send(played).is_err() || is_over {
                break;
            }
        }
        stopped(Ok(Stop::Cancelled))
    }
}

/// Adds to each event the names of those who learned of it, and leaves out what the game itself has
/// answered.
fn with_audiences(records: Vec<Record>) -> Vec<(Record, Vec<Arc<str>>)> {
    let is_own =
        |record: &Record| matches!(record, Record::Answer(answer) if &*answer.entity == GAME);
    let records = records.into_iter().filter(|record| !is_own(record));
    records
        .map(|record| {
            let audience = match &record {
                Record::Event(event) => &*event.audience,
                _ => &[],
            };
            let audience = audience.iter().map(|who| who.name.clone()).collect();
            (record, audience)
        })
        .collect()
}
