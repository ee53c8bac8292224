//! What each call of a mind saw and answered.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;

use super::message::value_text;
use super::perspective::RoleMessage;
use super::tool_team::{
    ContextRecord, EntryRecord, RecordOrder, ToolTeamRecord, tool_team_records,
};
use crate::cast::{CastList, EntityName, Kind, OnStage};
use crate::context::AgentContext;
use crate::message::{Block, Body, Content, Role};

/// A call of a mind.
#[derive(Clone, Debug, PartialEq)]
pub struct MindCall {
    /// The name of the mind's entity.
    pub agent: String,
    /// The number among its calls, from 1.
    pub number: usize,
    /// Who asked: the stage of the entity, or the entity itself.
    pub sender: String,
    /// The path of the entity's team if it was called as a tool; otherwise empty.
    pub inside: String,
    /// What the mind saw, without the system message.
    pub context: Vec<RoleMessage>,
    /// What it answered.
    pub reply: String,
}

/// All calls in a world, and in the teams that were called as tools, in the order of the answers.
pub fn mind_calls(world: &World) -> Vec<MindCall> {
    let records = context_records(world);
    let mut calls: Vec<_> = records.iter().flat_map(calls_of).collect();
    // Times are compared over all stages; ids grow within a stage.
    calls.sort_by_key(|(order, _)| *order);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let calls = calls.into_iter().map(|(_, mut call)| {
        let count = counts.entry(call.agent.clone()).or_default();
        *count += 1;
        call.number = *count;
        call
    });
    calls.collect()
}

/// The calls of a mind, with their places in the order of all calls.
fn calls_of(record: &ContextRecord) -> impl Iterator<Item = (&RecordOrder, MindCall)> {
    let replies = record.entries.iter().enumerate();
    let replies = replies.filter(|(_, entry)| entry.message.role == "assistant");
    replies.map(|(index, reply)| {
        let earlier = record.entries.iter().take(index);
        let call = MindCall {
            agent: record.agent.clone(),
            number: 0,
            sender: record.sender.clone(),
            inside: record.inside.clone(),
            context: earlier.map(|entry| entry.message.clone()).collect(),
            reply: reply.message.content.clone(),
        };
        (&reply.at, call)
    })
}

/// The conversations of all minds in a world, and in the teams that were called as tools.
pub(super) fn context_records(world: &World) -> Vec<ContextRecord> {
    let mut records = Vec::new();
    for (_, entity) in world.resource::<CastList>().all() {
        if let Some(context) = world.get::<AgentContext>(entity) {
            records.push(context_record(world, entity, context));
            add_tool_team_records(context, &mut records);
        }
    }
    records
}

fn context_record(world: &World, entity: Entity, context: &AgentContext) -> ContextRecord {
    let agent = context.name().to_string();
    // An actor on a stage is asked by the stage, a stage by itself.
    let stage = world.get::<OnStage>(entity).map_or(entity, |on| on.0);
    let is_stage = world.get::<Kind>(stage) == Some(&Kind::Stage);
    let sender = world.get::<EntityName>(stage).filter(|_| is_stage);
    let entries = context.entries().iter();
    let entries = entries.filter(|entry| entry.role() != Role::System);
    let entries = entries.map(|entry| {
        let body = entry.body();
        let mut message = RoleMessage::of(entry.role(), body, &agent);
        message.content = with_tools(message.content, body);
        EntryRecord {
            message,
            at: vec![(body.time(), body.id(), 0)],
        }
    });
    ContextRecord {
        entries: entries.collect(),
        sender: sender.map_or_else(|| agent.clone(), ToString::to_string),
        inside: String::new(),
        agent,
    }
}

/// The text of a message with its tool calls as `name(arguments)`, or with their results.
fn with_tools(text: String, body: &Body) -> String {
    let Content::Blocks(blocks) = body.content() else {
        return text;
    };
    let tools = blocks.iter().filter_map(|block| match block {
        Block::ToolUse { name, input, .. } => Some(format!("{name}({input})")),
        Block::ToolResult { output, .. } => Some(value_text(output)),
        _ => None,
    });
    let text = Some(text).filter(|text| !text.is_empty()).into_iter();
    text.chain(tools).collect::<Vec<_>>().join("\n")
}

/// Adds the conversations of the teams that an entity called as tools.
fn add_tool_team_records(context: &AgentContext, records: &mut Vec<ContextRecord>) {
    let entries = context.entries().iter();
    for returned in entries.filter(|entry| entry.role() == Role::Tool) {
        let body = returned.body();
        for (call, reported) in (0..).zip(tool_team_records(body)) {
            let caller = (body.time(), body.id(), call);
            for record in reported {
                if let ToolTeamRecord::Mind(mut record) = record {
                    let entries = record.entries.iter_mut();
                    entries.for_each(|entry| entry.at.insert(0, caller));
                    records.push(record);
                }
            }
        }
    }
}
