//! The thread on which the engine plays, one turn for each exchange with the game.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::WorldTurn;
use playhouse_engine::engine::{CancellationToken, EngineError, Stop};
use playhouse_engine::event::{Feed, Record};
use playhouse_engine::session::SessionError;
use thiserror::Error;

use super::ask::StoryReplies;
use super::input::{GAME, GameInput, GameMind};
use super::opening::Opening;

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
    /// Its save can't be begun or loaded.
    #[error(transparent)]
    Session(Box<SessionError>),
}

impl From<EngineError> for StoryError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}

impl From<SessionError> for StoryError {
    fn from(error: SessionError) -> Self {
        Self::Session(Box::new(error))
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
    /// Until the app is gone.
    inputs: Option<Sender<GameInput>>,
    played: Mutex<Receiver<Played>>,
    token: Arc<Mutex<Option<CancellationToken>>>,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    pub(super) fn start(opening: Opening, replies: StoryReplies) -> Self {
        let (inputs, waiting) = channel();
        let (told, played) = channel();
        let token = Arc::default();
        let story = Story {
            inputs: waiting,
            told: told.clone(),
            token: Arc::clone(&token),
        };
        let thread = thread::Builder::new().name("story".into());
        let thread = thread.spawn(move || story.play(opening, replies));
        let thread = thread.inspect_err(|error| {
            let error = io::Error::new(error.kind(), error.to_string());
            // The receiver is right here.
            let _ = told.send(stopped(Err(error.into())));
        });
        Self {
            inputs: Some(inputs),
            played: Mutex::new(played),
            token,
            thread: thread.ok(),
        }
    }

    /// Lets the story play a turn. Never waits.
    pub(super) fn play(&self, input: GameInput) {
        // Where the thread has ended it has said why, which comes next.
        let _ = self.inputs.as_ref().map(|inputs| inputs.send(input));
    }

    /// The turn that was played, if it is over. Never waits.
    pub(super) fn played(&self) -> Option<Played> {
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        played.try_recv().ok()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.inputs = None;
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = token.as_ref() {
            token.cancel();
        }
        drop(token);
        // Then its slot is free. A thread that panicked has said so.
        let _ = self.thread.take().map(JoinHandle::join);
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
    fn play(self, opening: Opening, replies: StoryReplies) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let ended = match runtime {
            Ok(runtime) => runtime.block_on(self.turns(opening, replies)),
            Err(error) => stopped(Err(error.into())),
        };
        // If the app is gone, nobody wants to know.
        let _ = self.told.send(ended);
    }

    /// Plays a turn for every input until the story or the app ends.
    async fn turns(&self, opening: Opening, replies: StoryReplies) -> Played {
        let game = GameMind::default();
        let mut playing = match opening.open(replies, game.clone()) {
            Ok(playing) => playing,
            Err(error) => return stopped(Err(error)),
        };
        let engine = playing.engine();
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(engine.cancellation_token());
        let records = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&records);
        engine.add_feed(Feed::observer(move |record: &Record| {
            let mut records = sink.lock().unwrap_or_else(PoisonError::into_inner);
            records.push(record.clone());
        }));
        let mut turn = engine.world.resource::<WorldTurn>().0;
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
