//! What the game asks its own entities, and the answers in types.

use std::collections::BTreeMap;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::system::EntityCommands;
use playhouse_engine::engine::{Setup, StepSet};
use playhouse_engine::event::{AnswerRecord, AnsweredBy};
use playhouse_engine::exchange::{Answers, Ask, Reply};
use playhouse_engine::reading::find_json;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Character, StoryInput};

/// A question of the game to one of its own entities.
pub struct StoryAsk<R: Reply> {
    question: String,
    constraints: R::Constraints,
    fallback: R,
}

impl<R: Reply> StoryAsk<R> {
    /// A question in full, what limits the answer, and the answer that is used if the mind gives
    /// none that passes its check.
    pub fn new(question: impl Into<String>, constraints: R::Constraints, fallback: R) -> Self {
        Self {
            question: question.into(),
            constraints,
            fallback,
        }
    }
}

/// Asks an entity of the game.
pub trait AskStory {
    /// Asks the character that the entity is. The question is open from the next exchange on; the
    /// answer comes as a [`StoryReply<R>`], whose type
    /// [`add_story_answer`](AddStoryAnswer::add_story_answer) adds. A character that was asked
    /// several things answers one of them a turn.
    fn ask<R>(&mut self, ask: StoryAsk<R>) -> &mut Self
    where
        R: Reply,
        R::Constraints: Serialize;
}

impl AskStory for EntityCommands<'_> {
    fn ask<R>(&mut self, ask: StoryAsk<R>) -> &mut Self
    where
        R: Reply,
        R::Constraints: Serialize,
    {
        let entity = self.id();
        self.commands()
            .queue(move |world: &mut World| put_ask(world, entity, &ask));
        self
    }
}

/// Puts a question to what the story is told next. What can't be asked is the game's mistake.
fn put_ask<R>(world: &mut World, entity: Entity, ask: &StoryAsk<R>)
where
    R: Reply,
    R::Constraints: Serialize,
{
    let reply = R::NAME;
    let replies = world.get_resource::<StoryReplies>();
    if replies.is_none_or(|replies| !replies.0.contains_key(reply)) {
        tracing::error!(
            "'{reply}' can't be asked: write `app.add_story_answer::<…>()` for its type"
        );
        return;
    }
    let Some(character) = world.get::<Character>(entity).cloned() else {
        tracing::error!("{entity} can't be asked: it is no `Character`");
        return;
    };
    let values = serde_json::to_value(&ask.constraints)
        .and_then(|constraints| Ok((constraints, serde_json::to_value(&ask.fallback)?)));
    let (constraints, fallback) = match values {
        Ok(values) => values,
        Err(error) => {
            tracing::error!("'{reply}' can't be asked: {error}");
            return;
        }
    };
    if let Some(mut input) = world.get_resource_mut::<StoryInput>() {
        input.0.asks.push(GameAsk {
            character: character.0.to_string(),
            reply: reply.to_owned(),
            question: ask.question.clone(),
            constraints,
            fallback,
        });
    }
}

/// A question of the game, as the story is told it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct GameAsk {
    pub(super) character: String,
    /// The name of the type of the answer.
    pub(super) reply: String,
    question: String,
    #[serde(default)]
    constraints: Value,
    fallback: Value,
}

/// A character has decided something of this type, which the game or the story asked it.
#[derive(Message, Clone, Debug)]
pub struct StoryReply<R: Reply> {
    /// The game's entity that decided; `None` if there is none.
    pub entity: Option<Entity>,
    pub reply: R,
    /// Who made it: the character's mind, or nobody, so that it is the fallback.
    pub by: AnsweredBy,
}

/// What a type of answers needs on either side.
#[derive(Clone, Copy)]
pub(super) struct ReplyType {
    /// Adds to the story what asks for it and takes it.
    pub(super) install: fn(&mut Setup),
    /// Gives the game an answer.
    pub(super) write: fn(&mut Commands, Option<Entity>, &AnswerRecord),
}

/// The types of answers that the game learns of, by name.
#[derive(Resource, Clone, Default)]
pub(super) struct StoryReplies(pub(super) BTreeMap<&'static str, ReplyType>);

/// Adds types of answers to an app.
pub trait AddStoryAnswer {
    /// Lets the game ask for answers of this type, and read them as [`StoryReply`] messages. Call
    /// it before the first frame.
    fn add_story_answer<R>(&mut self) -> &mut Self
    where
        R: Reply,
        R::Constraints: DeserializeOwned;
}

impl AddStoryAnswer for App {
    fn add_story_answer<R>(&mut self) -> &mut Self
    where
        R: Reply,
        R::Constraints: DeserializeOwned,
    {
        self.add_message::<StoryReply<R>>();
        let reply = ReplyType {
            install: install::<R>,
            write: write::<R>,
        };
        let mut replies = self.world_mut().get_resource_or_init::<StoryReplies>();
        replies.0.insert(R::NAME, reply);
        self
    }
}

fn write<R: Reply>(commands: &mut Commands, entity: Option<Entity>, record: &AnswerRecord) {
    match read::<R>(&record.text) {
        Some(reply) => {
            let by = record.by.clone();
            commands.write_message(StoryReply { entity, reply, by });
        }
        None => tracing::error!("an answer '{}' can't be read: {}", R::NAME, record.text),
    }
}

/// An answer as the conversation keeps it.
pub(super) fn read<R: Reply>(text: &str) -> Option<R> {
    if R::IS_PROSE {
        return R::read(text).ok();
    }
    let json = find_json(text).ok()?;
    serde_json::from_value(json.value).ok()
}

// --- the story's side ---

/// Asks an entity of the story.
type AskFn = fn(&mut World, Entity, GameAsk) -> Result<(), serde_json::Error>;

/// How the story asks for each type of answers, by name.
#[derive(Resource, Default)]
pub(super) struct AskFns(BTreeMap<&'static str, AskFn>);

fn install<R>(setup: &mut Setup)
where
    R: Reply,
    R::Constraints: DeserializeOwned,
{
    let mut asks = setup.world.get_resource_or_init::<AskFns>();
    asks.0.insert(R::NAME, ask_entity::<R>);
    let rest = take_rest::<R>.in_set(StepSet::Extensions);
    setup.step.add_systems(rest);
}

/// Takes what the story's own systems don't want; the game does.
fn take_rest<R: Reply>(mut answers: Answers<R>) {
    answers.take();
}

fn ask_entity<R>(world: &mut World, entity: Entity, ask: GameAsk) -> Result<(), serde_json::Error>
where
    R: Reply,
    R::Constraints: DeserializeOwned,
{
    let constraints = serde_json::from_value(ask.constraints)?;
    let fallback: R = serde_json::from_value(ask.fallback)?;
    let ask = Ask::new(R::NAME, ask.question, constraints, fallback);
    world.entity_mut(entity).insert(ask);
    Ok(())
}

/// Asks what the game has asked, and returns what has to wait, since one is asked one thing at a
/// time.
pub(super) fn ask_all(
    world: &mut World,
    asks: Vec<GameAsk>,
    find: impl Fn(&World, &str) -> Option<Entity>,
) -> Vec<GameAsk> {
    let mut asked = Vec::new();
    let mut waiting = Vec::new();
    for ask in asks {
        let Some(entity) = find(world, &ask.character) else {
            tracing::error!("nobody in the story is called '{}'", ask.character);
            continue;
        };
        if asked.contains(&entity) {
            waiting.push(ask);
            continue;
        }
        let asks = world.get_resource::<AskFns>();
        let Some(ask_entity) = asks.and_then(|asks| asks.0.get(ask.reply.as_str()).copied()) else {
            tracing::error!("the story knows no answer '{}'", ask.reply);
            continue;
        };
        asked.push(entity);
        if let Err(error) = ask_entity(world, entity, ask) {
            tracing::error!("a question of the game can't be read: {error}");
        }
    }
    waiting
}
