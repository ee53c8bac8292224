//! A story alongside a Bevy game: [`StoryPlugin`] hosts an engine and links its characters to the
//! game's own entities.
//!
//! ```
//! use bevy_app::App;
//! use playhouse_bevy::{
//!     AddStoryAnswer, AskStory, Character, StoryAsk, StoryInput, StoryPlugin, StoryReply,
//! };
//! use playhouse_engine::prelude::*;
//!
//! let mut setup = Setup::new(1);
//! setup.spawn_stage("Gate", "You are a gate.")?;
//! setup.spawn_actor("Alda", "Gate", "You guard the gate.")?;
//! let minds = ScriptMind::by_rule(|_| ScriptLine::say("Who goes there?"));
//!
//! let mut app = App::new();
//! app.add_plugins(StoryPlugin::new(setup, minds)?);
//! app.add_story_answer::<Prose>();
//! let alda = app.world_mut().spawn(Character("Alda".into())).id();
//! app.world_mut().resource_mut::<StoryInput>().tell_stage("Gate", "A cart rolls up.");
//! let question = StoryAsk::new("What do you call out?", ProseRules::default(), Prose("…".into()));
//! app.world_mut().commands().entity(alda).ask(question);
//! let mut called = String::new();
//! while called.is_empty() {
//!     app.update();
//!     let mut replies = app.world_mut().resource_mut::<Messages<StoryReply<Prose>>>();
//!     called.extend(replies.drain().map(|answer| answer.reply.0));
//! }
//! assert_eq!(called, "Who goes there?");
//! # Ok::<(), playhouse_engine::cast::CastError>(())
//! ```
//!
//! The engine has a thread of its own, so that pending answers never block a frame. Once every
//! few *ticks* both sides exchange what is new: the game gets what was said and decided as Bevy
//! messages ([`StoryEvent`], [`StoryAnswer`], [`StoryTurn`]), the story gets what happened in the
//! game through [`StoryInput`]. [`StoryTime`] counts the ticks: one per frame, none while an
//! exchange waits for the story. A game that acts in [`story_ticks`] alone is told the same story
//! on every run, whatever the frame rate.
//!
//! The game may also ask its own entities ([`AskStory::ask`]); their answers come as messages of
//! their own types ([`StoryReply`]). What the game tells and asks is an answer to an ask, like
//! everything else from outside, so that a story in a slot ([`StoryPlugin::saved`]) goes on where
//! it stopped. What goes wrong is an error in the log: a story that stops, a name that nobody has,
//! a question without a type.
//!
//! Start reading at [`StoryPlugin`]; `host.rs` is the thread, `opening.rs` how a story begins,
//! `ask.rs` what the game asks, `input.rs` the story's side of what the game tells.

mod ask;
mod host;
mod input;
mod opening;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bevy_app::{App, Plugin, PreUpdate};
use bevy_ecs::prelude::*;

pub use ask::{AddStoryAnswer, AskStory, StoryAsk, StoryReply};
pub use input::{GAME, GameEvent, Noticed, tell_game_events};

use ask::StoryReplies;
use host::{Host, Played};
pub use host::{StoryError, StoryStopped};
use input::GameInput;
use opening::Opening;
use playhouse_engine::cast::CastError;
use playhouse_engine::engine::{Setup, Stop};
use playhouse_engine::event::{AnswerRecord, EventRecord, Record};
use playhouse_engine::exchange::Reply;
use playhouse_engine::mind::Minds;
use playhouse_engine::session::Game;

/// Adds a story to an app.
pub struct StoryPlugin {
    ticks_per_turn: u32,
    opening: Mutex<Option<Opening>>,
}

impl StoryPlugin {
    /// A story in memory, with its minds: it ends with the app.
    ///
    /// # Errors
    /// An entity of the setup has the name of the game's own, [`GAME`].
    pub fn new(mut setup: Setup, minds: impl Into<Minds>) -> Result<Self, CastError> {
        input::install(&mut setup);
        input::spawn_game(&mut setup)?;
        Ok(Self::of(Opening::InMemory(Box::new(setup), minds.into())))
    }

    /// A story that is saved in a slot while it is played, and goes on there if the slot has one.
    /// What is the game's own, it saves itself; [`StoryTime::turn`] says where the story is. A
    /// story that can't be loaded is an error in the log.
    pub fn saved(
        game: impl Game + 'static,
        saves: impl Into<PathBuf>,
        slot: impl Into<String>,
        seed: u64,
        minds: impl Into<Minds>,
    ) -> Self {
        Self::of(Opening::InSlot {
            game: Arc::new(game),
            root: saves.into(),
            slot: slot.into(),
            seed,
            minds: minds.into(),
        })
    }

    fn of(opening: Opening) -> Self {
        Self {
            ticks_per_turn: 60,
            opening: Mutex::new(Some(opening)),
        }
    }

    /// How many ticks of the game one turn of the story takes; 60 if not set, at least 1.
    #[must_use]
    pub fn ticks_per_turn(mut self, ticks: u32) -> Self {
        self.ticks_per_turn = ticks.max(1);
        self
    }
}

impl Plugin for StoryPlugin {
    fn build(&self, app: &mut App) {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(opening) = opening.take() else {
            return;
        };
        app.add_message::<StoryEvent>()
            .add_message::<StoryAnswer>()
            .add_message::<StoryTurn>()
            .add_message::<StoryStopped>()
            .insert_resource(StoryTime {
                ticks_per_turn: self.ticks_per_turn,
                ..StoryTime::default()
            })
            .init_resource::<StoryInput>()
            .init_resource::<StoryReplies>()
            .insert_resource(Unstarted(Mutex::new(Some(opening))))
            .add_systems(PreUpdate, exchange);
    }
}

/// The story, until the first frame: types of answers may be added till then.
#[derive(Resource)]
struct Unstarted(Mutex<Option<Opening>>);

/// On an entity of the game: the character of the story that it is.
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Character(pub Arc<str>);

/// The clock that game and story share.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryTime {
    pub tick: u64,
    /// Turns of the story that the game has been told.
    pub turn: u64,
    /// Whether the story is still busy with its turn although that is due; no tick passes then.
    pub is_waiting: bool,
    /// Whether the story has ended.
    pub is_over: bool,
    ticks_per_turn: u32,
}

/// A run condition: whether a tick passes in this frame.
pub fn story_ticks(time: Res<StoryTime>) -> bool {
    !time.is_waiting
}

/// What the game tells the story; it takes effect at the next exchange, in the order of the calls.
#[derive(Resource, Debug, Default)]
pub struct StoryInput(GameInput);

impl StoryInput {
    /// Tells everybody on a stage, and the stage itself.
    pub fn tell_stage(&mut self, stage: impl Into<String>, text: impl Into<String>) {
        self.tell(GameEvent::on_stage(stage, text));
    }

    pub fn tell_characters<S: Into<String>>(
        &mut self,
        characters: impl IntoIterator<Item = S>,
        text: impl Into<String>,
    ) {
        self.tell(GameEvent::to_characters(characters, text));
    }

    /// Tells an event, perhaps with data for the story's own systems.
    pub fn tell(&mut self, event: GameEvent) {
        self.0.events.push(event);
    }
}

/// Something happened in the story.
#[derive(Message, Clone, Debug)]
pub struct StoryEvent {
    /// The game's entities whose characters learned of it.
    pub audience: Vec<Entity>,
    /// The event, with its type, words and data.
    pub record: EventRecord,
}

/// A character, a stage or the world has decided something.
#[derive(Message, Clone, Debug)]
pub struct StoryAnswer {
    /// The game's entity that decided; `None` if there is none.
    pub entity: Option<Entity>,
    /// The answer: its purpose, its text as the conversation keeps it, and who made it.
    pub record: AnswerRecord,
}

impl StoryAnswer {
    /// The decision, if it is one of this type.
    ///
    /// Types that the game knows come by themselves: see [`StoryReply`].
    pub fn read<R: Reply>(&self) -> Option<R> {
        ask::read(&self.record.text)
    }
}

/// A turn of the story is over.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoryTurn(pub u64);

/// When a turn is due, gives the game what the story has told, and the story what the game has.
fn exchange(
    host: Option<Res<Host>>,
    unstarted: Option<Res<Unstarted>>,
    replies: Res<StoryReplies>,
    mut time: ResMut<StoryTime>,
    mut input: ResMut<StoryInput>,
    characters: Query<(Entity, &Character)>,
    mut commands: Commands,
) {
    let Some(host) = host else {
        time.is_waiting = true;
        return start(unstarted.as_deref(), &replies, &mut commands);
    };
    let is_due = time.tick.is_multiple_of(u64::from(time.ticks_per_turn));
    if is_due && !time.is_over {
        if time.tick > 0 {
            let Some(played) = host.played() else {
                time.is_waiting = true;
                return;
            };
            deliver(played, &mut time, &replies, &characters, &mut commands);
        }
        if !time.is_over {
            host.play(std::mem::take(&mut input.0));
        }
    }
    time.is_waiting = false;
    time.tick += 1;
}

/// Starts the story, which is played from the next frame on.
fn start(unstarted: Option<&Unstarted>, replies: &StoryReplies, commands: &mut Commands) {
    let Some(Unstarted(opening)) = unstarted else {
        return;
    };
    let mut opening = opening.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(opening) = opening.take() {
        commands.insert_resource(Host::start(opening, replies.clone()));
        commands.remove_resource::<Unstarted>();
    }
}

fn deliver(
    played: Played,
    time: &mut StoryTime,
    replies: &StoryReplies,
    characters: &Query<(Entity, &Character)>,
    commands: &mut Commands,
) {
    let find = |name: &str| {
        let mut found = characters
            .iter()
            .filter(|(_, character)| &*character.0 == name);
        found.next().map(|(entity, _)| entity)
    };
    for (record, audience) in played.records {
        match record {
            Record::Event(record) => {
                let audience = audience.iter().filter_map(|name| find(name)).collect();
                commands.write_message(StoryEvent { audience, record });
            }
            Record::Answer(record) => {
                let entity = find(&record.entity);
                if let Some(reply) = replies.0.get(record.reply) {
                    (reply.write)(commands, entity, &record);
                }
                commands.write_message(StoryAnswer { entity, record });
            }
            Record::Turn { turn } => {
                time.turn = turn;
                commands.write_message(StoryTurn(turn));
            }
            Record::Chapter { .. } => {}
        }
    }
    if let Some(stopped) = played.stopped {
        time.is_over = true;
        log(&stopped);
        commands.write_message(stopped);
    }
}

/// Says why a story plays no further.
fn log(StoryStopped(ended): &StoryStopped) {
    match ended {
        Ok(Stop::Finished(words)) => tracing::info!("the story is over: {words}"),
        Ok(Stop::Cancelled) => tracing::info!("the story was stopped"),
        Ok(
            Stop::LimitReached(reason) | Stop::ServerDown(reason) | Stop::NoUsableAnswers(reason),
        ) => tracing::error!("the story stopped: {reason}"),
        Ok(stop) => tracing::error!("the story stopped: {stop:?}"),
        Err(error) => tracing::error!("the story stopped: {error}"),
    }
}
