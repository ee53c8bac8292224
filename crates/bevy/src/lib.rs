//! A story alongside a Bevy game: [`StoryPlugin`] hosts an engine and links its characters to the
//! game's own entities.
//!
//! The engine has a thread of its own, so that pending answers never block a frame. Once every
//! few *ticks* both sides exchange what is new: the game gets what was said and decided as Bevy
//! messages ([`StoryEvent`], [`StoryAnswer`], [`StoryTurn`]), the story gets what happened in the
//! game through [`StoryInput`]. [`StoryTime`] counts the ticks: one per frame, none while an
//! exchange waits for the story. A game that acts in [`story_ticks`] alone is told the same story
//! on every run, whatever the frame rate.
//!
//! What the game tells is an answer to an ask, like everything else from outside. The story is in
//! memory alone: it has no journal, and ends with the app.
//!
//! Start reading at [`StoryPlugin`]; `host.rs` is the thread, `input.rs` the story's side of what
//! the game tells.

mod host;
mod input;

use std::sync::{Arc, Mutex, PoisonError};

use bevy_app::{App, Plugin, PreUpdate};
use bevy_ecs::prelude::*;

pub use input::{GAME, GameEvent, Noticed, tell_game_events};

use host::{Host, Played};
pub use host::{StoryError, StoryStopped};
use input::GameInput;
use playhouse_engine::cast::CastError;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{AnswerRecord, EventRecord, Record};
use playhouse_engine::exchange::Reply;
use playhouse_engine::mind::Minds;

/// Adds a story to an app.
///
/// ```
/// use bevy_app::App;
/// use playhouse_bevy::{Character, StoryInput, StoryPlugin};
/// use playhouse_engine::prelude::*;
///
/// let mut setup = Setup::new(1);
/// setup.spawn_stage("Gate", "You are a gate.")?;
/// setup.spawn_actor("Alda", "Gate", "You guard the gate.")?;
/// let minds = ScriptMind::by_rule(|_| ScriptLine::say("Who goes there?"));
///
/// let mut app = App::new();
/// app.add_plugins(StoryPlugin::new(setup, minds)?);
/// app.world_mut().spawn(Character("Alda".into()));
/// app.world_mut().resource_mut::<StoryInput>().tell_stage("Gate", "A cart rolls up.");
/// app.update();
/// # Ok::<(), playhouse_engine::cast::CastError>(())
/// ```
pub struct StoryPlugin {
    ticks_per_turn: u32,
    story: Mutex<Option<(Setup, Minds)>>,
}

impl StoryPlugin {
    /// A story with its minds. Adds to the setup what takes in the game's events.
    ///
    /// # Errors
    /// An entity of the setup has the name of the game's own, [`GAME`].
    pub fn new(mut setup: Setup, minds: impl Into<Minds>) -> Result<Self, CastError> {
        input::install(&mut setup)?;
        Ok(Self {
            ticks_per_turn: 60,
            story: Mutex::new(Some((setup, minds.into()))),
        })
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
        let mut story = self.story.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((setup, minds)) = story.take() else {
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
            .insert_resource(Host::start(setup, minds))
            .add_systems(PreUpdate, exchange);
    }
}

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

    /// Tells only these characters.
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
    /// The decision, if it is one of this type; the purpose in the record says which type that is.
    pub fn read<R: Reply>(&self) -> Option<R> {
        R::read(&self.record.text).ok()
    }
}

/// A turn of the story is over.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoryTurn(pub u64);

/// When a turn is due, gives the game what the story has told, and the story what the game has.
fn exchange(
    host: Res<Host>,
    mut time: ResMut<StoryTime>,
    mut input: ResMut<StoryInput>,
    characters: Query<(Entity, &Character)>,
    mut commands: Commands,
) {
    let is_due = time.tick.is_multiple_of(u64::from(time.ticks_per_turn));
    if is_due && !time.is_over {
        if time.tick > 0 {
            let Some(played) = host.played() else {
                time.is_waiting = true;
                return;
            };
            deliver(played, &mut time, &characters, &mut commands);
        }
        if !time.is_over {
            host.play(std::mem::take(&mut input.0));
        }
    }
    time.is_waiting = false;
    time.tick += 1;
}

fn deliver(
    played: Played,
    time: &mut StoryTime,
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
        commands.write_message(stopped);
    }
}
