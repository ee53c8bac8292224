//! What the engine keeps in the world, and so in saves.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Says that the story is over, and in which words; the run ends at the meeting that finds it.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryEnd(pub String);

/// For how many turns in a row nothing has happened; absent if something happened in the last one.
#[derive(Resource, Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct IdleTurns(pub(super) u32);

/// What the world was told from outside since the last turn, for the systems of the meeting to
/// take. See [`Engine::add_input`](super::Engine::add_input).
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Inputs(pub Vec<Value>);

/// How many asks an entity has had; the number of the last.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskCount(pub u32);
