//! Running a team from a program: tasks in, messages out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use bevy_ecs::prelude::*;
use futures_util::{FutureExt, Stream, stream};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::UserProxy;
use super::game::ChatGame;
use super::inbox::Inbox;
use super::message::{ChatMessage, FactoryError, RequestUsage};
use super::perspective::{Seen, perspective};
use super::stage::{CONTROL_MESSAGE, Chat, Phase, UserInput};
use super::stream_merger::{Dropped, StreamMerger};
use super::team::TeamFile;
use crate::cast::{CastList, WorldTurn};
use crate::context::AgentContext;
use crate::engine::{CancellationToken, Engine, EngineError, Stop};
use crate::event::Feed;
use crate::exchange::Ledger;
use crate::journal::{FORMAT, Journal, JournalHeader, Line, Recording};
use crate::mind::Minds;
use crate::save::{Expected, SaveError, restore, snapshot};
use crate::session::Game;

/// Why a team can't be run.
#[derive(Debug, Error)]
pub enum ChatError {
    /// The world can't be set up.
    #[error("the team can't be set up: {0}")]
    SetUp(String),
    /// A task without messages.
    #[error("a task needs at least one message; to go on without a task, run `Task::go_on()`")]
    EmptyTask,
    /// A task with a message that can't be used.
    #[error(transparent)]
    Message(#[from] FactoryError),
    /// Somebody could not answer, or was chosen and takes no part.
    #[error("the run failed: {0}")]
    Run(String),
    /// The run was stopped in the middle of a turn, and goes on from where it was.
    #[error("the run was cancelled; no call was started after that")]
    Cancelled,
    /// The run was stopped by a cap or a server.
    #[error("the run stopped: {0:?}")]
    Stopped(Stop),
    /// The engine found a mistake of the game.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A state that can't be read, or is of another team.
    #[error(transparent)]
    State(#[from] SaveError),
    /// A state in another form.
    #[error("this is no saved state of a team: {0}")]
    NoState(String),
}

/// What a team is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Task(UserInput);

impl Task {
    /// Going on where the last run stopped.
    pub fn go_on() -> Self {
        Self(UserInput::continue_())
    }
}

impl From<&str> for Task {
    fn from(words: &str) -> Self {
        Self(UserInput::task(words))
    }
}

impl From<String> for Task {
    fn from(words: String) -> Self {
        Self(UserInput::task(words))
    }
}

impl From<ChatMessage> for Task {
    fn from(message: ChatMessage) -> Self {
        Self(UserInput::of(vec![message]))
    }
}

impl From<Vec<ChatMessage>> for Task {
    fn from(messages: Vec<ChatMessage>) -> Self {
        Self(UserInput::of(messages))
    }
}

/// What a participant answers: its message, and what it did on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The answer.
    pub chat_message: ChatMessage,
    /// Events before it.
    pub inner_messages: Vec<ChatMessage>,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskResult {
    /// All messages and events of the run in order, the task's first.
    pub messages: Vec<ChatMessage>,
    /// Why it ended.
    pub stop_reason: Option<String>,
    /// The tokens of all calls of the run, those of selectors and orchestrators included.
    pub usage: RequestUsage,
}

impl TaskResult {
    /// What each turn gave: an answer and the events before it.
    pub fn responses(&self) -> Vec<Response> {
        let mut responses = Vec::new();
        let mut inner = Vec::new();
        for message in &self.messages {
            match message.is_event() {
                true => inner.push(message.clone()),
                false => responses.push(Response {
                    chat_message: message.clone(),
                    inner_messages: std::mem::take(&mut inner),
                }),
            }
        }
        responses
    }

    /// The last message that is no event.
    pub fn last(&self) -> Option<&ChatMessage> {
        self.messages
            .iter()
            .rev()
            .find(|message| !message.is_event())
    }
}

/// One thing of a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// A message or an event as it is told, or a piece of a message while it is written
    /// ([`Content::StreamingChunk`](super::message::Content::StreamingChunk)).
    Message(ChatMessage),
    /// The pieces of a message that will not be told.
    Dropped(Dropped),
    /// The end.
    Result(TaskResult),
}

/// A team that is run from a program, with its world in memory. To run one in a save slot, give a
/// [`ChatGame`] to [`crate::session::Session`].
pub struct Team {
    game: ChatGame,
    minds: Minds,
    desk: UserProxy,
    engine: Engine,
    inbox: Arc<Mutex<Inbox>>,
    /// The world as it was when the last run began, and the engine's journal since; a run that was
    /// cancelled in the middle of a turn goes on from there.
    checkpoint: Vec<u8>,
    broken_off: bool,
    /// The world's turn when it last rested.
    rested: u64,
    /// What was recorded since the checkpoint, by engines that a broken run left behind.
    recorded: Vec<Line>,
    paused: Arc<AtomicBool>,
    seed: u64,
}

impl Team {
    /// A team, with minds for its participants. The user is the desk.
    ///
    /// # Errors
    /// The world can't be set up.
    pub fn new(game: ChatGame, minds: Minds, seed: u64) -> Result<Self, ChatError> {
        Self::with_desk(game, minds, UserProxy::new(), seed)
    }

    /// A team with a desk of the user's own: with a clock, or with a person at it.
    ///
    /// # Errors
    /// The world can't be set up.
    pub fn with_desk(
        game: ChatGame,
        minds: Minds,
        desk: UserProxy,
        seed: u64,
    ) -> Result<Self, ChatError> {
        let game = game.with_tool_minds(&minds);
        let minds = seat_desk(&game, minds, &desk);
        let mut setup = game.set_up(seed).map_err(ChatError::SetUp)?;
        game.populate(&mut setup).map_err(ChatError::SetUp)?;
        let checkpoint = snapshot(&setup.world, &game.meta())?;
        let journal = journal(&game, seed);
        let mut engine = Engine::new(setup, minds.clone(), journal)?;
        let inbox = settle(&mut engine, &game);
        let rested = turn_of(&engine);
        Ok(Self {
            game,
            minds,
            desk,
            engine,
            inbox,
            checkpoint,
            broken_off: false,
            rested,
            recorded: Vec::new(),
            paused: Arc::default(),
            seed,
        })
    }

    /// The desk of whoever stands outside: stop the run, let others join or leave, speak.
    pub fn desk(&self) -> &UserProxy {
        &self.desk
    }

    /// What the team is.
    pub fn file(&self) -> &TeamFile {
        self.game.team()
    }

    /// The engine, for feeds, caps and figures.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Ends the run in the middle when pulled, from any thread: no call starts after that.
    pub fn cancel(&self) -> CancellationToken {
        self.engine.brake()
    }

    /// Freezes the team: a run stops after the turn that is under way, and none begins, until it is
    /// resumed.
    pub fn pause(&self) {
        self.paused.store(true, Ordering::SeqCst);
    }

    /// Ends the freeze.
    pub fn resume(&self) {
        self.paused.store(false, Ordering::SeqCst);
    }

    /// Whether it is frozen.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// A handle that freezes and resumes from any thread.
    pub fn pause_handle(&self) -> Arc<AtomicBool> {
        self.paused.clone()
    }

    /// Where the conversation stands.
    pub fn chat(&self) -> &Chat {
        static NONE: std::sync::LazyLock<Chat> = std::sync::LazyLock::new(Chat::default);
        self.chat_of(&self.game.team().name).unwrap_or(&NONE)
    }

    /// Where the conversation of a team inside stands.
    pub fn chat_of(&self, team: &str) -> Option<&Chat> {
        let stage = self.engine.world.resource::<CastList>().by_name(team)?;
        self.engine.world.get::<Chat>(stage)
    }

    /// A conversation as one participant knows it.
    pub fn perspective(&self, name: &str) -> Vec<Seen> {
        self.context(name).map(perspective).unwrap_or_default()
    }

    /// What one participant, or the team's own mind, remembers.
    pub fn context(&self, name: &str) -> Option<&AgentContext> {
        let entity = self.engine.world.resource::<CastList>().by_name(name)?;
        self.engine.world.get::<AgentContext>(entity)
    }

    /// The tokens of all calls so far.
    pub fn usage(&mut self) -> RequestUsage {
        let mut ledgers = self.engine.world.query::<&Ledger>();
        let mut usage = RequestUsage::default();
        for ledger in ledgers.iter(&self.engine.world) {
            usage += RequestUsage::from(ledger.total().usage);
        }
        usage
    }

    /// Runs a task to its end.
    ///
    /// # Errors
    /// The task can't be used, the run failed or was cancelled.
    pub async fn run(&mut self, task: impl Into<Task>) -> Result<TaskResult, ChatError> {
        let mut run = self.begin(task.into())?;
        loop {
            if let Some(StreamItem::Result(result)) = self.next(&mut run).await? {
                return Ok(result);
            }
        }
    }

    /// Runs a task, giving every message as it is told and the result last. What participants with `stream`
    /// say comes in pieces while they write it, then whole; while the team is frozen no piece comes. Dropping
    /// the stream ends the run: no further turn begins, and one that was under way is told again from its begin when
    /// the run goes on.
    ///
    /// # Errors
    /// The task can't be used.
    pub fn run_stream(
        &mut self,
        task: impl Into<Task>,
    ) -> Result<impl Stream<Item = Result<StreamItem, ChatError>>, ChatError> {
        let run = self.begin(task.into())?;
        let (inbox, paused) = (self.inbox.clone(), self.paused.clone());
        let state = Some((self, run));
        let told = stream::unfold(state, |state| async move {
            let (team, mut run) = state?;
            match team.next(&mut run).await {
                Ok(None) => None,
                Ok(Some(item)) => Some((Ok(item), Some((team, run)))),
                Err(error) => Some((Err(error), None)),
            }
        });
        let mut told = Box::pin(told);
        // While a turn is under way, what is written in it is shown.
        Ok(stream::poll_fn(move |cx| {
            match told.as_mut().poll_next(cx) {
                Poll::Pending if !paused.load(Ordering::SeqCst) => {
                    let shown = lock(&inbox).poll_next(cx);
                    shown.map(|item| Some(Ok(item)))
                }
                next => next,
            }
        }))
    }

    /// Everybody forgets what was said, and the next run begins as the first did.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn reset(&mut self) -> Result<(), ChatError> {
        self.mend()?;
        self.desk.clear();
        self.desk.order(UserInput::reset());
        self.turn().await?;
        // What teams inside forget is taken out when all rest.
        lock(&self.inbox).clear();
        Ok(())
    }

    fn begin(&mut self, task: Task) -> Result<Running, ChatError> {
        let Task(order) = task;
        if !order.go_on && order.words.is_empty() && order.messages.is_empty() {
            return Err(ChatError::EmptyTask);
        }
        let factory = self
            .engine
            .world
            .resource::<super::stage::Teams>()
            .factory
            .clone();
        for message in &order.messages {
            factory.create(message.to_json())?;
        }
        self.mend()?;
        let goes_on = self.chat().phase != Phase::Waiting;
        let runs = self.chat().runs;
        lock(&self.inbox).clear();
        if !goes_on {
            self.desk.order(order);
        }
        Ok(Running {
            wanted: if goes_on { runs } else { runs + 1 },
            before: self.usage(),
            ended: false,
        })
    }

    /// The next message of a run, or its result; nothing after that.
    async fn next(&mut self, run: &mut Running) -> Result<Option<StreamItem>, ChatError> {
        loop {
            if run.ended {
                return Ok(None);
            }
            if let Some(item) = lock(&self.inbox).next_now() {
                return Ok(Some(item));
            }
            let chat = self.chat();
            if chat.runs >= run.wanted && chat.phase == Phase::Waiting && chat.stop.is_some() {
                run.ended = true;
                return self.result(run).map(Some);
            }
            if self.is_paused() {
                run.ended = true;
                let result = self.result_of(run, None);
                return Ok(Some(StreamItem::Result(result)));
            }
            self.turn().await?;
        }
    }

    fn result(&mut self, run: &Running) -> Result<StreamItem, ChatError> {
        let (stop, failed) = {
            let chat = self.chat();
            (chat.stop.clone(), chat.failed)
        };
        let reason = stop.map(|stop| stop.content);
        if failed {
            return Err(ChatError::Run(reason.unwrap_or_default()));
        }
        Ok(StreamItem::Result(self.result_of(run, reason)))
    }

    fn result_of(&mut self, run: &Running, stop_reason: Option<String>) -> TaskResult {
        let usage = since(run.before, self.usage());
        let messages = lock(&self.inbox).take_messages();
        TaskResult {
            messages,
            stop_reason,
            usage,
        }
    }

    /// Plays one turn of the world.
    async fn turn(&mut self) -> Result<(), ChatError> {
        let until = turn_of(&self.engine) + 1;
        // A future that is dropped leaves calls behind.
        self.broken_off = true;
        match self.engine.run(Some(until)).await? {
            Stop::TurnReached(turn) => {
                self.broken_off = false;
                self.rested = turn;
                Ok(())
            }
            Stop::Braked => Err(ChatError::Cancelled),
            other => Err(ChatError::Stopped(other)),
        }
    }

    /// Brings a world that was left in the middle of a turn to rest: the state of the last checkpoint, then
    /// the turns since, from what was recorded. What was answered in the broken turn is not asked again.
    fn mend(&mut self) -> Result<(), ChatError> {
        if self.broken_off {
            let (rested, state) = (self.rested, std::mem::take(&mut self.checkpoint));
            self.recorded
                .extend_from_slice(self.engine.journal().lines());
            let recording = Recording::of(self.recorded.clone());
            let loaded = self.load(&state, Some(recording));
            self.checkpoint = state;
            loaded?;
            self.catch_up(rested)?;
        } else {
            self.recorded.clear();
        }
        self.checkpoint = snapshot(&self.engine.world, &self.game.meta())?;
        Ok(())
    }

    /// Plays recorded turns again, which waits for nobody.
    fn catch_up(&mut self, turn: u64) -> Result<(), ChatError> {
        if turn_of(&self.engine) < turn {
            let played = self.engine.run(Some(turn)).now_or_never();
            match played.transpose()? {
                Some(Stop::TurnReached(_)) => {}
                Some(other) => return Err(ChatError::Stopped(other)),
                None => {
                    self.broken_off = true;
                    return Err(ChatError::Cancelled);
                }
            }
        }
        self.rested = turn_of(&self.engine);
        lock(&self.inbox).clear();
        Ok(())
    }

    fn load(&mut self, state: &[u8], recording: Option<Recording>) -> Result<(), ChatError> {
        let mut setup = self.game.set_up(self.seed).map_err(ChatError::SetUp)?;
        let meta = self.game.meta();
        restore(&mut setup.world, state, &Expected::of_data(&meta.data))?;
        let journal = journal(&self.game, self.seed);
        let mut engine = Engine::new(setup, self.minds.clone(), journal)?;
        engine.settings = self.engine.settings.clone();
        self.inbox = settle(&mut engine, &self.game);
        if let Some(recording) = recording {
            engine.play_back(recording);
        }
        self.engine = engine;
        self.broken_off = false;
        self.rested = turn_of(&self.engine);
        Ok(())
    }

    /// The whole state between two turns, in the middle of a run or a graph's cycle too. The form is
    /// that of AutoGen's states, with the world itself beside it.
    ///
    /// # Errors
    /// The world does not rest.
    pub fn save_state(&mut self) -> Result<Value, ChatError> {
        self.mend()?;
        let text = snapshot(&self.engine.world, &self.game.meta())?;
        let world: Value =
            serde_json::from_slice(&text).map_err(|error| ChatError::NoState(error.to_string()))?;
        let mut state = self.state_of(self.game.team());
        state["world"] = world;
        Ok(state)
    }

    fn state_of(&self, team: &TeamFile) -> Value {
        let mut agents = Map::new();
        for one in &team.participants {
            let inner = team.teams.iter().find(|inner| inner.name == one.name);
            let state = match inner {
                Some(inner) => self.state_of(inner),
                None => json!({
                    "type": "ChatAgentContainerState",
                    "messages": self.context(&one.name).map_or(0, AgentContext::len),
                }),
            };
            agents.insert(one.name.clone(), state);
        }
        let chat = self.chat_of(&team.name);
        let manager = json!({
            "type": format!("{}State", team.selection.manager()),
            "current_turn": chat.map_or(0, |chat| chat.turns),
            "current_speaker": chat.and_then(|chat| chat.current.clone()),
        });
        agents.insert(team.selection.manager().to_owned(), manager);
        json!({"type": "TeamState", "version": "1.0.0", "agent_states": agents})
    }

    /// Goes back to a saved state, of this program run or another.
    ///
    /// # Errors
    /// It is no state, or one of another team.
    pub fn load_state(&mut self, state: &Value) -> Result<(), ChatError> {
        let world = state
            .get("world")
            .ok_or_else(|| ChatError::NoState("'world' is missing".into()))?;
        let text =
            serde_json::to_vec(world).map_err(|error| ChatError::NoState(error.to_string()))?;
        self.desk.clear();
        self.load(&text, None)?;
        self.recorded.clear();
        self.checkpoint = text;
        Ok(())
    }
}

/// A run that is under way.
struct Running {
    /// The number of the run.
    wanted: u32,
    before: RequestUsage,
    ended: bool,
}

fn since(before: RequestUsage, now: RequestUsage) -> RequestUsage {
    RequestUsage {
        prompt_tokens: now.prompt_tokens.saturating_sub(before.prompt_tokens),
        completion_tokens: now
            .completion_tokens
            .saturating_sub(before.completion_tokens),
    }
}

/// The minds of a team, with its desk at the user's place and at the bell.
pub fn seat_desk(game: &ChatGame, minds: Minds, desk: &UserProxy) -> Minds {
    minds
        .with_seat(game.team().user.as_str(), Arc::new(desk.clone()))
        .with_seat(CONTROL_MESSAGE, Arc::new(desk.clone()))
}

fn turn_of(engine: &Engine) -> u64 {
    engine.world.resource::<WorldTurn>().0
}

/// Makes an engine ready for a team, and gives what it will tell.
fn settle(engine: &mut Engine, game: &ChatGame) -> Arc<Mutex<Inbox>> {
    engine.settings.hash_meetings = false;
    let live = StreamMerger::new(game.team().clone(), engine.watch());
    let inbox = Inbox::new(game.team().name.clone(), live);
    let inbox = Arc::new(Mutex::new(inbox));
    let told = inbox.clone();
    engine.add_feed(Feed::observer(move |record| lock(&told).record(record)));
    inbox
}

fn lock(inbox: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

fn journal(game: &ChatGame, seed: u64) -> Journal {
    Journal::in_memory(JournalHeader {
        format: FORMAT,
        engine: env!("CARGO_PKG_VERSION").into(),
        data: game.meta().data,
        seed,
    })
}
