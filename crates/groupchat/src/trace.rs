//! What each call of a mind saw and answered.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, place_of};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::event::AgentEvent;
use playhouse_engine::journal::Outcome;
use playhouse_engine::message::{Block, Body, Content, Role};

use super::message::value_text;
use super::perspective::RoleMessage;
use super::stage::OwnMessage;
use super::tool_team::{
    ContextRecord, EntryRecord, RecordOrder, ToolTeamRecord, reported, tool_team_records,
};

#[derive(Clone, Debug, PartialEq)]
pub struct MindCall {
    /// The name of the mind's entity.
    pub agent: String,
    /// The number among its calls, from 1.
    pub number: usize,
    /// Who asked: the stage of the entity, or the entity itself.
    pub sender: String,
    /// The path of the entity's team if it was called as a tool; otherwise empty.
    pub team_path: String,
    /// What the mind saw, without the system message.
    pub context: Vec<RoleMessage>,
    pub reply: String,
}

/// All calls in a world, and in the teams that were called as tools, in the order of the answers.
pub fn mind_calls(world: &World) -> Vec<MindCall> {
    in_order(&context_records(world))
}

fn in_order(records: &[ContextRecord]) -> Vec<MindCall> {
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

/// The calls in the teams that were called as tools for one answer, call by call of a tool, each in
/// the order of the answers and numbered from 1.
pub fn calls_within(outcome: &Outcome) -> Vec<MindCall> {
    let results = outcome.rounds.iter().flat_map(|round| &round.results);
    let calls = results.flat_map(|result| {
        let minds = reported(&result.trace).filter_map(|record| match record {
            ToolTeamRecord::Mind(record) => Some(record),
            ToolTeamRecord::Message { .. } => None,
        });
        in_order(&minds.collect::<Vec<_>>())
    });
    calls.collect()
}

/// The calls of a mind, with their places in the order of all calls.
fn calls_of(record: &ContextRecord) -> impl Iterator<Item = (&RecordOrder, MindCall)> {
    let replies = record
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.message.role == "assistant" && !entry.told);
    replies.map(|(index, reply)| {
        let earlier = record.entries.iter().take(index);
        let call = MindCall {
            agent: record.agent.clone(),
            number: 0,
            sender: record.sender.clone(),
            team_path: record.team_path.clone(),
            context: earlier.map(|entry| entry.message.clone()).collect(),
            reply: reply.message.content.clone(),
        };
        (&reply.order, call)
    })
}

/// The conversations of all minds in a world, and in the teams that were called as tools. What was
/// archived is a conversation of its own.
pub(super) fn context_records(world: &World) -> Vec<ContextRecord> {
    let mut records = Vec::new();
    for (_, entity) in world.resource::<CastList>().all() {
        let Some(context) = world.get::<AgentContext>(entity) else {
            continue;
        };
        let chapters = world.get::<Chapters>(entity).into_iter();
        let archived = chapters.flat_map(Chapters::all).map(|chapter| {
            let messages = chapter
                .messages
                .iter()
                .chain(&chapter.summing_up)
                .map(|held| (held.message.role, &held.message.body));
            messages.collect::<Vec<_>>()
        });
        let entries = context.entries().iter();
        let current = entries.map(|entry| (entry.role(), entry.body()));
        for messages in archived.chain([current.collect::<Vec<_>>()]) {
            records.push(context_record(world, entity, context.name(), &messages));
            add_tool_team_records(&messages, &mut records);
        }
    }
    records
}

fn context_record(
    world: &World,
    entity: Entity,
    agent: &str,
    messages: &[(Role, &Body)],
) -> ContextRecord {
    // An actor on a stage is asked by the stage, a stage by itself.
    let stage = place_of(world, entity);
    let is_stage = world.get::<Kind>(stage) == Some(&Kind::Stage);
    let sender = world.get::<EntityName>(stage).filter(|_| is_stage);
    let messages = messages.iter().filter(|(role, _)| *role != Role::System);
    let entries = messages.map(|&(role, body)| {
        let mut message = RoleMessage::of(role, body, agent);
        message.content = with_tools(message.content, body);
        EntryRecord {
            message,
            told: body.event_type() == Some(OwnMessage::TYPE),
            order: vec![(body.time(), body.id(), 0)],
        }
    });
    ContextRecord {
        entries: entries.collect(),
        sender: sender.map_or_else(|| agent.to_owned(), ToString::to_string),
        team_path: String::new(),
        agent: agent.to_owned(),
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

/// Adds the conversations of the teams that were called as tools in these messages.
fn add_tool_team_records(messages: &[(Role, &Body)], records: &mut Vec<ContextRecord>) {
    for (_, body) in messages.iter().filter(|(role, _)| *role == Role::Tool) {
        for (call, reported) in (0..).zip(tool_team_records(body)) {
            let caller = (body.time(), body.id(), call);
            for record in reported {
                if let ToolTeamRecord::Mind(mut record) = record {
                    let entries = record.entries.iter_mut();
                    entries.for_each(|entry| entry.order.insert(0, caller));
                    records.push(record);
                }
            }
        }
    }
}
