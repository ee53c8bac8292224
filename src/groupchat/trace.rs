//! What each call of a mind saw, and what it answered.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::inside::{ToolTeamRecord, path, told_by_tools};
use super::perspective::{Seen, seen};
use crate::cast::{CastList, EntityName, Kind, OnStage};
use crate::context::AgentContext;
use crate::message::{Block, Body, BodyId, Content, Role};

/// Where something stands in the order of all that was said: the time and id of its body; within a tool's
/// call, those of the caller's tool message and the number of the call first.
type At = Vec<(u64, BodyId, u32)>;

/// One call of a mind.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Whose mind.
    pub agent: String,
    /// Which of its calls, from 1.
    pub number: usize,
    /// Who asked: its stage, or itself.
    pub sender: String,
    /// The path of the team, called as a tool, in which it was; empty for all others.
    pub inside: String,
    /// What it saw, without its opening.
    pub context: Vec<Seen>,
    /// What it answered.
    pub reply: String,
    at: At,
}

/// All calls of a world and of the teams that were called as tools in it, in the order in which they were
/// answered.
pub fn calls(world: &World) -> Vec<Call> {
    let memories = memories(world);
    let mut calls: Vec<_> = memories.iter().flat_map(Memory::calls).collect();
    // A body's number grows within its place, its time over all.
    calls.sort_by(|one, other| one.at.cmp(&other.at));
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for call in &mut calls {
        let count = counts.entry(call.agent.clone()).or_default();
        *count += 1;
        call.number = *count;
    }
    calls
}

/// The conversation of a mind, as a trace shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    agent: String,
    sender: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    inside: String,
    entries: Vec<Entry>,
}

/// One message of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    role: String,
    name: String,
    content: String,
    at: At,
}

/// What all minds of a world remember, and those of teams that were called as tools in it.
pub(super) fn memories(world: &World) -> Vec<Memory> {
    let list = world.resource::<CastList>();
    let contexts = list
        .all()
        .filter_map(|(_, entity)| Some((entity, world.get::<AgentContext>(entity)?)));
    let mut all = Vec::new();
    for (entity, context) in contexts {
        all.push(memory(world, entity, context));
        all.extend(within(context));
    }
    all
}

fn memory(world: &World, entity: Entity, context: &AgentContext) -> Memory {
    let agent = context.name().to_string();
    // Whoever stands on a stage is asked by it; a stage asks itself.
    let stage = world.get::<OnStage>(entity).map_or(entity, |on| on.0);
    let is_stage = world.get::<Kind>(stage) == Some(&Kind::Stage);
    let sender = world.get::<EntityName>(stage).filter(|_| is_stage);
    let entries = context.entries().iter();
    let entries = entries.filter(|entry| entry.role() != Role::System);
    let entries = entries.map(|entry| {
        let body = entry.body();
        let seen = seen(entry.role(), body, &agent);
        Entry {
            role: seen.role.into(),
            name: seen.name,
            content: with_tools(seen.content, body),
            at: vec![(body.time(), body.id(), 0)],
        }
    });
    Memory {
        entries: entries.collect(),
        sender: sender.map_or_else(|| agent.clone(), ToString::to_string),
        inside: String::new(),
        agent,
    }
}

/// What a message says, with the calls of tools in it as `name(arguments)`, or what they returned.
fn with_tools(text: String, body: &Body) -> String {
    let Content::Blocks(blocks) = body.content() else {
        return text;
    };
    let tools = blocks.iter().filter_map(|block| match block {
        Block::ToolUse { name, input, .. } => Some(format!("{name}({input})")),
        Block::ToolResult { output, .. } => Some(match output.as_str() {
            Some(output) => output.to_owned(),
            None => output.to_string(),
        }),
        _ => None,
    });
    let parts = Some(text).filter(|text| !text.is_empty()).into_iter();
    parts.chain(tools).collect::<Vec<_>>().join("\n")
}

/// What the minds of teams remembered that this one called as tools.
fn within(context: &AgentContext) -> Vec<Memory> {
    let mut all = Vec::new();
    let returned = context.entries().iter();
    for returned in returned.filter(|entry| entry.role() == Role::Tool) {
        let body = returned.body();
        for (number, told) in (0..).zip(told_by_tools(body)) {
            let place = (body.time(), body.id(), number);
            all.extend(told.into_iter().filter_map(|told| match told {
                ToolTeamRecord::Mind(memory) => Some(memory.behind(place)),
                ToolTeamRecord::Message { .. } => None,
            }));
        }
    }
    all
}

impl Memory {
    /// The same memory, of somebody in this team.
    pub(super) fn inside(mut self, team: &str) -> Self {
        self.inside = path(team, &self.inside);
        self
    }

    fn behind(mut self, place: (u64, BodyId, u32)) -> Self {
        self.entries
            .iter_mut()
            .for_each(|entry| entry.at.insert(0, place));
        self
    }

    fn calls(&self) -> impl Iterator<Item = Call> {
        let replies = self.entries.iter().enumerate();
        let replies = replies.filter(|(_, entry)| entry.role == "assistant");
        replies.map(|(index, reply)| Call {
            agent: self.agent.clone(),
            number: 0,
            sender: self.sender.clone(),
            inside: self.inside.clone(),
            context: self.entries.iter().take(index).map(Seen::from).collect(),
            reply: reply.content.clone(),
            at: reply.at.clone(),
        })
    }
}

impl From<&Entry> for Seen {
    fn from(entry: &Entry) -> Self {
        let roles = ["user", "assistant", "tool"];
        let role = roles.into_iter().find(|role| *role == entry.role);
        Self {
            role: role.unwrap_or_default(),
            name: entry.name.clone(),
            content: entry.content.clone(),
        }
    }
}
