//! What the game tells, on the story's side.
//!
//! At every meeting the game is asked what has happened; [`GameMind`] answers with what the app has
//! sent. At the next meeting [`tell_game_events`] tells it.

use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastError, CastList, Dead, Kind, Occupants, SpawnSpec, spawn};
use playhouse_engine::context::AgentContext;
use playhouse_engine::engine::{MeetSet, Setup, StepSet};
use playhouse_engine::event::{
    AgentEvent, EventWriter, PhraseError, Phrasebook, register_event, write_events_at_meeting,
};
use playhouse_engine::exchange::{Answers, Ask, Reply};
use playhouse_engine::mind::{Answering, Completion, Mind, MindInfo, Prompt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ask::{GameAsk, ask_all};

/// The name of the entity that stands for the game.
pub const GAME: &str = "(game)";

/// Something that happened in the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, AgentEvent)]
#[event("game", style = Deed, text = told)]
pub struct GameEvent {
    /// The stage on which all learn of it; empty if `characters` are meant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stage: String,
    /// The characters who alone learn of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub characters: Vec<String>,
    /// What they read, in the language of the story.
    pub text: String,
    /// Facts for the story's systems; no mind reads them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl GameEvent {
    /// An event that everybody on a stage learns of.
    pub fn on_stage(stage: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            stage: stage.into(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// An event that only these characters learn of.
    pub fn to_characters<S: Into<String>>(
        characters: impl IntoIterator<Item = S>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            characters: characters.into_iter().map(Into::into).collect(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same event with facts for the story's systems.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }
}

impl GameEvent {
    fn told(&self, _phrases: &Phrasebook, _data: &Value) -> Result<String, PhraseError> {
        Ok(self.text.clone())
    }
}

/// On a stage and on everybody there, or on a character, for the meeting at which it is told: what
/// it has just learned from the game.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct Noticed(pub Vec<GameEvent>);

/// All that the game has told since it was asked last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct GameInput {
    #[serde(default)]
    pub(super) events: Vec<GameEvent>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) asks: Vec<GameAsk>,
}

impl GameInput {
    /// Adds what was told later.
    fn append(&mut self, mut later: Self) {
        self.events.append(&mut later.events);
        self.asks.append(&mut later.asks);
    }
}

impl Reply for GameInput {
    type Constraints = ();
    const NAME: &'static str = "game_input";
}

/// On the entity of the game: what is told at the next meeting.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
struct PendingInput(GameInput);

/// Answers for the game. Clones share what was put in.
#[derive(Clone)]
pub(super) struct GameMind {
    info: MindInfo,
    next: Arc<Mutex<GameInput>>,
}

impl Default for GameMind {
    fn default() -> Self {
        Self {
            info: MindInfo::unmetered("game"),
            next: Arc::default(),
        }
    }
}

impl GameMind {
    /// What the game answers next, beside what it was not asked for yet.
    pub(super) fn put(&self, input: GameInput) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        next.append(input);
    }
}

impl Mind for GameMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, _prompt: &Prompt<'_>) -> Answering {
        let input = std::mem::take(&mut *self.next.lock().unwrap_or_else(PoisonError::into_inner));
        let text = serde_json::to_string(&input).unwrap_or_default();
        Box::pin(std::future::ready(Ok(Completion::instant("game", text))))
    }
}

/// Brings the game into the story.
pub(super) fn spawn_game(setup: &mut Setup) -> Result<(), CastError> {
    let spec = SpawnSpec {
        name: GAME.into(),
        kind: Kind::WorldAgent,
        rules: None,
        identity: "You are the game.".into(),
        stage: None,
    };
    let game = spawn(&mut setup.world, spec)?;
    setup.world.entity_mut(game).insert(PendingInput::default());
    Ok(())
}

/// Adds the systems that take in what the game tells and asks.
pub(super) fn install(setup: &mut Setup) {
    register_event::<GameEvent>(&mut setup.world);
    setup.saves().component::<PendingInput>("game_input");
    setup
        .meet
        .add_systems((tell_game_events, ask_game).chain().in_set(MeetSet::Rules));
    setup.step.add_systems(take_input.in_set(StepSet::Take));
}

fn ask_game(games: Query<Entity, With<PendingInput>>, mut commands: Commands) {
    for game in &games {
        let ask = Ask::new("game.input", "", (), GameInput::default());
        commands.entity(game).insert(ask.repairs(0));
    }
}

/// The game's own conversation keeps nothing of it.
fn take_input(
    mut answers: Answers<GameInput>,
    mut games: Query<(&mut PendingInput, &mut AgentContext)>,
) {
    for (game, input, _) in answers.take() {
        let Ok((mut pending, mut context)) = games.get_mut(game) else {
            continue;
        };
        pending.0.append(input);
        let ids = context
            .entries()
            .get(1..)
            .and_then(|entries| Some((entries.first()?.id(), entries.last()?.id())));
        if let Some((first, last)) = ids {
            // Both were read just now.
            let _ = context.remove_message_range(first, last);
        }
    }
}

/// Tells what the game has told, and asks what it has asked; order systems that look at [`Noticed`]
/// after this one. Names that are unknown are errors in the log.
pub fn tell_game_events(world: &mut World) {
    let mut noticed = world.query_filtered::<Entity, With<Noticed>>();
    for entity in noticed.iter(world).collect::<Vec<_>>() {
        world.entity_mut(entity).remove::<Noticed>();
    }
    let mut games = world.query::<&mut PendingInput>();
    let inputs: Vec<_> = games
        .iter_mut(world)
        .map(|mut pending| std::mem::take(&mut pending.0))
        .collect();
    for GameInput { events, asks } in inputs {
        for event in events {
            tell(world, event);
        }
        let waiting = ask_all(world, asks, |world, name| {
            world.resource::<CastList>().by_name(name)
        });
        let pending = games.iter_mut(world).next();
        if let Some(mut pending) = pending.filter(|_| !waiting.is_empty()) {
            pending.0.asks = waiting;
        }
    }
}

fn tell(world: &mut World, event: GameEvent) {
    let names = match event.stage.is_empty() {
        true => event.characters.as_slice(),
        false => std::slice::from_ref(&event.stage),
    };
    if names.is_empty() {
        tracing::error!(?event, "the game told nobody in particular");
    }
    let find = |name: &String| {
        let found = world.resource::<CastList>().by_name(name);
        if found.is_none() {
            tracing::error!(?event, "nobody in the story is called '{name}'");
        }
        found
    };
    let receivers: Vec<Entity> = names.iter().filter_map(find).collect();
    if receivers.is_empty() {
        return;
    }
    let occupants = receivers
        .iter()
        .filter_map(|stage| world.get::<Occupants>(*stage));
    let there = occupants.flat_map(Occupants::in_order).copied();
    let is_alive = |entity: &Entity| world.get::<Dead>(*entity).is_none();
    let noticing = receivers.iter().copied().chain(there).filter(is_alive);
    let noticing: Vec<Entity> = noticing.collect();
    for receiver in &noticing {
        let mut receiver = world.entity_mut(*receiver);
        let mut noticed = receiver.take::<Noticed>().unwrap_or_default();
        noticed.0.push(event.clone());
        receiver.insert(noticed);
    }
    write_events_at_meeting(world, |events: &mut EventWriter| {
        match (event.stage.is_empty(), receivers.first()) {
            (false, Some(stage)) => events.broadcast_to_stage(*stage, event, &[]),
            _ => events.notify_entities(&receivers, event),
        }
    });
}
