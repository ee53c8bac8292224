//! Running a team from a program: tasks in, messages out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use bevy_ecs::prelude::*;
use futures_util::{FutureExt, Stream, stream};
use playhouse_engine::cast::WorldTurn;
use playhouse_engine::context::AgentContext;
use playhouse_engine::engine::{CancellationToken, Engine, EngineError, Setup, Stop};
use playhouse_engine::event::Feed;
use playhouse_engine::exchange::Ledger;
use playhouse_engine::journal::{Journal, JournalHeader, Line, Recording, Stopped};
use playhouse_engine::locale::{Argument, Localize, UiText, text};
use playhouse_engine::mind::{Minds, unix_time};
use playhouse_engine::save::{SaveError, restore, snapshot};
use playhouse_engine::session::{Game, SetupError};
use serde_json::{Value, json};
use thiserror::Error;

use super::autogen_state::{context_of, import_state, team_state};
use super::game::ChatGame;
use super::message::{ChatMessage, FactoryError, RequestUsage};
use super::perspective::{RoleMessage, perspective};
use super::saved_state::{OtherParticipants, check_participants};
use super::stage::{CONTROLLER, Chat, FALLS_BACK, INTERRUPT, Phase, Teams, UserInput};
use super::stream::{RunStream, StreamItem, TaskResult};
use super::stream_merger::StreamMerger;
use super::team::TeamFile;
use super::user_proxy::UserProxy;

/// Why a team can't run.
#[derive(Debug, Error, Localize)]
pub enum ChatError {
    /// The world can't be set up.
    #[text(groupchat_set_up, reason)]
    SetUp(SetupError),
    #[text(groupchat_empty_task)]
    EmptyTask,
    /// A task with an invalid message.
    Message(#[from] FactoryError),
    /// A participant could not answer, or somebody was selected who is not a participant. The
    /// reason is in the language of the team.
    #[text(groupchat_run_failed, reason)]
    Run(String),
    /// The run was cancelled; [`Task::continue_run`] continues it.
    #[text(groupchat_cancelled)]
    Cancelled,
    /// The run was stopped by a spend limit or a server.
    #[text(groupchat_stopped, reason = reason_of(reason))]
    Stopped(Stop),
    /// The engine found a mistake of the game.
    Engine(#[from] Box<EngineError>),
    /// A state that can't be loaded.
    State(#[from] SaveError),
    OtherParticipants(#[from] OtherParticipants),
    /// The JSON is not the state of a team, and why.
    #[text(groupchat_not_a_state, reason)]
    NotAState(UiText),
    #[text(groupchat_not_a_state, reason)]
    Json(#[from] serde_json::Error),
}

fn reason_of(stop: &Stop) -> Argument {
    match stop {
        Stop::LimitReached(reason) | Stop::ServerDown(reason) | Stop::NoUsableAnswers(reason) => {
            reason.into()
        }
        stop => format!("{stop:?}").into(),
    }
}

impl From<EngineError> for ChatError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// The task of a run. If a run is unfinished, since it was paused, cancelled or its stream dropped,
/// a new task ends it: what was said stays, and the task is added to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Task(UserInput);

impl Task {
    /// Continues the last run, or starts a new one without a new task.
    pub fn continue_run() -> Self {
        Self(UserInput::continue_run())
    }
}

impl From<&str> for Task {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Task {
    fn from(text: String) -> Self {
        Self(UserInput::task(text))
    }
}

impl From<ChatMessage> for Task {
    fn from(message: ChatMessage) -> Self {
        Self::from(vec![message])
    }
}

impl From<Vec<ChatMessage>> for Task {
    fn from(messages: Vec<ChatMessage>) -> Self {
        Self(UserInput {
            messages,
            ..UserInput::default()
        })
    }
}

/// A team that is run from a program, with its world in memory. To run one in a save slot, give its
/// [`ChatGame`] to a [`Session`](playhouse_engine::session::Session).
pub struct Team {
    game: ChatGame,
    minds: Minds,
    user_proxy: UserProxy,
    engine: Engine,
    stream: Arc<Mutex<RunStream>>,
    /// The world at the beginning of the last run: a run that was left in the middle of a turn is
    /// replayed from there.
    checkpoint: Vec<u8>,
    /// What engines that were left in the middle of a turn have recorded since the checkpoint.
    recorded: Vec<Line>,
    /// Whether the engine was left in the middle of a turn.
    is_mid_turn: bool,
    /// The world's turn when the last turn was complete.
    complete_turns: u64,
    is_paused: Arc<AtomicBool>,
    seed: u64,
}

impl Team {
    /// A team with minds for its participants, and a user without a person or a clock.
    pub fn new(game: ChatGame, minds: Minds, seed: u64) -> Result<Self, ChatError> {
        Self::with_user_proxy(game, minds, UserProxy::new(), seed)
    }

    /// A team with minds for its participants and a user.
    pub fn with_user_proxy(
        game: ChatGame,
        minds: Minds,
        user_proxy: UserProxy,
        seed: u64,
    ) -> Result<Self, ChatError> {
        let game = game.with_tool_minds(&minds);
        let minds = seat_user_proxy(&game, minds, &user_proxy);
        let mut setup = game.set_up(seed).map_err(ChatError::SetUp)?;
        game.populate(&mut setup).map_err(ChatError::SetUp)?;
        let checkpoint = snapshot(&setup.world, &game.meta())?;
        let mut engine = Engine::new(setup, minds.clone(), journal(&game, seed))?;
        // A participant who can't answer fails the run, with its reason.
        engine.settings.falls_back = true;
        Ok(Self {
            stream: watch(&mut engine, &game),
            complete_turns: turn_of(&engine),
            game,
            minds,
            user_proxy,
            engine,
            checkpoint,
            recorded: Vec::new(),
            is_mid_turn: false,
            is_paused: Arc::default(),
            seed,
        })
    }

    /// The user: gives tasks, stops a run, speaks, and lets others join and leave.
    pub fn user_proxy(&self) -> &UserProxy {
        &self.user_proxy
    }

    pub fn file(&self) -> &TeamFile {
        self.game.team()
    }

    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Cancels a run at once, from any thread: no call starts after that.
    pub fn cancellation_token(&self) -> CancellationToken {
        self.engine.cancellation_token()
    }

    /// Pauses the team: a run stops after its current turn, and none begins until the team is
    /// resumed.
    pub fn pause(&self) {
        self.is_paused.store(true, Ordering::SeqCst);
    }

    pub fn resume(&self) {
        self.is_paused.store(false, Ordering::SeqCst);
    }

    pub fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::SeqCst)
    }

    /// Pauses the team if set to true, from any thread.
    pub fn pause_handle(&self) -> Arc<AtomicBool> {
        self.is_paused.clone()
    }

    pub fn chat(&self) -> &Chat {
        static EMPTY: LazyLock<Chat> = LazyLock::new(Chat::default);
        self.chat_of(&self.file().name).unwrap_or(&EMPTY)
    }

    /// The state of an inner team's conversation.
    pub fn chat_of(&self, team: &str) -> Option<&Chat> {
        Chat::of(&self.engine.world, team)
    }

    /// The conversation as a participant sees it.
    pub fn perspective(&self, name: &str) -> Vec<RoleMessage> {
        self.context(name).map(perspective).unwrap_or_default()
    }

    /// The context of a participant, or of the team's own model.
    pub fn context(&self, name: &str) -> Option<&AgentContext> {
        context_of(&self.engine.world, name)
    }

    /// What a participant always remembers: the memory of its team file, and the notes that it has
    /// made with the tool `remember`. Notes stay when the team is reset.
    pub fn memory(&self, name: &str) -> Vec<String> {
        let mut teams = self.file().nested().into_iter();
        let found = teams.find_map(|team| Some((team, team.participant(name)?)));
        let Some((team, participant)) = found else {
            return Vec::new();
        };
        let notes = self
            .chat_of(&team.name)
            .and_then(|chat| chat.notes.get(name))
            .into_iter()
            .flatten();
        participant.memory.iter().chain(notes).cloned().collect()
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
    pub async fn run(&mut self, task: impl Into<Task>) -> Result<TaskResult, ChatError> {
        let mut run = self.begin(task.into())?;
        loop {
            if let Some(StreamItem::Result(result)) = self.next(&mut run).await? {
                return Ok(result);
            }
        }
    }

    /// Runs a task and streams every message, and last the result. Messages of participants with
    /// `stream` come in chunks while they are written, then as a whole; while the team is paused,
    /// no chunks come. Dropping the stream stops the run: no further turn begins, and the messages
    /// of the current turn come again when the run continues.
    pub fn run_stream(
        &mut self,
        task: impl Into<Task>,
    ) -> Result<impl Stream<Item = Result<StreamItem, ChatError>>, ChatError> {
        let run = self.begin(task.into())?;
        let (chunks, is_paused) = (self.stream.clone(), self.is_paused.clone());
        let items = stream::unfold(Some((self, run)), |state| async move {
            let (team, mut run) = state?;
            match team.next(&mut run).await {
                Ok(None) => None,
                Ok(Some(item)) => Some((Ok(item), Some((team, run)))),
                Err(error) => Some((Err(error), None)),
            }
        });
        let mut items = Box::pin(items);
        Ok(stream::poll_fn(move |cx| {
            match items.as_mut().poll_next(cx) {
                // During a turn.
                Poll::Pending if !is_paused.load(Ordering::SeqCst) => {
                    lock(&chunks).poll_next(cx).map(|item| Some(Ok(item)))
                }
                next => next,
            }
        }))
    }

    /// Makes everybody forget the conversation, so that the next run starts over.
    pub async fn reset(&mut self) -> Result<(), ChatError> {
        self.recover()?;
        self.user_proxy.clear();
        self.user_proxy.add_input(UserInput {
            reset: true,
            ..UserInput::default()
        });
        while self.user_proxy.has_input() {
            self.play_turn().await?;
        }
        lock(&self.stream).clear();
        Ok(())
    }

    fn begin(&mut self, Task(input): Task) -> Result<Run, ChatError> {
        let is_blank = |message: &ChatMessage| message.to_model_text().trim().is_empty();
        let is_empty = input.words.trim().is_empty() && input.messages.iter().all(is_blank);
        if !input.continues && is_empty {
            return Err(ChatError::EmptyTask);
        }
        let factory = &self.engine.world.resource::<Teams>().factory;
        for message in &input.messages {
            factory.create(message.dump())?;
        }
        self.recover()?;
        lock(&self.stream).clear();
        let is_running = self.chat().phase != Phase::Waiting;
        if !(is_running && input.continues) {
            let user = self.game.team().user.clone();
            self.user_proxy.add_task(input, &user);
        }
        // A new task ends an unfinished run.
        let begins = !is_running || self.user_proxy.has_input();
        let number = self.chat().runs + u32::from(begins);
        Ok(Run {
            number,
            usage_before: self.usage(),
            is_over: false,
        })
    }

    /// The next item of a run; `None` after its result.
    async fn next(&mut self, run: &mut Run) -> Result<Option<StreamItem>, ChatError> {
        loop {
            if run.is_over {
                return Ok(None);
            }
            if let Some(item) = lock(&self.stream).next_now() {
                return Ok(Some(item));
            }
            let chat = self.chat();
            if chat.runs >= run.number
                && chat.phase == Phase::Waiting
                && !self.user_proxy.has_input()
                && let Some(stop) = chat.stop.clone()
            {
                run.is_over = true;
                if chat.failed {
                    return Err(ChatError::Run(stop.content));
                }
                let result = self.result(run, Some(stop.content));
                return Ok(Some(StreamItem::Result(result)));
            }
            if self.is_paused() {
                run.is_over = true;
                let result = self.result(run, None);
                return Ok(Some(StreamItem::Result(result)));
            }
            self.play_turn().await?;
        }
    }

    fn result(&mut self, run: &Run, stop_reason: Option<String>) -> TaskResult {
        let (before, now) = (run.usage_before, self.usage());
        TaskResult {
            messages: lock(&self.stream).take_messages(),
            stop_reason,
            usage: RequestUsage {
                prompt_tokens: now.prompt_tokens.saturating_sub(before.prompt_tokens),
                completion_tokens: now
                    .completion_tokens
                    .saturating_sub(before.completion_tokens),
            },
        }
    }

    /// Plays one turn of the world.
    async fn play_turn(&mut self) -> Result<(), ChatError> {
        interrupt_for_input(&mut self.engine, self.game.team(), &self.user_proxy)?;
        let next = turn_of(&self.engine) + 1;
        // Stays true if this future is dropped.
        self.is_mid_turn = true;
        match self.engine.run(Some(next)).await? {
            Stop::TurnReached(turn) => {
                self.is_mid_turn = false;
                self.complete_turns = turn;
                Ok(())
            }
            Stop::Cancelled => Err(ChatError::Cancelled),
            stop => Err(ChatError::Stopped(stop)),
        }
    }

    /// Brings an engine that was left in the middle of a turn back to the beginning of the turn:
    /// loads the checkpoint and replays what was recorded since. Answers of the incomplete turn are
    /// not asked for again. Then takes a new checkpoint.
    fn recover(&mut self) -> Result<(), ChatError> {
        if self.is_mid_turn {
            let lines = self.engine.journal().lines();
            self.recorded.extend_from_slice(lines);
            // Tools that were given up with the run may run again.
            self.recorded.push(Line::Stopped(Stopped {
                turn: self.complete_turns,
                reason: "given up".into(),
            }));
            let recording = Recording::of(self.recorded.clone());
            let (turn, checkpoint) = (self.complete_turns, std::mem::take(&mut self.checkpoint));
            let meta = self.game.meta();
            let restored = self.restored(&checkpoint, Some(&meta.data));
            self.checkpoint = checkpoint;
            self.take_up(restored?, Some(recording))?;
            self.replay_to(turn)?;
        } else {
            self.recorded.clear();
        }
        self.checkpoint = snapshot(&self.engine.world, &self.game.meta())?;
        Ok(())
    }

    /// Replays recorded turns, without a wait.
    fn replay_to(&mut self, turn: u64) -> Result<(), ChatError> {
        if turn_of(&self.engine) < turn {
            let played = self.engine.run(Some(turn)).now_or_never();
            match played.transpose()? {
                Some(Stop::TurnReached(_)) => {}
                Some(stop) => return Err(ChatError::Stopped(stop)),
                None => {
                    self.is_mid_turn = true;
                    return Err(ChatError::Cancelled);
                }
            }
        }
        self.complete_turns = turn_of(&self.engine);
        lock(&self.stream).clear();
        Ok(())
    }

    /// The world of a snapshot.
    fn restored(&self, state: &[u8], data: Option<&str>) -> Result<Setup, ChatError> {
        let mut setup = self.game.set_up(self.seed).map_err(ChatError::SetUp)?;
        restore(&mut setup.world, state, data)?;
        Ok(setup)
    }

    /// A world in which nothing has been said.
    fn new_world(&self) -> Result<Setup, ChatError> {
        let mut setup = self.game.set_up(self.seed).map_err(ChatError::SetUp)?;
        self.game.populate(&mut setup).map_err(ChatError::SetUp)?;
        Ok(setup)
    }

    /// Continues in another world.
    fn take_up(&mut self, setup: Setup, recording: Option<Recording>) -> Result<(), ChatError> {
        let journal = journal(&self.game, self.seed);
        let mut engine = Engine::new(setup, self.minds.clone(), journal)?;
        engine.settings = self.engine.settings.clone();
        self.stream = watch(&mut engine, &self.game);
        if let Some(recording) = recording {
            engine.play_back(recording);
        }
        self.engine = engine;
        self.is_mid_turn = false;
        self.complete_turns = turn_of(&self.engine);
        Ok(())
    }

    /// The state between two turns, also in the middle of a run: the team's state in the form of
    /// AutoGen, and the world itself in a member `world`.
    pub fn save_state(&mut self) -> Result<Value, ChatError> {
        self.recover()?;
        let world = snapshot(&self.engine.world, &self.game.meta())?;
        let mut state = team_state(&self.engine.world, self.file());
        state["world"] = serde_json::from_slice(&world)?;
        Ok(state)
    }

    /// Goes back to a saved state, of this team or of another version of it: the participants must
    /// be the same; everything else is as this team has it. Of a state that AutoGen saved, which
    /// has no world, everybody is told what it says, and the next run continues from there.
    ///
    /// # Errors
    /// It is not a state, or one of other participants. The team is unchanged then.
    pub fn load_state(&mut self, state: &Value) -> Result<(), ChatError> {
        if !state["agent_states"].is_object() {
            return Err(ChatError::NotAState(text!(groupchat_no_agent_states)));
        }
        let mut setup = match state.get("world") {
            Some(world) => self.restored(&serde_json::to_vec(world)?, None)?,
            None => self.new_world()?,
        };
        check_participants(&setup.world, Some(state), self.file())?;
        if state.get("world").is_some() {
            let adapted = self.game.adapt_world(&mut setup.world, Some(state));
            adapted.map_err(|error| ChatError::SetUp(error.into()))?;
        } else {
            let imported = import_state(&mut setup.world, state, self.file());
            imported.map_err(|error| ChatError::NotAState(error.text()))?;
        }
        let checkpoint = snapshot(&setup.world, &self.game.meta())?;
        self.user_proxy.clear();
        self.take_up(setup, None)?;
        self.recorded.clear();
        self.checkpoint = checkpoint;
        Ok(())
    }
}

struct Run {
    /// The number of the run in [`Chat::runs`].
    number: u32,
    usage_before: RequestUsage,
    is_over: bool,
}

/// Adds a user and controller to the minds of a team.
pub fn seat_user_proxy(game: &ChatGame, minds: Minds, user_proxy: &UserProxy) -> Minds {
    let user_proxy = Arc::new(user_proxy.clone());
    minds
        .with_seat(game.team().user.as_str(), user_proxy.clone())
        .with_seat(CONTROLLER, user_proxy)
}

/// Lets the next turn hear what the user has to say if a run is unfinished. Call it between two
/// turns. A turn that was left in the middle is finished first.
pub fn interrupt_for_input(
    engine: &mut Engine,
    team: &TeamFile,
    user_proxy: &UserProxy,
) -> Result<(), EngineError> {
    let chat = Chat::of(&engine.world, &team.name);
    let is_running = chat.is_some_and(|chat| chat.phase != Phase::Waiting);
    if is_running && user_proxy.has_input() && !engine.has_recorded_outcomes() {
        engine.add_input(INTERRUPT.into())?;
    }
    Ok(())
}

/// Sets whether a run goes on with a default answer where a participant can't answer; otherwise it
/// ends with an error. Call it between two turns.
pub fn let_fall_back(
    engine: &mut Engine,
    team: &TeamFile,
    falls_back: bool,
) -> Result<(), EngineError> {
    let chat = Chat::of(&engine.world, &team.name);
    let is_set = chat.is_none_or(|chat| chat.falls_back == falls_back);
    if !is_set && !engine.has_recorded_outcomes() {
        engine.add_input(json!({ FALLS_BACK: falls_back }))?;
    }
    Ok(())
}

fn turn_of(engine: &Engine) -> u64 {
    engine.world.resource::<WorldTurn>().0
}

/// Streams what an engine plays.
fn watch(engine: &mut Engine, game: &ChatGame) -> Arc<Mutex<RunStream>> {
    engine.settings.verify = false;
    engine.settings.clock = Some(unix_time);
    let team = game.team();
    let merger = StreamMerger::new(team.clone(), engine);
    let stream = Arc::new(Mutex::new(RunStream::new(team.name.clone(), merger)));
    let sink = stream.clone();
    engine.add_feed(Feed::observer(move |record| lock(&sink).record(record)));
    stream
}

fn lock(stream: &Mutex<RunStream>) -> MutexGuard<'_, RunStream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

fn journal(game: &ChatGame, seed: u64) -> Journal {
    let meta = game.meta();
    Journal::in_memory(JournalHeader::new(meta.world, meta.data, seed))
}
